"""Plug-ins: models, suites, feedback policies, frameworks and plots from other packages.

A package declares a plug-in as an entry point:

    [project.entry-points."repair_bench.feedback"]
    name-only = "my_package.name_only"

Plug-ins are only used for names that are not built in, so that no package can replace a built-in part.
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
"""The kinds of plug-ins; their entry points are in the group `repair_bench.<kind>`."""

_NEEDED: dict[Kind, tuple[str, ...]] = {
    "models": ("create",),
    "suites": ("load",),
    "feedback": ("feedback",),
    "frameworks": ("name", "adapters"),
    "plots": ("__call__",),
}
"""The required attributes of a plug-in."""


def names(kind: Kind) -> list[str]:
    """Return the sorted names of plug-ins, without importing them."""
    return sorted({entry.name for entry in _entries(kind)})


def package(kind: Kind, name: str) -> str:
    """Return the name and version of a plug-in's package, such as `quantum-extras 1.2`."""
    entry = next(entry for entry in _entries(kind) if entry.name == name)
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else entry.value


def versions(kind: Kind, used: Iterable[str]) -> dict[str, str]:
    """Return the version of each package that provides a `used` plug-in, without importing the packages."""
    chosen = set(used)
    packages = (entry.dist for entry in _entries(kind) if entry.name in chosen)
    return {package.name: package.version for package in packages if package is not None}


def load(kind: Kind, name: str) -> Any | None:
    """Load a plug-in. Return None if no plug-in has this name.

    Raises:
        UsageError: Two packages register the name, the import fails, or a required attribute is missing.

    """
    entries = [entry for entry in _entries(kind) if entry.name == name]
    if not entries:
        return None
    where = f"the plug-in {name!r} in the entry-point group repair_bench.{kind}"
    if len(entries) > 1:
        values = " and ".join(sorted(entry.value for entry in entries))
        raise UsageError(f"{where} is ambiguous ({values}): remove one of the packages")
    where += f" of {package(kind, name)}"
    try:
        loaded = entries[0].load()
    except Exception as error:  # another package's code may raise anything
        reason = " ".join(str(error).split())
        raise UsageError(f"{where} cannot be imported: {type(error).__name__}: {reason}") from error
    if missing := lacks(kind, loaded):
        raise UsageError(f"{where} lacks the required attribute {missing}: fix {entries[0].value}")
    return loaded


def lacks(kind: Kind, added: object) -> str | None:
    """Return the first required attribute that an object lacks, or None."""
    return next((attribute for attribute in _NEEDED[kind] if not hasattr(added, attribute)), None)


def _entries(kind: Kind) -> tuple[EntryPoint, ...]:
    return _installed(f"repair_bench.{kind}", tuple(sys.path))


@lru_cache(maxsize=32)
def _installed(group: str, path: tuple[str, ...]) -> tuple[EntryPoint, ...]:  # noqa: ARG001 - only a cache key
    """Return the entry points of a group, cached until `sys.path` changes."""
    from importlib.metadata import entry_points

    return tuple(entry_points(group=group))
