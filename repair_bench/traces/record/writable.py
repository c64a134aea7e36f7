"""Remove data that cannot be written, read back or exported, so that no answer can stop a run.

A record must be plain JSON data with limited nesting and 64-bit integers. Unrecordable answers are incorrect.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from repair_bench.traces.record.records import Attempt, Verdict

MAX_DEPTH = 50
"""Maximum nesting depth of lists and objects. JSON libraries are recursive and fail at a nesting depth between 300 and
1000."""
UNWRITABLE = "the value that the program returned cannot be recorded"

_MAX_INTEGER = 2**63


def is_plain(value: Any, max_depth: int = MAX_DEPTH) -> bool:
    """Whether a value is JSON data with at most `max_depth` levels and integers of at most 64 bits."""
    if isinstance(value, str | float | bool | None):
        return True
    if isinstance(value, int):
        return -_MAX_INTEGER <= value < _MAX_INTEGER
    if max_depth == 0:
        return False
    if isinstance(value, dict):
        return all(isinstance(key, str) and is_plain(inner, max_depth - 1) for key, inner in value.items())
    return isinstance(value, list | tuple) and all(
        type(inner) is float or is_plain(inner, max_depth - 1) for inner in value
    )


def is_deeper(value: Any, levels: int) -> bool:
    """Whether the lists and objects in a value are nested more than `levels` levels deep. Does not recurse."""
    inner = [value]
    for _ in range(levels):
        outer = (one for one in inner if isinstance(one, dict | list))
        inner = [value for one in outer for value in (one.values() if isinstance(one, dict) else one)]
    return any(isinstance(one, dict | list) for one in inner)


def writable(attempt: Attempt) -> Attempt:
    """Return the attempt without data that cannot be recorded.

    An answer whose returned value cannot be recorded is incorrect.
    """
    outcome, verdict, completion = attempt.outcome, attempt.verdict, attempt.completion
    changed: dict[str, Any] = {}
    if outcome is not None and not is_plain(outcome.value):
        changed["outcome"] = dataclasses.replace(outcome, status="malformed", value=None)
    if verdict is not None and (changed or not is_plain(verdict.evidence)):
        evidence = {"cases": [], "problem": UNWRITABLE}
        changed["verdict"] = Verdict("wrong_answer", evidence, verdict.rule, verdict.sealed)
    if completion is not None and not (is_plain(completion.usage) and is_plain(completion.params)):
        usage = completion.usage if is_plain(completion.usage) else None
        params = completion.params if is_plain(completion.params) else {}
        changed["completion"] = dataclasses.replace(completion, usage=usage, params=params)
    return dataclasses.replace(attempt, **changed) if changed else attempt
