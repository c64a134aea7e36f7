"""Programs whose qubits start in a random state instead of |0...0>.

What is added to a program's source runs beside it and finds the circuit that its entry point makes.
"""

from __future__ import annotations

from repair_bench.executors.program import Observe

ENTRY_POINT = "_dressed_entry_point"

_ANGLES = """

import random as _random


def _random_angles(count):
    source = _random.Random({seed})
    return [(source.uniform(0.3, 2.8), source.uniform(0, 6.28)) for _ in range(count)]
"""

_QISKIT = """

def _dressed_entry_point(*args):
    from qiskit import QuantumCircuit

    found = {entry_point}(*args)
    if not isinstance(found, QuantumCircuit):
        raise TypeError("no circuit")
    circuit = found.copy_empty_like()
    for qubit, (theta, phi) in zip(circuit.qubits, _random_angles(circuit.num_qubits)):
        circuit.ry(theta, qubit)
        circuit.rz(phi, qubit)
    circuit.compose(found, circuit.qubits, circuit.clbits, inplace=True)
    return circuit
"""

_CIRQ = """

def _dressed_entry_point(*args):
    import cirq

    found = {entry_point}(*args)
    if not isinstance(found, cirq.AbstractCircuit):
        raise TypeError("no circuit")
    line = cirq.LineQubit.range(1 + max(qubit.x for qubit in found.all_qubits()))
    gates = [
        gate
        for qubit, (theta, phi) in zip(line, _random_angles(len(line)))
        for gate in (cirq.ry(theta)(qubit), cirq.rz(phi)(qubit))
    ]
    return cirq.Circuit(gates) + found
"""

_PENNYLANE = """

def _dressed_entry_point(*args):
    import pennylane as qml

    tapes = []
    call = qml.QNode.__call__

    def spied_on(self, *args, **kwargs):
        result = call(self, *args, **kwargs)
        tapes.append(self._tape)
        return result

    qml.QNode.__call__ = spied_on
    try:
        with qml.queuing.AnnotatedQueue() as queue:
            {entry_point}(*args)
    finally:
        qml.QNode.__call__ = call
    tape = tapes[-1] if tapes else qml.tape.QuantumScript.from_queue(queue)
    wires = range(1 + max(tape.wires))
    gates = [
        gate
        for wire, (theta, phi) in zip(wires, _random_angles(len(wires)))
        for gate in (qml.RY(theta, wire), qml.RZ(phi, wire))
    ]
    return qml.tape.QuantumScript(gates + tape.operations, {measurements})
"""

_FRAMEWORKS = {"qiskit": _QISKIT, "cirq": _CIRQ, "pennylane": _PENNYLANE}


def dressed(source: str, framework: str, entry_point: str, seed: int, observe: Observe) -> str:
    """The program with one more entry point, `ENTRY_POINT`.

    It takes what the program's own takes and returns its circuit behind a rotation of each qubit by angles that follow
    from `seed`, to be observed as `observe`. It raises where the program makes no circuit.
    """
    # the other frameworks' circuits can be observed as states though they measure in the end
    words = {"entry_point": entry_point, "measurements": "[]" if observe == "state" else "tape.measurements"}
    return source + _ANGLES.format(seed=seed) + _FRAMEWORKS[framework].format(**words)
