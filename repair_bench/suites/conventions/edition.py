"""An edition of the suite: which families, how much is open, what the prompt says of it, and the seed; from its name.

`conventions` is the default edition. A name takes parameters: `conventions?bits=3&seed=7&families=fourier,adder`.
A name without a seed is that of the example that `suites show` prints. A run never asks it: it draws a secret seed and
records the name with that seed, so that everything that reads the record finds the same tasks.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from random import Random
from typing import Any, Self
from urllib.parse import parse_qsl

from repair_bench.suites.conventions import families
from repair_bench.suites.conventions.family import Family
from repair_bench.suites.conventions.hypotheses import Hypothesis, Problem
from repair_bench.traces.faults import UsageError

NAME = "conventions"
BITS = (0, 1, 2, 3, 4)
MAX_BITS = 8
SAY = ("listed", "named", "silent")
"""What is said of the open conventions: each with its options; what they are about; nothing."""
EXAMPLE = 20261122
"""The seed of a name that has none."""
SECRET_BITS = 48
"""Of a seed that a run draws."""
_READ: dict[str, Callable[[str], Any]] = {
    "bits": lambda text: tuple(sorted({int(part) for part in text.split(",")})),
    "say": str,
    "seed": int,
    "families": lambda text: tuple(sorted(set(text.split(",")))),
}
"""What the parameters of a name say."""


@dataclass(frozen=True)
class Edition:
    """`bits`: the levels, each about how many binary decisions are open. `families`: by name, in their order."""

    bits: tuple[int, ...] = BITS
    say: str = SAY[0]
    seed: int | None = None
    families: tuple[str, ...] = ()
    """Empty: all."""

    @classmethod
    def of(cls, name: str) -> Self:
        """The edition of a suite's name. Raises UsageError for a parameter that it does not have."""
        _, _, text = name.partition("?")
        usage = f"'{name}': write conventions?bits=0,2&say=listed&seed=1&families=fourier,adder, or only some of these"
        try:
            given = parse_qsl(text, strict_parsing=True, keep_blank_values=True) if text else []
            edition = cls(**{key: _READ[key](value) for key, value in given})
        except (ValueError, KeyError):
            raise UsageError(usage) from None
        if len(dict(given)) != len(given):
            raise UsageError(usage)
        known = tuple(every_family())
        if not set(edition.bits) <= set(range(MAX_BITS + 1)):
            raise UsageError(f"'{name}': bits are whole numbers from 0 to {MAX_BITS}")
        if edition.say not in SAY:
            raise UsageError(f"'{name}': say is one of {', '.join(SAY)}")
        if edition.seed is not None and edition.seed < 0:
            raise UsageError(f"'{name}': a seed is a whole number from 0")
        if strangers := sorted(set(edition.families) - set(known)):
            raise UsageError(f"'{name}': no family is called {strangers[0]!r}: choose from {', '.join(known)}")
        return edition

    @property
    def name(self) -> str:
        """The suite's name with what differs from the default edition, always written alike."""
        parts = [
            f"bits={','.join(map(str, self.bits))}" if self.bits != BITS else "",
            f"say={self.say}" if self.say != SAY[0] else "",
            f"seed={self.seed}" if self.seed is not None else "",
            f"families={','.join(self.families)}" if self.families else "",
        ]
        told = "&".join(part for part in parts if part)
        return f"{NAME}?{told}" if told else NAME

    @property
    def drawn_by(self) -> int:
        return EXAMPLE if self.seed is None else self.seed

    def problems(self) -> list[Problem]:
        chosen = [name for name in every_family() if not self.families or name in self.families]
        return [problem(name, self.drawn_by) for name in chosen]


@dataclass(frozen=True, eq=False)
class Level:
    """A problem with some of its dimensions open: what one task asks, in one framework.

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
    return Problem.drawn(every_family()[family], seed)


@cache
def level(family: str, seed: int, bits: int, framework: str) -> Level:
    """Return a problem with about `bits` binary decisions open.

    Every level and framework draws a choice of its own, so that none states what another one hides. The true hypothesis
    is as likely as any other.
    """
    rng = Random(f"conventions {family} {bits} {framework} {seed}")  # noqa: S311 - the secret is the seed
    drawn = problem(family, seed).hiding(rng)
    opened = drawn.opened(bits)
    hypotheses = drawn.hypotheses(opened)
    truth = rng.randrange(len(hypotheses))
    return Level(replace(drawn, hidden=hypotheses[truth].choice), bits, opened, hypotheses, truth)


def levels(edition: Edition, framework: str) -> Sequence[Level]:
    """Return all problems at all levels of an edition in a framework, in the order of their task ids."""
    return [
        level(drawn.family.name, edition.drawn_by, bits, framework)
        for drawn in edition.problems()
        for bits in edition.bits
    ]


def level_of(suite: str, task_id: str, framework: str) -> Level | None:
    """Return what a recorded task asked, by its names; None for a task of another suite."""
    if suite.partition("?")[0] != NAME:
        return None
    family, _, bits = task_id.rpartition("-")
    return level(family, Edition.of(suite).drawn_by, int(bits), framework)


def recorded_name(name: str, recorded: Sequence[str] = ()) -> str:
    """Return the name under which a run records an edition: with a fresh secret seed where none is fixed.

    `recorded`: names that a run has already; the one that a name became stays.
    """
    edition = Edition.of(name)
    if edition.seed is not None:
        return edition.name
    same = [one for one in recorded if one.partition("?")[0] == NAME and replace(Edition.of(one), seed=None) == edition]
    return same[0] if same else replace(edition, seed=secrets.randbits(SECRET_BITS)).name
