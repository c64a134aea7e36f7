"""What other packages add by name: models, suites, feedback policies, frameworks and plots.

A package declares it as an entry point, and it is there as soon as the package is installed:

    [project.entry-points."repair_bench.feedback"]
    name-only = "my_package.name_only"

The tables of names ask here for a name that they do not hold, so that no package can replace a part of ours.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from repair_bench.traces.faults import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Kind = Literal["models", "suites", "feedback", "frameworks", "plots"]
"""What can be added; the group of its entry points is `repair_bench.<kind>`."""

_NEEDED: dict[Kind, tuple[str, ...]] = {
    "models": ("create",),
    "suites": ("load",),
    "feedback": ("feedback",),
    "frameworks": ("name", "adapters"),
    "plots": ("__call__",),
}
"""What the object behind an entry point must have."""


def names(kind: Kind) -> list[str]:
    """The names that other packages add, sorted. Nothing of these packages is imported."""
    return sorted({entry.name for entry in _entries(kind)})


def package(kind: Kind, name: str) -> str:
    """The package that adds this name, with its version, as in `quantum-extras 1.2`."""
    entry = next(entry for entry in _entries(kind) if entry.name == name)
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else entry.value


def versions(kind: Kind, used: Iterable[str]) -> dict[str, str]:
    """The versions of the packages that add some of these names, by package. Nothing of them is imported."""
    chosen = set(used)
    packages = (entry.dist for entry in _entries(kind) if entry.name in chosen)
    return {package.name: package.version for package in packages if package is not None}


def load(kind: Kind, name: str) -> Any | None:
    """The object of that name; None where no package adds it.

    Raises UsageError, one line, for a name that two packages add, an object that cannot be imported, and one that lacks
    what its kind must have.
    """
    entries = [entry for entry in _entries(kind) if entry.name == name]
    if not entries:
        return None
    where = f"{name!r} in the entry points repair_bench.{kind}"
    if len(entries) > 1:
        values = " and ".join(sorted(entry.value for entry in entries))
        raise UsageError(f"{where} is ambiguous: {values}; remove one of the packages")
    where += f" of {package(kind, name)}"
    try:
        loaded = entries[0].load()
    except Exception as error:  # another package's code may raise anything
        reason = " ".join(str(error).split())
        raise UsageError(f"{where} cannot be imported: {type(error).__name__}: {reason}") from error
    if missing := lacks(kind, loaded):
        raise UsageError(f"{where} has no {missing}: {entries[0].value} is not what {kind} are made of")
    return loaded


def lacks(kind: Kind, added: object) -> str | None:
    """The first attribute that an object must have to be of its kind, and has not; None when it has all."""
    return next((attribute for attribute in _NEEDED[kind] if not hasattr(added, attribute)), None)


def _entries(kind: Kind) -> tuple[EntryPoint, ...]:
    return _installed(f"repair_bench.{kind}", tuple(sys.path))


@lru_cache(maxsize=32)
def _installed(group: str, path: tuple[str, ...]) -> tuple[EntryPoint, ...]:  # noqa: ARG001 - where it is looked for
    """Looking through all packages takes some ten milliseconds; a folder that joins `sys.path` is looked at anew."""
    from importlib.metadata import entry_points

    return tuple(entry_points(group=group))
