"""An edition of the suite: which families, how much is open, what the prompt says of it, and the seed; from its name.

`conventions` is the default edition. A name takes parameters: `conventions?bits=3&seed=7&families=fourier,adder`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Self
from urllib.parse import parse_qsl

from repair_bench.suites.conventions import families
from repair_bench.suites.conventions.family import Family
from repair_bench.suites.conventions.hypotheses import Hypothesis, Problem
from repair_bench.suites.conventions.wording import SAY
from repair_bench.traces.faults import UsageError

NAME = "conventions"
BITS = (0, 1, 2, 3, 4)
MOST_BITS = 8
SEED = 20261122


@dataclass(frozen=True)
class Edition:
    """`bits`: the levels, each about how many binary decisions are open. `families`: by name, in their order."""

    bits: tuple[int, ...] = BITS
    say: str = SAY[0]
    seed: int = SEED
    families: tuple[str, ...] = ()
    """Empty: all."""

    @classmethod
    def of(cls, name: str) -> Self:
        """The edition of a suite's name. Raises UsageError for a parameter that it does not have."""
        _, _, text = name.partition("?")
        usage = f"'{name}': write conventions?bits=0,2&say=listed&seed=1&families=fourier,adder, or only some of these"
        try:
            given = parse_qsl(text, strict_parsing=True, keep_blank_values=True) if text else []
            values = dict(given)
            bits = tuple(sorted({int(part) for part in values["bits"].split(",")})) if "bits" in values else BITS
            chosen = tuple(sorted(set(values["families"].split(",")))) if "families" in values else ()
            edition = cls(bits, values.get("say", SAY[0]), int(values.get("seed", SEED)), chosen)
        except ValueError:
            raise UsageError(usage) from None
        if len(values) != len(given) or set(values) - {"bits", "say", "seed", "families"}:
            raise UsageError(usage)
        known = tuple(every_family())
        if not set(bits) <= set(range(MOST_BITS + 1)):
            raise UsageError(f"'{name}': bits are whole numbers from 0 to {MOST_BITS}")
        if edition.say not in SAY:
            raise UsageError(f"'{name}': say is one of {', '.join(SAY)}")
        if edition.seed < 0:
            raise UsageError(f"'{name}': a seed is a whole number from 0")
        if strangers := sorted(set(chosen) - set(known)):
            raise UsageError(f"'{name}': no family is called {strangers[0]!r}: choose from {', '.join(known)}")
        return edition

    @property
    def name(self) -> str:
        """The suite's name with what differs from the default edition, always written alike."""
        parts = [
            f"bits={','.join(map(str, self.bits))}" if self.bits != BITS else "",
            f"say={self.say}" if self.say != SAY[0] else "",
            f"seed={self.seed}" if self.seed != SEED else "",
            f"families={','.join(self.families)}" if self.families else "",
        ]
        told = "&".join(part for part in parts if part)
        return f"{NAME}?{told}" if told else NAME

    def problems(self) -> list[Problem]:
        """The problems of its families, in the order of their names."""
        return [problem(name, self.seed) for name in every_family() if not self.families or name in self.families]


@dataclass(frozen=True, eq=False)
class Level:
    """A problem with some of its dimensions open: what one task asks, whatever the framework.

    `hypotheses`: with different answers; `truth`: the number of the true one among them.
    """

    problem: Problem
    bits: int
    opened: int
    hypotheses: tuple[Hypothesis, ...]
    truth: int

    @property
    def names(self) -> tuple[str, ...]:
        """What each hypothesis says of the dimensions that are open: `sign plus, input last`."""
        opened = self.problem.family.dimensions[: self.opened]
        return tuple(", ".join(f"{d.name} {h.choice[d.name]}" for d in opened) for h in self.hypotheses)

    @property
    def task_id(self) -> str:
        """`fourier-3`: the family and how many bits were asked for."""
        return f"{self.problem.family.name}-{self.bits}"


@cache
def every_family() -> dict[str, Family]:
    """The families by name: each module in `families`."""
    found = sorted(module.name for module in iter_modules(families.__path__))
    return {name: import_module(f"{families.__name__}.{name}").FAMILY for name in found}


@cache
def problem(family: str, seed: int) -> Problem:
    """The problem of a family in the edition of a seed."""
    return Problem.drawn(every_family()[family], seed)


@cache
def level(family: str, seed: int, bits: int) -> Level:
    """A problem with about so many bits open."""
    drawn = problem(family, seed)
    opened = drawn.opened(bits)
    hypotheses = drawn.hypotheses(opened)
    return Level(drawn, bits, opened, hypotheses, hypotheses.index(drawn.true_one(hypotheses)))


def levels(edition: Edition) -> Sequence[Level]:
    """All problems at all levels of an edition, in the order of their task ids."""
    return [level(drawn.family.name, edition.seed, bits) for drawn in edition.problems() for bits in edition.bits]


def level_of(suite: str, task_id: str) -> Level | None:
    """What a recorded task asked: by its suite's name and its id; None where it is of another suite."""
    if suite.partition("?")[0] != NAME:
        return None
    family, _, bits = task_id.rpartition("-")
    return level(family, Edition.of(suite).seed, int(bits))
