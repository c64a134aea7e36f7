"""Which right answers a task may have: every choice of what its prompt leaves open, equal answers merged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from random import Random
from typing import Any

from repair_bench.suites.checks import CIRCUIT_CHECKS, Case
from repair_bench.suites.checks.distances import total_variation
from repair_bench.suites.checks.state import infidelity
from repair_bench.suites.checks.unitary import process_fidelity
from repair_bench.suites.conventions.circuit import Circuit
from repair_bench.suites.conventions.family import Choice, Constants, Family


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """A way to settle what is open, and the right answer that it gives to each call.

    `choice`: one option of every dimension, the settled ones included; of several choices with the same answers, the
    first. `circuits`: by the arguments of a call, in the order of the cases.
    """

    choice: Choice
    circuits: tuple[Circuit, ...]
    answers: tuple[Any, ...]

    def cases(self, calls: Sequence[tuple[Any, ...]]) -> tuple[Case, ...]:
        """The cases of a check by which it is true."""
        return tuple(Case(args, answer) for args, answer in zip(calls, self.answers, strict=True))


@dataclass(frozen=True, eq=False)
class Problem:
    """A family with the constants that a seed draws, and the choice that one of its tasks hides.

    `every`: the hypothesis of every choice. `hidden`: empty for the problem itself, before a task hides anything.
    """

    family: Family
    constants: Constants
    calls: tuple[tuple[Any, ...], ...]
    every: tuple[Hypothesis, ...]
    hidden: Choice

    @classmethod
    def drawn(cls, family: Family, seed: int) -> Problem:
        """Return the family's problem in the edition of that seed: the same on every machine and in every framework."""
        rng = Random(f"conventions {family.name} {seed}")  # noqa: S311 - no secret
        constants = family.constants(rng)
        calls = tuple(family.cases(rng, constants))
        names = [dimension.name for dimension in family.dimensions]
        every = []
        for chosen in product(*(dimension.options for dimension in family.dimensions)):
            choice = dict(zip(names, chosen, strict=True))
            circuits = tuple(family.circuit(choice, constants, *args) for args in calls)
            every.append(Hypothesis(choice, circuits, tuple(getattr(circuit, family.kind)() for circuit in circuits)))
        return cls(family, constants, calls, tuple(every), {})

    def hiding(self, rng: Random) -> Problem:
        """Return the problem with a choice drawn for a task: every option of a dimension is as likely as any other."""
        hidden = {dimension.name: rng.choice(list(dimension.options)) for dimension in self.family.dimensions}
        return replace(self, hidden=hidden)

    def hypotheses(self, opened: int) -> tuple[Hypothesis, ...]:
        """Those that are left when the first `opened` dimensions are open, the others as the hidden choice has them."""
        settled = {dimension.name: self.hidden[dimension.name] for dimension in self.family.dimensions[opened:]}
        merged: list[Hypothesis] = []
        for hypothesis in self.every:
            fits = all(hypothesis.choice[name] == option for name, option in settled.items())
            if fits and not any(self._alike(hypothesis.answers, other.answers) for other in merged):
                merged.append(hypothesis)
        return tuple(merged)

    def opened(self, bits: int) -> int:
        """How many dimensions must be open for log2 of the number of hypotheses to reach `bits`; all, if none does."""
        most = len(self.family.dimensions)
        enough = (opened for opened in range(most) if math.log2(len(self.hypotheses(opened))) >= bits - 1e-9)
        return next(enough, most)

    def _alike(self, one: Sequence[Any], other: Sequence[Any]) -> bool:
        return all(alike(self.family.kind, a, b) for a, b in zip(one, other, strict=True))


def alike(kind: str, one: Any, other: Any) -> bool:
    """Whether the check of that kind takes one answer for the other."""
    tolerance = CIRCUIT_CHECKS[kind].tolerance
    if kind == "distribution":
        return len(next(iter(one))) == len(next(iter(other))) and total_variation(one, other) <= tolerance
    if one.shape != other.shape:
        return False
    if kind == "state":
        return infidelity(one, other) <= tolerance
    return process_fidelity(one, other) >= 1 - tolerance
