from math import pi

import pennylane as qml


def ipe_t_gate(phi):
    dev = qml.device("default.qubit")
    control, target = 0, 1

    @qml.qnode(dev)
    def circuit():
        qml.X(target)
        results = []
        for k in range(3):
            qml.Hadamard(wires=control)
            qml.ControlledPhaseShift(2 ** (2 - k) * phi, wires=[control, target])
            for j in range(k):
                qml.cond(results[j], qml.PhaseShift)(-pi / 2 ** (k - j), wires=control)
            qml.Hadamard(wires=control)
            results.append(qml.measure(control, reset=True))
        return qml.probs(op=results)

    return circuit()
