from math import pi

import pennylane as qml


def ipe_s_gate(phi):
    dev = qml.device("default.qubit")
    control, target = 0, 1

    @qml.qnode(dev)
    def circuit():
        qml.X(target)

        qml.Hadamard(wires=control)
        qml.ControlledPhaseShift(2 * phi, wires=[control, target])
        qml.Hadamard(wires=control)
        m1 = qml.measure(control, reset=True)

        qml.Hadamard(wires=control)
        qml.ControlledPhaseShift(phi, wires=[control, target])
        qml.cond(m1, qml.PhaseShift)(-pi / 2, wires=control)
        qml.Hadamard(wires=control)
        m2 = qml.measure(control)
        return qml.probs(op=[m1, m2])

    return circuit()
