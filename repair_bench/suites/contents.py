"""The content hash of a built-in suite, which is the same on every machine.

Two runs with the same hash had the same tasks and checks. The hash covers the prompts, the calls, the correct answers
and the tolerances, but not the code that generates this content. The hash does not cover the references, because each
reference is only one of many correct answers. The hash does not cover the grading rule, because the run records the
rule separately.
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
"""Numbers are rounded to multiples of this step, because the last digits of a sine differ between machines."""
_OFFSET = (math.sqrt(5) - 1) / 2
"""An offset that is added before rounding, to keep fractions with small denominators away from the boundaries between
rounded values."""
_OF_A_RUN = ("rule", "draw", "limits")


def content_hashes(tasks: Collection[Task], more: Mapping[str, Any] | None = None) -> tuple[str, dict[str, str]]:
    """Return one content hash for a suite's tasks in all `USUAL` frameworks, and a separate hash for every other
    framework.

    The separate hashes are in a dict, keyed by the name of the framework. Support for a new framework does not
    change the suite's content hash, so the hash in existing runs stays valid.
    `more`: as in `content_hash`, by framework.
    """
    usual = [task for task in tasks if task.framework in USUAL]
    further = sorted({task.framework for task in tasks} - set(USUAL))
    stated = more or {}
    hashes = {
        name: content_hash([task for task in tasks if task.framework == name], stated.get(name)) for name in further
    }
    return content_hash(usual, None if more is None else [more.get(name) for name in USUAL]), hashes


def content_hash(tasks: Iterable[Task], more: Any = None) -> str:
    """Return the SHA-256 hash of a sequence of tasks. Every task must have a circuit check.

    `more`: further content, such as hidden conventions. `more` may contain strings, numbers, arrays, lists, tuples, and
    dicts with string keys.
    """
    made = [_plain([_task(task) for task in tasks]), _plain(more)]
    return hashlib.sha256(json.dumps(made, sort_keys=True).encode()).hexdigest()


def _task(task: Task) -> dict[str, Any]:
    shown = {name: getattr(task, name) for name in ("id", "framework", "entry_point", "prompt", "starter")}
    check = task.check
    assert isinstance(check, CircuitCheck)
    judged = {
        field.name: value
        for field in fields(check)
        # a field that is added to checks later must not change the hash of tasks that keep its default
        if field.name not in _OF_A_RUN and (value := getattr(check, field.name)) != field.default
    }
    return {**shown, **judged, "observe": check.observe, "tolerance": repr(check.tolerance)}


def _plain(value: Any) -> Any:
    match value:
        case None | str() | int():
            return value
        case float():
            return math.floor(value / STEP + _OFFSET)
        case np.ndarray():
            parts = np.stack([value.real, value.imag], axis=-1)
            steps = np.floor(parts / STEP + _OFFSET).astype("<i8")
            return [list(steps.shape), hashlib.sha256(steps.tobytes()).hexdigest()]
        case dict():
            return {name: _plain(part) for name, part in value.items()}
        case list() | tuple():
            return [_plain(part) for part in value]
        case frozenset():
            return sorted(value)
        case Case():
            return _plain([value.args, value.expected, value.hidden, value.also])
    raise TypeError(f"unsupported value in a task: {value!r}")
