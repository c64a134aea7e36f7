"""The same circuit as source text in each framework, in its own idiom and order.

A framework is a module with `program(family, calls) -> str`, one line in `RENDERERS`. The source is a reference
solution: it is executed and judged like any answer, and nothing else depends on it.
"""

from repair_bench.suites.conventions.render import cirq, openqasm3, pennylane, qiskit

RENDERERS = {
    "qiskit": qiskit.program,
    "pennylane": pennylane.program,
    "cirq": cirq.program,
    "openqasm3": openqasm3.program,
}
