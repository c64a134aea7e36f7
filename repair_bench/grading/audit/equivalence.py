"""Whether a mutant is the same channel as the reference, or as right an answer, shown without the check.

Before either program every qubit is put into a random pure state, the same for both, and two things are compared: the
state of all qubits up to a global phase, before measurements that end the circuit; and, where the task is not judged by
a state or a unitary, the joint distribution of the measured bits. Equality shows that the programs are the same unitary
up to a phase and measure the same qubits into the same bits, for any input: a unitary that leaves the direction of a
generic product state leaves that of all of them, and is a multiple of the identity; two linear maps of density matrices
that differ, differ on almost all product states, because these span them all and the difference is analytic in the
random angles. Two inputs are tried, because arithmetic is not exact.

Parameters: all cases of the task, and random values in place of theirs (`parameters.draws`); values that the reference
does not take are left out. A difference that only other values would show is not found.

What agrees on |0...0> alone, or on other qubits, is not shown to be the same channel, and nothing is shown of a program
that acts on measured qubits, makes no circuit of its own or is no Python. But a task asks for no more than a state, an
operation or outcomes: a program is *right* there that has the reference's answers to the task's own calls, and to those
with random values of the parameters.
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
from repair_bench.suites.checks.order import Array
from repair_bench.suites.task import Task

TOLERANCE = 1e-7
"""The largest total variation distance, or norm of the difference of two states, between programs that are the same."""
INPUTS = 2
"""Random inputs of the qubits."""
DRAWS = 4
"""Random values of the parameters."""
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
    """What to call with, and how the answers are looked at. `own`: these are the task's own cases.

    `seed`: of the random state before the program; None for |0...0>, as the task has it.
    """

    observe: Observe
    cases: tuple[Args, ...]
    own: bool
    seed: int | None = None


class Reference:
    """A task's reference, beside which mutants that passed are set."""

    def __init__(self, task: Task, judge: Judge, seed: int) -> None:
        rng = random.Random(hashlib.sha256(f"{seed}/{task.id}/{task.framework}".encode()).digest())  # noqa: S311
        seeds = [rng.getrandbits(32) for _ in range(INPUTS)]
        own = parameters.cases(task)
        # each draw is a program of its own, for the reference may refuse it
        groups = [own, *((args,) for args in parameters.draws(own, DRAWS, rng))] if own else []
        called = [(cases, cases is own) for cases in groups]
        asked = task.check.observe if isinstance(task.check, CircuitCheck) else None
        observes = _observes(task)
        channel = [Trial(observe, *call, seed=drawn) for drawn in seeds for call in called for observe in observes]
        self._channel = _Trials(task, judge, channel)
        self._answers = _Trials(task, judge, [] if asked is None else [Trial(asked, *call) for call in called])

    async def is_same(self, source: str) -> bool:
        """Whether the program is shown to be the same channel. Raises a `Fault` for what is broken on our side."""
        return await self._channel.agree(source)

    async def is_right(self, source: str) -> bool:
        """Whether it gives the answers of the reference, where the task asks for those of circuits.

        To the task's own calls, and to others like them that the reference takes. Raises as `is_same` does.
        """
        return await self._answers.agree(source)


class _Trials:
    """Programs beside the reference. What was seen of it is kept: every survivor is compared with it."""

    def __init__(self, task: Task, judge: Judge, trials: Sequence[Trial]) -> None:
        self._task = task
        self._judge = judge
        self._trials = trials
        self._seen: list[tuple[Trial, Seen]] | None = None

    async def agree(self, source: str) -> bool:
        if self._seen is None:
            self._seen = await self._reference()
        for trial, wanted in self._seen:
            seen = await self._observe(source, trial)
            if seen is None or not all(map(_alike, wanted, seen)):
                return False
        return bool(self._seen)

    async def _reference(self) -> list[tuple[Trial, Seen]]:
        """Empty when a case of the task's own cannot be observed: nothing can be shown then."""
        assert self._task.reference is not None
        observed = []
        for trial in self._trials:
            seen = await self._observe(self._task.reference, trial)
            if seen is not None:
                observed.append((trial, seen))
            elif trial.own:
                return []
        return observed

    async def _observe(self, source: str, trial: Trial) -> Seen | None:
        """One observation a case; None when the program does not run or its circuit cannot be observed."""
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
    """The program with one more entry point, `ENTRY_POINT`, whose qubits start in a random state.

    It takes what the program's own takes and returns its circuit behind a rotation of each qubit by angles that follow
    from `seed`, to be observed as `observe`. It raises where the program makes no circuit.
    """
    circuit = FRAMEWORKS[framework].random_state_wrapper.get(observe, "")
    return source + _ANGLES.format(seed=seed) + circuit.format(entry_point=entry_point)


def _observes(task: Task) -> tuple[Observe, ...]:
    whole = isinstance(task.check, CircuitCheck) and task.check.observe != "distribution"
    return ("state",) if whole else ("state", "distribution")


def _alike(wanted: dict[str, Any], seen: dict[str, Any]) -> bool:
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
    return float(np.linalg.norm(_in_phase(candidate, state) - state)) <= TOLERANCE


def _in_phase(state: Array, to: Array) -> Array:
    """`state`, or a unitary, with the global phase that brings it closest to `to`."""
    overlap = complex(np.vdot(state, to))
    return state * (overlap / abs(overlap)) if abs(overlap) > 1e-9 else state
