"""What a suite's errata call a task, and when a task is sound.

weak: the check passes a program without an idea, though what it returns is not what is asked. wrong: the check rejects
a right answer, or the reference that defines the right answer is itself wrong. underspecified: the prompt leaves open a
convention that the check decides. excluded: the task cannot be judged here.
"""

from __future__ import annotations

from typing import Literal

Label = Literal["weak", "wrong", "underspecified", "excluded"]

DOUBTS: tuple[Label, ...] = ("weak", "wrong", "underspecified")
"""The labels that a task can have and be judged."""
