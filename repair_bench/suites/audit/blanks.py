"""Programs without an idea: the empty one, a Hadamard gate on each qubit, and one that returns nothing.

A check that lets one of them pass says little about the answers that it lets pass.
"""

from __future__ import annotations

from repair_bench.suites.checks import CircuitCheck, DistributionCheck, UnitTestCheck
from repair_bench.suites.task import Task

BLANKS = ("empty", "hadamards", "nothing")
"""Their names."""

_QISKIT = """
from qiskit import QuantumCircuit


def {entry_point}(*args, **kwargs):
    circuit = QuantumCircuit({size})
    {gates}
    {end}
    return circuit
"""

_CIRQ = """
import cirq


def {entry_point}(*args, **kwargs):
    qubits = cirq.LineQubit.range({size})
    return cirq.Circuit({gates}{end})
"""

_PENNYLANE = """
import pennylane as qml


def {entry_point}(*args, **kwargs):
    @qml.qnode(qml.device("default.qubit", wires={size}))
    def circuit():
        {gates}
        return {end}

    return circuit()
"""

_PENNYLANE_GATES = """
import pennylane as qml


def {entry_point}(*args, **kwargs):
    {gates}
"""

_NOTHING = """
def {entry_point}(*args, **kwargs):
    return None
"""

_GATES = {
    ("qiskit", "empty"): "pass",
    ("qiskit", "hadamards"): "circuit.h(range({size}))",
    ("cirq", "empty"): "",
    ("cirq", "hadamards"): "cirq.H.on_each(*qubits), ",
    ("pennylane", "empty"): "pass",
    ("pennylane", "hadamards"): "[qml.Hadamard(wires=wire) for wire in range({size})]",
}

_ENDS = {
    ("qiskit", "distribution"): "circuit.measure_all()",
    ("qiskit", "state"): "pass",
    ("qiskit", "unitary"): "pass",
    ("cirq", "distribution"): "cirq.measure(*qubits, key='result')",
    # an identity gate makes a qubit part of a Cirq circuit
    ("cirq", "state"): "cirq.I.on_each(*qubits)",
    ("cirq", "unitary"): "cirq.I.on_each(*qubits)",
    ("pennylane", "distribution"): "qml.probs(wires=range({size}))",
    ("pennylane", "state"): "qml.state()",
}


def blanks(task: Task) -> dict[str, str]:
    """The programs by name, on as many qubits as the task asks for, measured as it asks.

    A unit test may ask for anything, so there it is the one that returns nothing, beside all else that the reference
    defines: a test may use that too.
    """
    nothing = {"nothing": _NOTHING.format(entry_point=task.entry_point)}
    if isinstance(task.check, UnitTestCheck):
        return {"nothing": f"{task.reference or ''}\n{nothing['nothing']}"}
    if not isinstance(task.check, CircuitCheck):
        return {}
    return {name: _circuit(task, task.check, name) for name in ("empty", "hadamards")} | nothing


def _circuit(task: Task, check: CircuitCheck, name: str) -> str:
    words = {"entry_point": task.entry_point, "size": size(check)}
    gates = _GATES[task.framework, name].format(**words)
    if (task.framework, check.observe) == ("pennylane", "unitary"):
        return _PENNYLANE_GATES.format(gates=gates, **words)
    end = _ENDS[task.framework, check.observe].format(**words)
    template = {"qiskit": _QISKIT, "cirq": _CIRQ, "pennylane": _PENNYLANE}[task.framework]
    return template.format(gates=gates, end=end, **words)


def size(check: CircuitCheck) -> int:
    """Measured bits of a distribution, qubits of a state or a unitary."""
    expected = check.cases[0].expected
    if isinstance(check, DistributionCheck):
        return len(next(iter(expected)))
    return int(check.qubits or len(expected).bit_length() - 1)
