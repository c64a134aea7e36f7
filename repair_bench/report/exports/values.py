"""What texts and numbers of a record become in formats that hold less than JSON as Python writes it."""

from __future__ import annotations

import json
import math
from typing import Any

from repair_bench.traces.record.printable import clean
from repair_bench.traces.record.writable import DEEPEST


def plain(value: Any, deepest: int = 2 * DEEPEST) -> Any:
    """JSON data that every reader takes: its texts clean, numbers that are not finite as "inf", "-inf" and "nan".

    What lies deeper than `deepest` levels, which no run records, is left out.
    """
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {clean(str(name)): plain(inner, deepest - 1) for name, inner in value.items()} if deepest else None
    if isinstance(value, list):
        return [plain(inner, deepest - 1) for inner in value] if deepest else None
    return value


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def as_json(value: Any) -> str | None:
    """A value without a fixed shape, as JSON text; None stays."""
    if value is None:
        return None
    try:
        text = _encode(value)
        text.encode()
    except (ValueError, RecursionError):  # what only some readers take
        return json.dumps(plain(value), ensure_ascii=False)
    if "\\u0000" in text or text.count("{") + text.count("[") > 2 * DEEPEST:  # it may hold NUL, or be too deep
        return json.dumps(plain(value), ensure_ascii=False)
    return text
