"""The possible correct answers to a task. Choices of conventions that lead to equal answers are merged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from random import Random
from typing import Any

from repair_bench.suites.checks import CIRCUIT_CHECKS, Case
from repair_bench.suites.checks.distances import total_variation
from repair_bench.suites.checks.state import infidelity
from repair_bench.suites.checks.unitary import process_fidelity
from repair_bench.suites.conventions.circuit import Circuit
from repair_bench.suites.conventions.family import Choice, Constants, Family

MAX_NUMBER = 1_000
"""The largest integer argument that a model may ask about. With a larger argument, the circuit could become too
long."""


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """A choice of one option for every convention, and the correct answers under this choice.

    `choice`: one option per dimension, including specified dimensions. If several choices lead to the same answers,
    `choice` is the first of them. `circuits`, `answers`: one per call, in the order of the cases.
    """

    choice: Choice
    circuits: tuple[Circuit, ...]
    answers: tuple[Any, ...]

    def cases(self, calls: Sequence[tuple[Any, ...]]) -> tuple[Case, ...]:
        return tuple(Case(args, answer) for args, answer in zip(calls, self.answers, strict=True))


@dataclass(frozen=True, eq=False)
class Problem:
    """A family with its constants, which are drawn from a seed, and with a hidden choice of options. A task's correct
    answers follow the hidden choice.

    `every`: all hypotheses, one for each possible choice. `hidden`: the hidden choice; empty until `hiding` draws a
    choice.
    """

    family: Family
    constants: Constants
    calls: tuple[tuple[Any, ...], ...]
    every: tuple[Hypothesis, ...]
    hidden: Choice

    @classmethod
    def from_seed(cls, family: Family, seed: int) -> Problem:
        """Draw the family's constants and calls with `seed`, and return the resulting problem.

        Equal seeds give equal problems on every machine.
        """
        rng = Random(f"conventions {family.name} {seed}")  # noqa: S311 - not a secret
        constants = family.constants(rng)
        calls = tuple(family.cases(rng, constants))
        names = [dimension.name for dimension in family.dimensions]
        every = []
        for chosen in product(*(dimension.options for dimension in family.dimensions)):
            choice = dict(zip(names, chosen, strict=True))
            circuits = tuple(family.circuit(choice, constants, *args) for args in calls)
            every.append(Hypothesis(choice, circuits, tuple(getattr(circuit, family.kind)() for circuit in circuits)))
        return cls(family, constants, calls, tuple(every), {})

    def circuit(self, choice: Choice, args: Sequence[Any]) -> Circuit:
        """Return the correct circuit for a call with arguments that a model chose.

        If there is no correct circuit for these arguments, this method can raise any exception.
        """
        if any(isinstance(arg, int) and abs(arg) > MAX_NUMBER for arg in args):
            raise ValueError(f"a number above {MAX_NUMBER}")
        return self.family.circuit(choice, self.constants, *args)

    def hiding(self, rng: Random) -> Problem:
        """Return a copy of the problem in which the hidden choice is drawn at random. All options of a dimension are
        equally likely.
        """
        hidden = {dimension.name: rng.choice(list(dimension.options)) for dimension in self.family.dimensions}
        return replace(self, hidden=hidden)

    def hypotheses(self, opened: int) -> tuple[Hypothesis, ...]:
        """Return the distinct hypotheses if only the first `opened` dimensions are open. In the dimensions that are not
        open, every hypothesis has the option that `hidden` selects.
        """
        settled = {dimension.name: self.hidden[dimension.name] for dimension in self.family.dimensions[opened:]}
        merged: list[Hypothesis] = []
        for hypothesis in self.every:
            fits = all(hypothesis.choice[name] == option for name, option in settled.items())
            pairs = (zip(hypothesis.answers, other.answers, strict=True) for other in merged)
            if fits and not any(all(accepts(self.family.kind, a, b) for a, b in answers) for answers in pairs):
                merged.append(hypothesis)
        return tuple(merged)

    def opened(self, bits: int) -> int:
        """Return the number of dimensions that must be left unspecified to obtain at least 2^bits hypotheses.

        If the family has fewer than 2^bits hypotheses even with all dimensions unspecified, return the number of all
        dimensions.
        """
        maximum = len(self.family.dimensions)
        enough = (opened for opened in range(maximum) if math.log2(len(self.hypotheses(opened))) >= bits - 1e-9)
        return next(enough, maximum)


def separates(kind: str, answers: Sequence[Any]) -> bool:
    """Whether each possible answer to a call is accepted under at most one hypothesis. `answers`: the expected answer
    under each hypothesis.

    The expected answers under two hypotheses must differ by more than four times the tolerance. The tolerance is
    multiplied by four because some answers are compared by infidelity. Suppose that an answer has an infidelity of at
    most t with each of two expected states. By the triangle inequality for angles, the infidelity between the two
    expected states is then at most 4 t. If answers were compared only by total variation distance, a factor of two
    would be sufficient.
    """
    return not any(accepts(kind, one, other, margin=4) for one, other in combinations(answers, 2))


def accepts(kind: str, one: Any, other: Any, margin: float = 1) -> bool:
    """Whether the check for this kind of observation accepts the answer `one` when the expected answer is `other`.

    `margin`: a factor for the tolerance of the check.
    """
    tolerance = margin * CIRCUIT_CHECKS[kind].tolerance
    if kind == "distribution":
        return len(next(iter(one))) == len(next(iter(other))) and total_variation(one, other) <= tolerance
    if one.shape != other.shape:
        return False
    if kind == "state":
        return infidelity(one, other) <= tolerance
    return process_fidelity(one, other) >= 1 - tolerance
