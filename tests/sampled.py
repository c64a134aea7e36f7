"""Shares of the cases that slow tests execute, because executing all cases takes too long for CI.

If REPAIR_BENCH_WHOLE is set, these tests execute all cases.
"""

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

WHOLE = bool(os.environ.get("REPAIR_BENCH_WHOLE"))
LONG: set[str] = {"tutorials/RandomNumberGeneration/1"}
LONG |= {f"qiskitHumanEval/{number}" for number in (34, 96, 100, 124, 138)}
LONG = set() if WHOLE else LONG
"""Excluded tasks, whose references take longer than those of all other published tasks together."""


def sampled(items: Sequence[T], every: int, first: int = 0) -> list[T]:
    """Return every `every`-th item, from the item `first` on."""
    return list(items if WHOLE else items[first::every])
