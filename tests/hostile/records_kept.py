"""Checks of the outcome of a program, which is stored, exported and displayed."""

import json
import unicodedata
from typing import Any

from repair_bench.traces.record.records import Outcome

MOST_LEVELS = 32
MOST_BYTES = 256 << 10
"""The maximum size of an honest outcome."""
FLAWS = {
    "deep": "lists or objects in each other, deeper than any result",
    "large": "far more than any result",
    "number": "a number that is none, infinite or of thousands of digits",
    "text": "characters that cannot be written or that control a terminal",
    "unwritable": "it cannot be written as JSON at all",
}


def flaws(outcome: Outcome) -> set[str]:
    """Return the `FLAWS` of an outcome."""
    found: set[str] = set()
    data = {**vars(outcome), "exception": outcome.exception and vars(outcome.exception)}
    _look(data, found, 0)
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        return found | {"unwritable"}
    return found | ({"large"} if len(text) > MOST_BYTES else set())


def _look(value: Any, found: set[str], level: int) -> None:
    if level > MOST_LEVELS:
        found.add("deep")
    elif isinstance(value, dict):
        for key, inside in value.items():
            _look(key, found, level + 1)
            _look(inside, found, level + 1)
    elif isinstance(value, list | tuple):
        for inside in value:
            _look(inside, found, level + 1)
    elif isinstance(value, str):
        found |= {"text"} if any(_is_unclean(character) for character in value) else set()
    elif isinstance(value, int | float) and not abs(value) < 1e300:
        found.add("number")


def _is_unclean(character: str) -> bool:
    return character not in "\n\t" and unicodedata.category(character) in ("Cc", "Cs")
