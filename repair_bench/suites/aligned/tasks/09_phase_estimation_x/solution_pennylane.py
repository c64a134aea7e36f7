import numpy as np
import pennylane as qml


def qpe_x_gate(power, eigenstate):
    dev = qml.device("default.qubit", wires=4)

    @qml.qnode(dev)
    def circuit():
        if eigenstate == "-":
            qml.X(3)
        qml.Hadamard(wires=3)
        for wire in range(3):
            angle = np.pi * power * 2 ** (2 - wire)
            qml.Hadamard(wires=wire)
            # X^p = exp(i pi p / 2) RX(pi p): under control the phase belongs to the control
            qml.CRX(angle, wires=[wire, 3])
            qml.PhaseShift(angle / 2, wires=wire)
        qml.adjoint(qml.QFT)(wires=[0, 1, 2])
        return qml.probs(wires=[0, 1, 2])

    return circuit()
