"""The decoding probe, which asks the model which option it assumes for each open convention.

The probe is a multiple-choice question, asked in a copy of the conversation. The copy ends with the model's reply.
"""

from __future__ import annotations

import re

from repair_bench.prompts.templates import render
from repair_bench.suites.conventions.edition import level_of
from repair_bench.suites.conventions.family import Dimension
from repair_bench.suites.task import Task


def question(task: Task) -> str | None:
    """Return a question about the conventions that a task leaves open, or None if the task leaves none open."""
    dimensions = _open(task)
    return render("probe", dimensions=dimensions) if dimensions else None


def choice(task: Task, reply: str) -> dict[str, str]:
    """Return the option that the reply names for each open convention.

    A convention is omitted unless the reply names exactly one option for this convention.
    """
    found = {}
    for dimension in _open(task):
        pattern = rf"^\W*{re.escape(dimension.name)}\W*:\W*(\w+)"
        named = {match[1].lower() for match in re.finditer(pattern, reply, re.MULTILINE | re.IGNORECASE)}
        if len(named) == 1 and (option := named.pop()) in dimension.options:
            found[dimension.name] = option
    return found


def _open(task: Task) -> tuple[Dimension, ...]:
    level = level_of(task.suite, task.id, task.framework)
    return () if level is None else level.problem.family.dimensions[: level.opened]
