"""Suites whose tasks depend on a secret seed: a run draws the seed and records it in the name of the suite."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Protocol, Self

SECRET_BITS = 48
"""The number of bits in the seed that a run draws."""


class Edition(Protocol):
    """The parameters of a suite, encoded in its name."""

    @classmethod
    def of(cls, name: str) -> Self: ...

    @property
    def name(self) -> str: ...

    @property
    def seed(self) -> int | None: ...

    def seeded(self, seed: int | None) -> Self:
        """Return the edition with another seed."""
        ...


def recorded_name(kind: type[Edition], name: str, recorded: Sequence[str] = ()) -> str:
    """Return the name under which a run records an edition, with a new secret seed if the name has no seed.

    `recorded`: the names that the run already contains. If `recorded` contains the same edition with a seed, the name
    from `recorded` is returned.
    """
    edition = kind.of(name)
    if edition.seed is not None:
        return edition.name
    family = name.partition("?")[0]
    others = [one for one in recorded if one.partition("?")[0] == family]
    same = [one for one in others if kind.of(one).seeded(None) == edition]
    return same[0] if same else edition.seeded(secrets.randbits(SECRET_BITS)).name
