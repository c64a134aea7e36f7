from math import acos, sqrt

import pennylane as qml


def W_State_4():
    dev = qml.device("default.qubit", wires=4)

    @qml.qnode(dev)
    def circuit():
        qml.X(0)
        # the excitation stays on wire i with probability 1/(4 - i), else it moves on
        for i in range(3):
            qml.CRY(2 * acos(1 / sqrt(4 - i)), wires=[i, i + 1])
            qml.CNOT(wires=[i + 1, i])
        return qml.state()

    return circuit()
