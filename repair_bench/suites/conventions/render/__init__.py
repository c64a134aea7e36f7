"""Render circuits as source code, with the idioms and the qubit order of each framework.

Each framework has a module with `program(family, calls) -> str`, and an entry in `RENDERERS`. The source code is used
only as a reference solution, which is executed and judged like any answer.
"""

from repair_bench.suites.conventions.render import cirq, openqasm3, pennylane, qiskit

RENDERERS = {
    "qiskit": qiskit.program,
    "pennylane": pennylane.program,
    "cirq": cirq.program,
    "openqasm3": openqasm3.program,
}
