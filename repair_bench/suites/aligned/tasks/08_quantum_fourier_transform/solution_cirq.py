import cirq


def qft_6():
    qubits = cirq.LineQubit.range(6)
    circuit = cirq.Circuit()
    for target in range(6):
        circuit += cirq.H(qubits[target])
        for control in range(target + 1, 6):
            circuit += cirq.CZ(qubits[control], qubits[target]) ** (1 / 2 ** (control - target))
    for i in range(3):
        circuit += cirq.SWAP(qubits[i], qubits[5 - i])
    return circuit
