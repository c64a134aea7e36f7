"""Convert a record's JSON data for formats with stricter rules than Python's JSON."""

from __future__ import annotations

import json
import math
from typing import Any

from repair_bench.traces.record.printable import clean
from repair_bench.traces.record.writable import MAX_DEPTH


def plain(value: Any, deepest: int = 2 * MAX_DEPTH) -> Any:
    """Convert JSON data to a form that every reader accepts.

    The function `clean` is applied to all strings, and numbers such as inf are converted to strings. Values that are
    nested more than `deepest` levels deep become None; records of runs do not contain such values.
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


def as_json(value: Any) -> str:
    """Return a value of arbitrary shape as JSON text."""
    try:
        text = _encode(value)
        text.encode()
        readable = "\\u0000" not in text and text.count("{") + text.count("[") <= 2 * MAX_DEPTH
    except (ValueError, RecursionError):
        readable = False
    return text if readable else json.dumps(plain(value), ensure_ascii=False)
