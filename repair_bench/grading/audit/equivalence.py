"""Determine whether a mutant implements the reference's channel, or at least returns equally correct answers. The
task's check is not used.

To compare channels, both programs start with every qubit in the same random pure state. The comparison covers the state
of all qubits up to a global phase, before final measurements. For a task that is not judged by a state or a unitary,
the comparison also covers the joint distribution of the measured bits. Equal results show that both programs apply the
same unitary, up to a phase, and the same measurements to any input. A unitary that preserves a generic product state up
to a phase preserves all product states, and is therefore a multiple of the identity. Two different linear maps of
density matrices differ on almost all product states: product states span the space, and the difference of the maps is
an analytic function of the random angles of the input state. One input would be enough in exact arithmetic; because of
rounding errors, two inputs are used.

The programs are compared on the parameter values of all cases of the task, and on random values (`parameters.draws`).
Values that the reference rejects are skipped. A difference between two programs that occurs only for untested parameter
values is not detected.

Two programs cannot be shown to be equivalent if one of them acts on measured qubits, builds no circuit or is not
written in Python. Agreement on |0...0>, or on some of the qubits, does not prove that two programs implement the same
channel. No task requires a particular channel; a task requires only a state, an operation or measurement outcomes.
Therefore, a program is *right* if it agrees with the reference on the task's calls and on calls with random parameters.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from repair_bench.executors.program import Call, Limits, Observe
from repair_bench.frameworks import FRAMEWORKS
from repair_bench.grading.audit import parameters
from repair_bench.grading.audit.parameters import Args
from repair_bench.grading.judge import Judge
from repair_bench.suites.checks import CircuitCheck, observation
from repair_bench.suites.checks.distances import total_variation
from repair_bench.suites.checks.observation import Unreadable
from repair_bench.suites.task import Task

TOLERANCE = 1e-7
"""The maximum distance at which two programs count as equal: the total variation distance, or the norm of the
difference between two states."""
INPUTS = 2
"""The number of random input states."""
DRAWS = 4
"""The number of sets of random parameter values."""
LIMITS = Limits(cpu_seconds=300.0, wall_seconds=1200.0, memory_mb=4096, value_mb=256)

ENTRY_POINT = "_dressed_entry_point"

_ANGLES = """

import random as _random


def _random_angles(count):
    source = _random.Random({seed})
    return [(source.uniform(0.3, 2.8), source.uniform(0, 6.28)) for _ in range(count)]
"""

Seen = list[dict[str, Any]]


@dataclass(frozen=True)
class Trial:
    """One run of a program: the cases (argument lists) with which the program is called, and what to observe in each
    case.

    `own`: whether the cases come from the task itself. `seed`: the seed of the random initial state; None for |0...0>.
    """

    observe: Observe
    cases: tuple[Args, ...]
    own: bool
    seed: int | None = None


class Reference:
    """Compares the task's reference, which is observed once, with each mutant that passes the check."""

    def __init__(self, task: Task, judge: Judge, seed: int) -> None:
        self._task = task
        self._judge = judge
        rng = random.Random(hashlib.sha256(f"{seed}/{task.id}/{task.framework}".encode()).digest())  # noqa: S311
        seeds = [rng.getrandbits(32) for _ in range(INPUTS)]
        own = parameters.cases(task)
        # each draw is a separate program, because the reference may reject it
        groups = [own, *((args,) for args in parameters.draws(own, DRAWS, rng))] if own else []
        called = [(cases, cases is own) for cases in groups]
        judged_by = task.check.observe if isinstance(task.check, CircuitCheck) else None
        observes: tuple[Observe, ...] = ("state", "distribution") if judged_by in {None, "distribution"} else ("state",)
        self._channel = [
            Trial(observe, *call, seed=state_seed) for state_seed in seeds for call in called for observe in observes
        ]
        self._answers = [] if judged_by is None else [Trial(judged_by, *call) for call in called]
        self._observed: dict[bool, list[tuple[Trial, Seen]]] = {}

    async def agrees(self, source: str, *, channel: bool) -> bool:
        """Whether the program and the reference agree in every comparison.

        `channel`: compare the quantum channels of the two programs instead of their answers. Equal channels prove that
        the program is equivalent to the reference. The two programs are compared for the parameters in the task's cases
        and for random parameters. Raises a `Fault`.
        """
        if channel not in self._observed:
            self._observed[channel] = await self._reference(self._channel if channel else self._answers)
        for trial, wanted in self._observed[channel]:
            seen = await self._observe(source, trial)
            if seen is None or not all(map(_is_equal, wanted, seen)):
                return False
        return bool(self._observed[channel])

    async def _reference(self, trials: Sequence[Trial]) -> list[tuple[Trial, Seen]]:
        """Return the observations of the reference; an empty list if a case of the task cannot be observed."""
        assert self._task.reference is not None
        observed = []
        for trial in trials:
            seen = await self._observe(self._task.reference, trial)
            if seen is not None:
                observed.append((trial, seen))
            elif trial.own:
                return []
        return observed

    async def _observe(self, source: str, trial: Trial) -> Seen | None:
        """Return one observation per case, or None if the program does not run or its circuit cannot be observed."""
        task, entry_point, setup, qubits = self._task, self._task.entry_point, "", None
        if isinstance(task.check, CircuitCheck):
            setup, qubits = task.check.setup, task.check.qubits
        if trial.seed is not None:
            source = dressed(source, task.framework, entry_point, trial.seed, trial.observe)
            entry_point, qubits = ENTRY_POINT, None
        call = Call(entry_point, trial.observe, cases=trial.cases, setup=setup, qubits=qubits)
        try:
            seen = await self._judge.observe(task, source, call, limits=LIMITS)
        except Unreadable:
            return None
        return seen if all(case.get("kind") == trial.observe for case in seen) else None


def dressed(source: str, framework: str, entry_point: str, seed: int, observe: Observe) -> str:
    """Return the program with an additional entry point, `ENTRY_POINT`, whose qubits start in a random state.

    The new entry point takes the same arguments as the old one. The new entry point returns the program's circuit with
    a random rotation of each qubit at the start. The circuit is returned in the form that an observation of the kind
    `observe` requires. An exception is raised if the program builds no circuit.
    """
    circuit = FRAMEWORKS[framework].random_state_wrapper.get(observe, "")
    return source + _ANGLES.format(seed=seed) + circuit.format(entry_point=entry_point)


def _is_equal(wanted: dict[str, Any], seen: dict[str, Any]) -> bool:
    try:
        if wanted["kind"] == "distribution":
            p, q = observation.distribution(wanted), observation.distribution(seen)
            return p.bits == q.bits and total_variation(p.probabilities, q.probabilities) <= TOLERANCE
        read = observation.state if wanted["kind"] == "state" else observation.unitary
        state, candidate = read(wanted), read(seen)
    except Unreadable:
        return False
    if state.shape != candidate.shape:
        return False
    overlap = complex(np.vdot(candidate, state))
    phase = overlap / abs(overlap) if abs(overlap) > 1e-9 else 1
    return float(np.linalg.norm(candidate * phase - state)) <= TOLERANCE
