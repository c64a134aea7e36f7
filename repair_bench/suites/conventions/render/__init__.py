"""The same circuit as source text in each framework, in its own idiom and order.

A framework is a module with `call(circuits, family) -> str`, one line in `RENDERERS`. The source is a reference
solution: it is executed and judged like any answer, and nothing else depends on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from repair_bench.suites.conventions.circuit import Circuit
from repair_bench.suites.conventions.family import Family

RENDERERS = {
    "qiskit": "repair_bench.suites.conventions.render.qiskit",
    "pennylane": "repair_bench.suites.conventions.render.pennylane",
    "cirq": "repair_bench.suites.conventions.render.cirq",
    "openqasm3": "repair_bench.suites.conventions.render.openqasm3",
}


def reference(family: Family, framework: str, calls: Sequence[tuple[tuple[Any, ...], Circuit]]) -> str:
    """A program in that framework that answers each call with its circuit."""
    source: str = import_module(RENDERERS[framework]).program(family, calls)
    return source
