"""The scripts in benchmarks/, for tests that run small versions of them."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"


def benchmark(name: str) -> ModuleType:
    """Import a script as a module, without running it."""
    known = f"{name}_benchmark"
    if known not in sys.modules:
        spec = importlib.util.spec_from_file_location(known, FOLDER / f"{name}.py")
        sys.modules[known] = importlib.util.module_from_spec(spec)  # dataclasses look their module up
        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(FOLDER)  # scripts import each other
            spec.loader.exec_module(sys.modules[known])
    return sys.modules[known]
