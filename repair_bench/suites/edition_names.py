"""Names of editions, such as `horizon?sizes=8&seed=7`.

The name of an edition states the parameters of a suite. The parameters determine the suite's tasks. If the user's name
for a suite contains no seed, the run draws a random seed and records the name with this seed.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, Protocol, Self
from urllib.parse import parse_qsl

from repair_bench.traces.faults import UsageError

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
        """Return a copy of this edition with the given seed, or without a seed."""
        ...


def parameters(name: str, parsers: Mapping[str, Callable[[str], Any]], example: str) -> dict[str, Any]:
    """Return the parsed parameters in a suite's name.

    Raises UsageError for an unknown or repeated parameter, and for a value that cannot be parsed. The error message
    shows `example`, a valid suite name.
    """
    _, _, text = name.partition("?")
    usage = UsageError(f"'{name}': write {example}; every parameter is optional")
    try:
        given = parse_qsl(text, strict_parsing=True, keep_blank_values=True) if text else []
        read = {key: parsers[key](value) for key, value in given}
    except (ValueError, KeyError):
        raise usage from None
    if len(read) != len(given):
        raise usage
    return read


def check(name: str, chosen: Sequence[str], known: Sequence[str], seed: int | None) -> None:
    """Raise UsageError if a family is unknown or the seed is negative."""
    if strangers := sorted(set(chosen) - set(known)):
        raise UsageError(f"'{name}': there is no family named {strangers[0]!r}: choose from {', '.join(known)}")
    if seed is not None and seed < 0:
        raise UsageError(f"'{name}': the seed must be a nonnegative whole number")


def families_in(package: ModuleType) -> dict[str, Any]:
    """Return the families by name: one per module in a package."""
    found = sorted(module.name for module in iter_modules(package.__path__))
    return {name: import_module(f"{package.__name__}.{name}").FAMILY for name in found}


def recorded_name(kind: type[Edition], name: str, recorded: Sequence[str] = ()) -> str:
    """Return the suite name that a run records. If `name` has no seed, a new random seed is added.

    `recorded`: the names that the run already contains. If a recorded name differs from `name` only by its seed, the
    recorded name is returned.
    """
    edition = kind.of(name)
    if edition.seed is not None:
        return edition.name
    family = name.partition("?")[0]
    others = [one for one in recorded if one.partition("?")[0] == family]
    same = [one for one in others if kind.of(one).seeded(None) == edition]
    return same[0] if same else edition.seeded(secrets.randbits(SECRET_BITS)).name
