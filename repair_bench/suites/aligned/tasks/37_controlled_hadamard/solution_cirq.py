import cirq
import numpy as np


def controlled_hadamard():
    control, target = cirq.LineQubit.range(2)
    return cirq.Circuit(
        cirq.ry(-np.pi / 4)(target),
        cirq.CZ(control, target),
        cirq.ry(np.pi / 4)(target),
    )
