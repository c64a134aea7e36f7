import numpy as np
import pennylane as qml


def chsh_circuit(alice, bob):
    dev = qml.device("default.qubit", wires=2)

    @qml.qnode(dev)
    def circuit():
        qml.Hadamard(wires=0)
        qml.CNOT(wires=[0, 1])
        if alice == 1:
            qml.RY(-np.pi / 2, wires=0)
        qml.RY(np.pi / 4 if bob == 1 else -np.pi / 4, wires=1)
        return qml.probs(wires=[0, 1])

    return circuit()
