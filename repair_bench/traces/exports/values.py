"""What texts and numbers of a record become in formats that hold less than JSON as Python writes it."""

from __future__ import annotations

import json
import math
from typing import Any


def clean(text: str) -> str:
    """Text that every reader takes: NUL and lone surrogates, which a model may write, become U+FFFD."""
    return text.replace("\0", "\ufffd").encode(errors="surrogatepass").decode(errors="replace")


def plain(value: Any) -> Any:
    """JSON data that every reader takes: its texts clean, numbers that are not finite as "inf", "-inf" and "nan"."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {clean(str(name)): plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return value


def as_json(value: Any) -> str | None:
    """A value without a fixed shape, as JSON text; None stays."""
    return None if value is None else json.dumps(plain(value), ensure_ascii=False)
