import numpy as np
import pennylane as qml


def Quantum_Teleportation(theta):
    dev = qml.device("default.qubit", wires=3)

    @qml.qnode(dev)
    def circuit():
        qml.RX(theta, wires=0)
        qml.Hadamard(wires=1)
        qml.CNOT(wires=[1, 2])
        qml.CNOT(wires=[0, 1])
        qml.Hadamard(wires=0)
        # Bob's corrections, controlled by the qubits that Alice measures
        qml.CNOT(wires=[1, 2])
        qml.CZ(wires=[0, 2])
        qml.RX(np.pi / 4, wires=2)
        return qml.probs(wires=[0, 1, 2])

    return circuit()
