import cirq


def parity_check_3bit(angles):
    *data, parity = cirq.LineQubit.range(4)
    circuit = cirq.Circuit()
    for i, angle in enumerate(angles):
        circuit.append(cirq.ry(angle)(data[i]))
        circuit.append(cirq.CNOT(data[i], parity))
    return circuit
