"""Choosing a part of a run by fields of its attempts: `framework=qiskit`, `model=a`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.lazy_attempt import Row
from repair_bench.traces.record.records import Attempt

_A = TypeVar("_A", Attempt, Row)

FIELDS = ("model", "suite", "framework", "condition", "category", "difficulty", "task_id", "sample")


def choose(attempts: Sequence[_A], only: Sequence[str]) -> list[_A]:
    """The attempts that have a wanted value in each field named; a field named twice may have either value.

    Raises UsageError for what is not FIELD=VALUE, for another field than `FIELDS`, and where nothing is left.
    """
    wanted: dict[str, set[str]] = {}
    for asked in only:
        field, sign, value = asked.partition("=")
        if not sign or field not in FIELDS:
            raise UsageError(f"--only {asked!r}: give FIELD=VALUE, FIELD being one of {', '.join(FIELDS)}")
        wanted.setdefault(field, set()).add(value)
    left = list(attempts)
    for field, values in wanted.items():
        there = {str(getattr(a, field)) for a in left}
        left = [a for a in left if str(getattr(a, field)) in values]
        if not left:
            raise UsageError(f"nothing has {field} {' or '.join(sorted(values))}: there is {', '.join(sorted(there))}")
    return left
