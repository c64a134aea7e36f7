"""The share of the published tasks that the slow tests execute, because all of them take too long for CI.

If REPAIR_BENCH_WHOLE is set, they execute all tasks.
"""

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

WHOLE = bool(os.environ.get("REPAIR_BENCH_WHOLE"))
LONG = {"tutorials/RandomNumberGeneration/1", *(f"qiskitHumanEval/{number}" for number in (34, 96, 100, 124, 138))}
"""Tasks whose references take longer than all other published tasks together."""
if WHOLE:
    LONG.clear()


def sampled(items: Sequence[T], every: int, first: int = 0) -> list[T]:
    """Return every `every`-th item, from the item `first` on."""
    return list(items if WHOLE else items[first::every])
