"""What is known of each quantum framework, one file each; which programs it runs, and how, is not its business.

It imports no framework: what runs inside one is its adapter, a part of the guest (`repair_bench.executors.guest`).
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
"""Every framework by name."""

BUILT_IN = tuple(FRAMEWORKS)
"""The names of those that come with the package."""
USUAL = ("qiskit", "pennylane", "cirq")
"""What an experiment that names none is run in, and what the content hash of a suite of ours covers."""


def register(framework: Framework) -> None:
    """Add a framework. Raises ValueError where there is one of its name."""
    if framework.name in FRAMEWORKS:
        raise ValueError(f"there is a framework called {framework.name!r} already")
    FRAMEWORKS[framework.name] = framework


def available() -> tuple[str, ...]:
    """The names of all frameworks, those that other packages add included. Raises UsageError for one that is broken."""
    for name in plugins.names("frameworks"):
        if name in FRAMEWORKS:
            continue
        framework: Framework = plugins.load("frameworks", name)  # type: ignore[assignment]  # it has just been named
        if framework.name != name:
            added_by = plugins.package("frameworks", name)
            raise UsageError(f"the entry point {name!r} of {added_by} holds a framework called {framework.name!r}")
        register(framework)
    return tuple(FRAMEWORKS)


def check_name(name: str) -> None:
    """Raises UsageError for a framework that does not exist."""
    if not _exists(name):
        raise UsageError(f"no framework is called {name!r}: choose from {', '.join(FRAMEWORKS)}")


def _exists(name: str) -> bool:
    return name in FRAMEWORKS or name in available()


def _known(name: str) -> str:
    if not _exists(name):
        *others, last = map(repr, FRAMEWORKS)
        raise PydanticKnownError("literal_error", {"expected": f"{', '.join(others)} or {last}"})
    return name


FrameworkName = Annotated[str, AfterValidator(_known)]
"""The name of a framework, as a field of a pydantic model. It is checked when a value is read, so that a framework that
is added later is known."""

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
