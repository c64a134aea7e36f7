"""Running untrusted code: warm fork servers, one for each framework. Whether a program is right is not their business.

Names are loaded when they are first used: importing the package starts nothing and imports nothing heavy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from repair_bench.executors.local import LocalExecutor
    from repair_bench.executors.program import Call, Executor, Limits, Observe, Program, Script, UnitTest

_HOME = {
    "LocalExecutor": "local",
    "Call": "program",
    "Executor": "program",
    "Limits": "program",
    "Observe": "program",
    "Program": "program",
    "Script": "program",
    "UnitTest": "program",
}

__all__ = ["Call", "Executor", "Limits", "LocalExecutor", "Observe", "Program", "Script", "UnitTest"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
