from math import acos, sqrt

import cirq


def W_State_4():
    q = cirq.LineQubit.range(4)
    circuit = cirq.Circuit(cirq.X(q[0]))
    # the excitation stays on qubit i with probability 1/(4 - i), else it moves on
    for i in range(3):
        circuit.append(cirq.ry(2 * acos(1 / sqrt(4 - i)))(q[i + 1]).controlled_by(q[i]))
        circuit.append(cirq.CNOT(q[i + 1], q[i]))
    return circuit
