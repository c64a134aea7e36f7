"""repair-bench: measure how well language models repair their own quantum programs.

    import repair_bench

    run = repair_bench.run({"models": "sim/expert", "limit": 3}, out="runs/first")
    print(run.frame().groupby("framework").verdict.value_counts())

Modules are imported on first access.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from repair_bench._version import __version__ as __version__
    from repair_bench.agent.experiment.file import Experiment
    from repair_bench.agent.models.base import Model, Request
    from repair_bench.api import LoadedRun, grade, load, run
    from repair_bench.suites.task import Check, Suite, Task
    from repair_bench.traces.faults import Fault, UsageError
    from repair_bench.traces.record.records import Completion

_MODULES = {
    "Check": "suites.task",
    "Completion": "traces.record.records",
    "Experiment": "agent.experiment.file",
    "Fault": "traces.faults",
    "LoadedRun": "api",
    "Model": "agent.models.base",
    "Request": "agent.models.base",
    "Suite": "suites.task",
    "Task": "suites.task",
    "UsageError": "traces.faults",
    "__version__": "_version",
    "grade": "api",
    "load": "api",
    "run": "api",
}
"""The module in which each public name is defined."""

__all__ = [
    "Check",
    "Completion",
    "Experiment",
    "Fault",
    "LoadedRun",
    "Model",
    "Request",
    "Suite",
    "Task",
    "UsageError",
    "grade",
    "load",
    "run",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    """Return the public names, for tab completion."""
    return ["__version__", *__all__]
