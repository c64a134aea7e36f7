"""Generate solvers that look up stored circuits: reference solutions, and solvers for only some instances of a task."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping

from repair_bench.frameworks import FRAMEWORKS
from repair_bench.suites.horizon.family import Circuit

_BUILD = {
    "qiskit": """
def build(qubits, operations):
    circuit = QuantumCircuit(qubits)
    for name, on, angle in operations:
        angles = [] if angle is None else [angle]
        getattr(circuit, name)(*angles, *on)
    return circuit
""",
    "pennylane": """
GATES = {"cx": qml.CNOT, "cz": qml.CZ, "t": qml.T, "s": qml.S, "z": qml.PauliZ, "rz": qml.RZ, "p": qml.PhaseShift}


def gate(name, on, angle):
    if name in ("tdg", "sdg"):
        return qml.adjoint(GATES[name[0]](wires=on))
    angles = [] if angle is None else [angle]
    return GATES[name](*angles, wires=on)


def build(qubits, operations):
    return qml.tape.QuantumScript([gate(*operation) for operation in operations])
""",
    "cirq": """
GATES = {"cx": cirq.CNOT, "cz": cirq.CZ, "t": cirq.T, "tdg": cirq.T**-1, "s": cirq.S, "sdg": cirq.S**-1, "z": cirq.Z}


def gate(name, angle):
    if name == "rz":
        return cirq.rz(angle)
    if name == "p":
        return cirq.ZPowGate(exponent=angle / 3.141592653589793)
    return GATES[name]


def build(qubits, operations):
    line = cirq.LineQubit.range(qubits)
    return cirq.Circuit(gate(name, angle).on(*(line[q] for q in on)) for name, on, angle in operations)
""",
}
SPELLED = {
    "qiskit": dict[str, str](),
    "pennylane": {
        "cx": "CNOT",
        "cz": "CZ",
        "rz": "RZ",
        "p": "PhaseShift",
        "z": "PauliZ",
        "t": "T",
        "s": "S",
        "tdg": "adjoint(T)",
        "sdg": "adjoint(S)",
    },
    "cirq": {
        "cx": "CNOT",
        "cz": "CZ",
        "rz": "rz",
        "p": "ZPowGate",
        "z": "Z",
        "t": "T",
        "s": "S",
        "tdg": "T**-1",
        "sdg": "S**-1",
    },
}
"""For each framework, maps the gate names in observations to the framework's own gate names, where the names differ."""
SUPPORTED = tuple(_BUILD)
"""The frameworks whose programs can be solvers. An OpenQASM program is itself a circuit and cannot return another."""

_SOLVE = """

def solve(instance):
    text = json.dumps(instance, sort_keys=True)
    key = hashlib.sha256(text.encode()).hexdigest()
    return build(instance["qubits"], CIRCUITS.get(key, []))
"""


def solver(framework: str, packed: str) -> str:
    """Return a program that returns the stored circuit for an instance, or an empty circuit if none is stored.

    `packed`: the stored circuits, encoded by the function `packed`.
    """
    imports = f"import base64\nimport hashlib\nimport json\nimport zlib\n\n{FRAMEWORKS[framework].import_line}\n"
    table = f'\n\nCIRCUITS = json.loads(zlib.decompress(base64.b64decode("{packed}")))\n'
    return imports + _BUILD[framework] + _SOLVE + table


def packed(known: Mapping[str, Circuit]) -> str:
    """Encode circuits, keyed by `Instance.key`, as a compact text."""
    return base64.b64encode(zlib.compress(json.dumps(known).encode())).decode()
