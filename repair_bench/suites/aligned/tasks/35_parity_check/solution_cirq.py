import cirq


def parity_check_3bit(angles):
    *data, parity = cirq.LineQubit.range(4)
    circuit = cirq.Circuit()
    for qubit, angle in zip(data, angles):
        circuit.append(cirq.ry(angle)(qubit))
        circuit.append(cirq.CNOT(qubit, parity))
    return circuit
