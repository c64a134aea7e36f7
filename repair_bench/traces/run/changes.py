"""Describe the differences between two sets of experiment settings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

_ABSENT = object()


def changes(old: Any, new: Any, name: str = "") -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            yield from changes(old.get(key, _ABSENT), new.get(key, _ABSENT), f"{name}.{key}" if name else key)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, pair in enumerate(zip(old, new, strict=True)):
            yield from changes(*pair, f"{name}[{index}]")
    elif old != new or isinstance(old, bool) is not isinstance(new, bool):  # True == 1
        yield f"{name or 'experiment'}: {_show(old)} -> {_show(new)}"


def _show(value: Any) -> str:
    if value is _ABSENT:
        return "absent"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:77]}..."
