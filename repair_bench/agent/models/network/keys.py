"""Checks of the models' keys, before anything is requested or written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, runtime_checkable

from repair_bench.traces.faults import UsageError


@runtime_checkable
class Keyed(Protocol):
    name: str

    def needed_keys(self) -> list[str]:
        """Return the required environment variables that contain no key."""
        ...


def check_keys(models: Iterable[object]) -> None:
    """Raise UsageError, one line, with every missing key and the models that need it."""
    check_none_missing({model.name: model.needed_keys() for model in models if isinstance(model, Keyed)})


def check_none_missing(keys: Mapping[str, Iterable[str]]) -> None:
    """Raise UsageError as `check_keys` does. `keys`: the missing keys by model."""
    missing: dict[str, list[str]] = {}
    for name, variables in keys.items():
        for variable in variables:
            missing.setdefault(variable, []).append(name)
    if missing:
        needs = [f"{' and '.join(names)} needs {variable}" for variable, names in missing.items()]
        where = "to a non-empty value in the environment or in .env"
        raise UsageError(f"{', '.join(needs)}: set {'it' if len(missing) == 1 else 'them'} {where}")
