"""Descriptions of the quantum frameworks, with one file per framework.

This package neither imports frameworks nor runs programs: the guest adapters do both (`repair_bench.executors.guest`).
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator
from pydantic_core import PydanticKnownError

from repair_bench import plugins
from repair_bench.frameworks import cirq, openqasm3, pennylane, qiskit
from repair_bench.frameworks.base import PYTHON, Framework, Language, Mistakes, TrivialBaselines
from repair_bench.frameworks.parsed_program import ParsedProgram
from repair_bench.traces.faults import UsageError

FRAMEWORKS: dict[str, Framework] = {
    framework.name: framework
    for framework in (qiskit.FRAMEWORK, pennylane.FRAMEWORK, cirq.FRAMEWORK, openqasm3.FRAMEWORK)
}
BUILT_IN = tuple(FRAMEWORKS)
"""The names of the frameworks that come with the package."""
USUAL = ("qiskit", "pennylane", "cirq")
"""The default frameworks of an experiment. The content hash of a built-in suite covers only the tasks for the
frameworks in `USUAL`."""


def register(framework: Framework) -> None:
    """Add a framework. Raises ValueError if a framework with this name already exists."""
    if framework.name in FRAMEWORKS:
        raise ValueError(f"a framework named {framework.name!r} already exists")
    FRAMEWORKS[framework.name] = framework


def available() -> tuple[str, ...]:
    """Return the names of all frameworks, including plug-ins. Raises UsageError if a plug-in is broken."""
    for name in plugins.names("frameworks"):
        if name in FRAMEWORKS:
            continue
        framework: Framework = plugins.load("frameworks", name)  # type: ignore[assignment]  # just listed
        if framework.name != name:
            added_by = plugins.package("frameworks", name)
            raise UsageError(
                f"the entry point {name!r} of {added_by} points to a framework with another name, {framework.name!r}"
            )
        register(framework)
    return tuple(FRAMEWORKS)


def check_name(name: str) -> None:
    """Raise UsageError if there is no framework with this name."""
    if not _exists(name):
        raise UsageError(f"there is no framework named {name!r}: choose from {', '.join(FRAMEWORKS)}")


def _exists(name: str) -> bool:
    return name in FRAMEWORKS or name in available()


def _known(name: str) -> str:
    if not _exists(name):
        *others, last = map(repr, FRAMEWORKS)
        raise PydanticKnownError("literal_error", {"expected": f"{', '.join(others)} or {last}"})
    return name


FrameworkName = Annotated[str, AfterValidator(_known)]
"""A pydantic field for a framework's name. A name is checked only when a value is validated, so frameworks can be added
after this type is defined."""

__all__ = [
    "BUILT_IN",
    "FRAMEWORKS",
    "PYTHON",
    "USUAL",
    "Framework",
    "FrameworkName",
    "Language",
    "Mistakes",
    "ParsedProgram",
    "TrivialBaselines",
    "available",
    "check_name",
    "register",
]
