"""Which right answers a task may have: every choice of what its prompt leaves open, equal answers merged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from random import Random
from typing import Any

from repair_bench.suites.checks import Case, CircuitCheck, DistributionCheck, StateCheck, UnitaryCheck
from repair_bench.suites.checks.distances import total_variation
from repair_bench.suites.checks.state import infidelity
from repair_bench.suites.checks.unitary import process_fidelity
from repair_bench.suites.conventions.circuit import Circuit
from repair_bench.suites.conventions.family import Choice, Constants, Family

CHECKS: dict[str, type[CircuitCheck]] = {
    "distribution": DistributionCheck,
    "state": StateCheck,
    "unitary": UnitaryCheck,
}


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
    """A family with the constants and the hidden choice that a seed draws."""

    family: Family
    constants: Constants
    hidden: Choice
    calls: tuple[tuple[Any, ...], ...]

    @classmethod
    def drawn(cls, family: Family, seed: int) -> Problem:
        """The family's problem in the edition of that seed: the same on every machine and in every framework."""
        rng = Random(f"conventions {family.name} {seed}")  # noqa: S311 - a benchmark, not a secret
        constants = family.constants(rng)
        hidden = {dimension.name: rng.choice(dimension.options).name for dimension in family.dimensions}
        return cls(family, constants, hidden, tuple(tuple(args) for args in family.cases(constants)))

    def hypotheses(self, opened: int) -> tuple[Hypothesis, ...]:
        """Those that are left when the first `opened` dimensions are open, the others as the hidden choice has them."""
        settled = {dimension.name: self.hidden[dimension.name] for dimension in self.family.dimensions[opened:]}
        merged: list[Hypothesis] = []
        for hypothesis in self._every:
            fits = all(hypothesis.choice[name] == option for name, option in settled.items())
            if fits and not any(self._alike(hypothesis.answers, other.answers) for other in merged):
                merged.append(hypothesis)
        return tuple(merged)

    def opened(self, bits: int) -> int:
        """How many dimensions must be open for log2 of the number of hypotheses to reach `bits`; all, if none does."""
        for opened in range(len(self.family.dimensions) + 1):
            if math.log2(len(self.hypotheses(opened))) >= bits - 1e-9:
                return opened
        return len(self.family.dimensions)

    def true_one(self, among: Sequence[Hypothesis]) -> Hypothesis:
        """The hypothesis that gives the same answers as the hidden choice."""
        answers = self._made(self.hidden).answers
        return next(hypothesis for hypothesis in among if self._alike(hypothesis.answers, answers))

    @cached_property
    def _every(self) -> tuple[Hypothesis, ...]:
        names = [dimension.name for dimension in self.family.dimensions]
        options = [[option.name for option in dimension.options] for dimension in self.family.dimensions]
        return tuple(self._made(dict(zip(names, chosen, strict=True))) for chosen in product(*options))

    def _made(self, choice: Choice) -> Hypothesis:
        circuits = tuple(self.family.circuit(choice, self.constants, *args) for args in self.calls)
        return Hypothesis(choice, circuits, tuple(_answer(self.family.kind, circuit) for circuit in circuits))

    def _alike(self, one: Sequence[Any], other: Sequence[Any]) -> bool:
        return all(alike(self.family.kind, a, b) for a, b in zip(one, other, strict=True))


def alike(kind: str, one: Any, other: Any) -> bool:
    """Whether the check of that kind takes one answer for the other."""
    tolerance = CHECKS[kind].tolerance
    if kind == "distribution":
        return len(next(iter(one))) == len(next(iter(other))) and total_variation(one, other) <= tolerance
    if one.shape != other.shape:
        return False
    if kind == "state":
        return infidelity(one, other) <= tolerance
    return process_fidelity(one, other) >= 1 - tolerance


def _answer(kind: str, circuit: Circuit) -> Any:
    if kind == "distribution":
        return circuit.distribution()
    return circuit.state() if kind == "state" else circuit.unitary()
