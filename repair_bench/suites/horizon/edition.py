"""An edition of the suite: its parameters, such as families, sizes and seed, which are encoded in the suite's name.

`horizon` is the default edition. A name can have parameters: `horizon?families=parity&sizes=8,10&slack=1.25&seed=7`. If
a name contains no seed, a run draws a seed and records the name with this seed (`suites.edition_names`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cache
from random import Random
from typing import Any, Self

from repair_bench.suites import edition_names
from repair_bench.suites.horizon import families
from repair_bench.suites.horizon.family import Family, Instance
from repair_bench.traces.faults import UsageError

NAME = "horizon"
SIZES = (6, 8, 10, 12, 14, 16, 18)
SMALLEST, LARGEST = 4, 24
MAX_INSTANCES = 100
EXAMPLE = 20261122
"""The seed of an edition whose name contains no seed."""
_ROUNDING = 1e-9
_READ: dict[str, Callable[[str], Any]] = {
    "families": lambda text: tuple(sorted(set(text.split(",")))),
    "sizes": lambda text: tuple(sorted({int(part) for part in text.split(",")})),
    "slack": float,
    "instances": int,
    "seconds": float,
    "seed": int,
}
"""Parsers for the parameters in the name of an edition."""


@dataclass(frozen=True)
class Edition:
    """The parameters of an edition.

    `families`: sorted names; empty for all families. `slack`: the budget divided by the cost of an instance's hidden
    circuit. `instances`: the number of visible instances per task, which is also the number of hidden instances.
    `seconds`: the limit per instance, in normalised CPU seconds.
    """

    families: tuple[str, ...] = ()
    sizes: tuple[int, ...] = SIZES
    slack: float = 1.25
    instances: int = 10
    seconds: float = 2.0
    seed: int | None = None

    @classmethod
    def of(cls, name: str) -> Self:
        """Parse a suite's name. Raise UsageError for an invalid parameter."""
        example = "horizon?families=parity,tcount&sizes=8,10&slack=1.25&seed=1"
        edition = cls(**edition_names.parameters(name, _READ, example))
        edition_names.check(name, edition.families, tuple(every_family()), edition.seed)
        if not all(SMALLEST <= size <= LARGEST for size in edition.sizes):
            raise UsageError(f"'{name}': sizes must be whole numbers from {SMALLEST} to {LARGEST}")
        if not 1 <= edition.slack < math.inf:
            raise UsageError(f"'{name}': the slack must be finite and at least 1")
        if not 1 <= edition.instances <= MAX_INSTANCES:
            raise UsageError(f"'{name}': the number of instances must be from 1 to {MAX_INSTANCES}")
        if not 0 < edition.seconds < math.inf:
            raise UsageError(f"'{name}': seconds must be a positive number")
        return edition

    @property
    def name(self) -> str:
        """The canonical name of the edition, which contains the non-default parameters."""
        parts = [
            f"{field.name}={_written(value)}"
            for field in fields(self)
            if (value := getattr(self, field.name)) != field.default
        ]
        return f"{NAME}?{'&'.join(parts)}" if parts else NAME

    @property
    def effective_seed(self) -> int:
        return EXAMPLE if self.seed is None else self.seed

    def seeded(self, seed: int | None) -> Self:
        return replace(self, seed=seed)

    def chosen(self) -> list[Family]:
        return [family for name, family in every_family().items() if not self.families or name in self.families]

    def instances_of(self, family: Family, size: int) -> tuple[Instance, ...]:
        """Return the visible instances, then the hidden ones; they are the same in every framework."""
        return drawn(family.name, size, self.effective_seed, 2 * self.instances)

    def budget(self, planted: int) -> int:
        """Return the budget of an instance whose hidden circuit costs `planted`."""
        return math.floor(self.slack * planted + _ROUNDING)


def _written(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value).removesuffix(".0")


@cache
def every_family() -> dict[str, Family]:
    return edition_names.families_in(families)


@cache
def drawn(family: str, size: int, seed: int, count: int) -> tuple[Instance, ...]:
    rng = Random(f"horizon {family} {size} {seed}")  # noqa: S311 - only the seed is secret
    return tuple(every_family()[family].draw(size, rng) for _ in range(count))
