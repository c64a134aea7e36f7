"""Editions of the suite. An edition has families, levels, a wording and a seed, which the suite's name encodes.

`conventions` is the default edition. A name can have parameters: `conventions?bits=3&seed=7&families=fourier,adder`.
`conventions?stages=2` is the default edition with pipelines, which are families with two stages. A suite name without a
seed stands for the example edition, which `suites show` prints. A run draws a seed that models never see. The run
records the suite's name with this seed, so that every reader of the record loads the same tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any, Self

from repair_bench.suites import edition_names
from repair_bench.suites.conventions import families
from repair_bench.suites.conventions.family import Family
from repair_bench.suites.conventions.hypotheses import Hypothesis, Problem
from repair_bench.traces.faults import UsageError

NAME = "conventions"
BITS = (0, 1, 2, 3, 4)
DEFAULT_BITS = {1: BITS, 2: (4,)}
"""The default value of `bits` for each number of stages. For pipelines, the advantage of the optimal policy grows with
the level."""
MAX_BITS = 8
SAY = ("listed", "named", "silent")
"""The ways in which a prompt can describe unspecified conventions: with all options, only by topic, or not at all."""
EXAMPLE = 20261122
"""The seed of an edition whose name contains no seed."""
_READ: dict[str, Callable[[str], Any]] = {
    "bits": lambda text: tuple(sorted({int(part) for part in text.split(",")})),
    "say": str,
    "seed": int,
    "families": lambda text: tuple(sorted(set(text.split(",")))),
    "stages": {"1": 1, "2": 2}.__getitem__,
}
"""Parsers for the parameters in the name of an edition."""


@dataclass(frozen=True)
class Edition:
    """The parameters of an edition.

    `bits`: the approximate numbers of binary decisions that the prompts of the edition leave unspecified. Each of these
    numbers is called a level.
    """

    bits: tuple[int, ...] = BITS
    say: str = SAY[0]
    seed: int | None = None
    families: tuple[str, ...] = ()
    """The sorted names of the families. If the tuple is empty, the edition contains all families that have `stages`
    stages."""
    stages: int = 1

    @classmethod
    def of(cls, name: str) -> Self:
        """Parse a suite's name. Raise UsageError for an invalid parameter."""
        example = "conventions?bits=0,2&say=listed&seed=1&families=fourier,adder&stages=1"
        read = edition_names.parameters(name, _READ, example)
        edition = cls(**{"bits": DEFAULT_BITS[read.get("stages", 1)], **read})
        known = tuple(name for name, family in every_family().items() if family.stages == edition.stages)
        if not set(edition.bits) <= set(range(MAX_BITS + 1)):
            raise UsageError(f"'{name}': bits must be whole numbers from 0 to {MAX_BITS}")
        if edition.say not in SAY:
            raise UsageError(f"'{name}': the parameter `say` must be one of {', '.join(SAY)}")
        edition_names.check(name, edition.families, known, edition.seed)
        return edition

    @property
    def name(self) -> str:
        """The canonical name of the edition, which contains the non-default parameters."""
        parts = [
            f"bits={','.join(map(str, self.bits))}" if self.bits != DEFAULT_BITS[self.stages] else "",
            f"say={self.say}" if self.say != SAY[0] else "",
            f"seed={self.seed}" if self.seed is not None else "",
            f"families={','.join(self.families)}" if self.families else "",
            f"stages={self.stages}" if self.stages != 1 else "",
        ]
        parameters = "&".join(part for part in parts if part)
        return f"{NAME}?{parameters}" if parameters else NAME

    @property
    def effective_seed(self) -> int:
        return EXAMPLE if self.seed is None else self.seed

    def seeded(self, seed: int | None) -> Self:
        return replace(self, seed=seed)

    def problems(self) -> list[Problem]:
        chosen = self.families or [name for name, family in every_family().items() if family.stages == self.stages]
        return [problem(name, self.effective_seed) for name in chosen]


@dataclass(frozen=True, eq=False)
class Level:
    """A problem in one framework, with a given number of unspecified decisions.

    `opened`: the number of unspecified dimensions. `hypotheses`: the hypotheses, whose answers all differ. `truth`: the
    index of the true hypothesis.
    """

    problem: Problem
    bits: int
    opened: int
    hypotheses: tuple[Hypothesis, ...]
    truth: int

    @property
    def names(self) -> tuple[str, ...]:
        """A label per hypothesis, with the options in the unspecified dimensions, such as `sign plus, input last`."""
        opened = self.problem.family.dimensions[: self.opened]
        return tuple(", ".join(f"{d.name} {h.choice[d.name]}" for d in opened) for h in self.hypotheses)

    @property
    def task_id(self) -> str:
        """The family and the requested number of bits, such as `fourier-3`."""
        return f"{self.problem.family.name}-{self.bits}"


@cache
def every_family() -> dict[str, Family]:
    return edition_names.families_in(families)


@cache
def problem(family: str, seed: int) -> Problem:
    return Problem.from_seed(every_family()[family], seed)


@cache
def level(family: str, seed: int, bits: int, framework: str) -> Level:
    """Return a version of the family's problem that leaves approximately `bits` binary decisions unspecified.

    The hidden options are drawn independently for each level and framework, so that no prompt reveals an option that
    another prompt hides. All hypotheses are equally likely to be true.
    """
    rng = Random(f"conventions {family} {bits} {framework} {seed}")  # noqa: S311 - only the seed is secret
    hiding = problem(family, seed).hiding(rng)
    opened = hiding.opened(bits)
    hypotheses = hiding.hypotheses(opened)
    truth = rng.randrange(len(hypotheses))
    return Level(replace(hiding, hidden=hypotheses[truth].choice), bits, opened, hypotheses, truth)


def levels(edition: Edition, framework: str) -> Sequence[Level]:
    """Return the levels of all problems in an edition, for one framework, ordered by task ID."""
    return [
        level(problem.family.name, edition.effective_seed, bits, framework)
        for problem in edition.problems()
        for bits in edition.bits
    ]


def level_of(suite: str, task_id: str, framework: str) -> Level | None:
    """Return the `Level` of a recorded task, or None for a task from another suite."""
    if suite.partition("?")[0] != NAME:
        return None
    family, _, bits = task_id.rpartition("-")
    return level(family, Edition.of(suite).effective_seed, int(bits), framework)
