"""Code that builds and inspects a PennyLane circuit in common ways. The fork server runs this code to warm up."""

import numpy as np
import pennylane as qml


def gates():
    qml.Hadamard(wires=0)
    qml.PauliX(wires=1)
    for gate in (qml.PauliY, qml.PauliZ, qml.S, qml.T):
        gate(wires=0)
    for gate in (qml.RX, qml.RY, qml.RZ, qml.PhaseShift):
        gate(np.pi / 3, wires=1)
    qml.CNOT(wires=[0, 2])
    qml.CZ(wires=[0, 1])
    qml.SWAP(wires=[1, 2])
    qml.Toffoli(wires=[0, 1, 2])
    qml.CRY(0.3, wires=[0, 1])
    qml.ControlledPhaseShift(0.2, wires=[1, 2])
    qml.ctrl(qml.RX, control=0)(0.1, wires=2)
    qml.MultiControlledX(wires=[0, 1, 2], control_values=[0, 1])
    qml.QubitUnitary(np.eye(2)[::-1], wires=0)
    qml.adjoint(qml.QFT)(wires=[0, 1])
    qml.adjoint(qml.S(wires=2))


@qml.qnode(qml.device("default.qubit"))
def distribution():
    gates()
    chosen = qml.measure(0)
    qml.cond(chosen, qml.PauliX)(wires=1)
    return qml.probs(wires=[0, 1, 2])


@qml.qnode(qml.device("default.qubit", wires=3))
def state():
    gates()
    return qml.state()


def unitary():
    @qml.qnode(qml.device("default.qubit", wires=3))
    def circuit():
        gates()
        return qml.probs(wires=[0, 1, 2]), qml.expval(qml.PauliZ(0)), qml.expval(qml.PauliX(0) @ qml.PauliY(1))

    circuit()
    return qml.matrix(gates, wire_order=[0, 1, 2])()
