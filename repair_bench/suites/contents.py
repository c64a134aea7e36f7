"""What the tasks of our own suites are, in bytes that any machine makes alike: the content hash of a suite.

Two runs with the same hash were asked the same and judged the same. So it covers what a model is told, the calls, the
right answers and how far off one may be; nothing of the code and the comments that make them, nor
the references, each one right answer of many. The grading rule is not part: a run names its own.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from repair_bench.frameworks import USUAL
from repair_bench.suites.checks import Case, CircuitCheck
from repair_bench.suites.task import Task

STEP = 1e-7
"""Numbers are counted in such steps, because the last digits of a sine differ from machine to machine."""
_BESIDE = (math.sqrt(5) - 1) / 2
"""Where steps begin: far from every fraction with a small denominator, so that no last digit of one decides."""
_OF_A_RUN = ("rule", "draw", "limits")


def content_hashes(tasks: Collection[Task], more: Mapping[str, Any] | None = None) -> tuple[str, dict[str, str]]:
    """The content hash of a suite of ours, which covers the usual frameworks, and that of each further one.

    A suite that gets a framework more thus keeps the hash that runs in the others have pinned. `more`: as below,
    by framework.
    """
    usual = [task for task in tasks if task.framework in USUAL]
    further = sorted({task.framework for task in tasks} - set(USUAL))
    stated = more or {}
    apart = {
        name: content_hash([task for task in tasks if task.framework == name], stated.get(name)) for name in further
    }
    return content_hash(usual, None if more is None else [more.get(name) for name in USUAL]), apart


def content_hash(tasks: Iterable[Task], more: Any = None) -> str:
    """SHA-256 of tasks that circuit checks judge, in their order. `more`: what else they are, such as what they hide.

    That may hold texts, numbers, arrays, lists, tuples, and dicts by text.
    """
    made = [_plain([_task(task) for task in tasks]), _plain(more)]
    return hashlib.sha256(json.dumps(made, sort_keys=True).encode()).hexdigest()


def _task(task: Task) -> dict[str, Any]:
    told = {name: getattr(task, name) for name in ("id", "framework", "entry_point", "prompt", "starter")}
    check = task.check
    assert isinstance(check, CircuitCheck)
    judged = {
        field.name: value
        for field in fields(check)
        # a field that checks get later says nothing of the tasks that leave it as it is
        if field.name not in _OF_A_RUN and (value := getattr(check, field.name)) != field.default
    }
    return {**told, **judged, "observe": check.observe, "tolerance": repr(check.tolerance)}


def _plain(value: Any) -> Any:
    """The value as JSON has it, its numbers in steps."""
    match value:
        case None | str() | int():
            return value
        case float():
            return math.floor(value / STEP + _BESIDE)
        case np.ndarray():
            parts = np.stack([value.real, value.imag], axis=-1)
            steps = np.floor(parts / STEP + _BESIDE).astype("<i8")
            return [list(steps.shape), hashlib.sha256(steps.tobytes()).hexdigest()]
        case dict():
            return {name: _plain(part) for name, part in value.items()}
        case list() | tuple():
            return [_plain(part) for part in value]
        case frozenset():
            return sorted(value)
        case Case():
            return _plain([value.args, value.expected, value.hidden, value.also])
    raise TypeError(f"no content of a task: {value!r}")
