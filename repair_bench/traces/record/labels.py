"""The labels of tasks in a suite's errata. A task with no label in `DOUBTS` is sound.

weak: the check accepts an incorrect trivial baseline. wrong: the check rejects a correct answer, or its reference is
incorrect. underspecified: the prompt does not state a convention that the check requires. excluded: the task cannot be
graded on this machine.
"""

from __future__ import annotations

from typing import Literal

Label = Literal["weak", "wrong", "underspecified", "excluded"]

DOUBTS: tuple[Label, ...] = ("weak", "wrong", "underspecified")
"""The labels that express doubts about a task's check but do not prevent the task from being graded."""
