"""Whether a mutant is the same channel as the reference, shown without the check.

Before either program every qubit is put into a random pure state, the same for both, and what comes out is compared:
the state of all qubits up to a global phase where the task asks for a state or a unitary, the joint distribution of the
measured bits where it asks for a distribution, both for a unit test of a function without arguments. Programs that
agree on one such input agree on every input, with probability one: what comes out is linear in the density matrix that
goes in, product states span all density matrices, so a difference between two programs is an analytic function of the
random angles that is not zero everywhere, and the zeros of such a function have measure zero. It is the same for states
up to a phase: a unitary that leaves the direction of a generic product state leaves that of all of them, and is a
multiple of the identity. Two inputs are tried, because arithmetic is not exact.

Parameters: all cases of the task, and random values in place of theirs. Real numbers are drawn from (0, 2 pi), bit
strings from those of the same length, whole numbers from the smallest to the largest that the cases have in that place.
Values that the reference does not take are left out. A difference that only other values would show is not found.

What agrees on |0...0> alone, or on other qubits, is not shown equivalent, though it may be right. It stays a survivor
and counts against the check.
"""

from __future__ import annotations

import ast
import hashlib
import random
from collections.abc import Sequence
from math import pi
from typing import Any

import numpy as np

from repair_bench.executors.program import Call, Limits, Observe, Program
from repair_bench.suites.audit.dressing import ENTRY_POINT, dressed
from repair_bench.suites.checks import CircuitCheck, UnitTestCheck, observation
from repair_bench.suites.checks.distances import total_variation
from repair_bench.suites.checks.kets import aligned
from repair_bench.suites.checks.observation import Unreadable
from repair_bench.suites.task import Run, Task

TOLERANCE = 1e-7
"""The largest total variation distance, or norm of the difference of two states, between programs that are the same."""
INPUTS = 2
"""Random inputs of the qubits."""
DRAWS = 4
"""Random values of the parameters."""
LIMITS = Limits(cpu_seconds=300.0, wall_seconds=1200.0, memory_mb=4096, value_mb=256)

Args = tuple[Any, ...]
Seen = list[dict[str, Any]]


class Reference:
    """A task's reference on random inputs. What was seen of it is kept: it is compared with every survivor."""

    def __init__(self, task: Task, run: Run, seed: int) -> None:
        self._task = task
        self._run = run
        self._trials = _trials(task, seed)
        self._seen: list[Seen | None] | None = None

    async def is_same(self, source: str) -> bool:
        """Whether the program is shown to be the same channel. Raises a `Fault` for what is broken on our side."""
        if self._seen is None:
            assert self._task.reference is not None
            self._seen = [await self._observe(self._task.reference, trial) for trial in self._trials]
        if not self._trials or any(one is None for one, t in zip(self._seen, self._trials, strict=True) if t.needed):
            return False
        for trial, wanted in zip(self._trials, self._seen, strict=True):
            if wanted is not None:
                found = await self._observe(source, trial)
                if found is None or not all(map(_alike, wanted, found)):
                    return False
        return True

    async def _observe(self, source: str, trial: _Trial) -> Seen | None:
        """One observation a case; None when the program does not run or its circuit cannot be observed."""
        task = self._task
        setup = task.check.setup if isinstance(task.check, CircuitCheck) else ""
        call = Call(ENTRY_POINT, trial.observe, cases=trial.cases, setup=setup)
        text = dressed(source, task.framework, task.entry_point, trial.seed)
        outcome = await self._run(Program(task.framework, text, call, limits=LIMITS))
        if outcome.status != "returned":
            return None
        try:
            seen = observation.cases(outcome.value, len(trial.cases))
        except Unreadable:
            return None
        return seen if all(one.get("kind") == trial.observe for one in seen) else None
...
