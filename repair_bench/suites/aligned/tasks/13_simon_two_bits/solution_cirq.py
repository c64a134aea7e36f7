import cirq


def Simon_11(s):
    j = s.index("1")
    qubits = cirq.LineQubit.range(4)
    inputs, outputs = qubits[:2], qubits[2:]
    return cirq.Circuit(
        cirq.H.on_each(*inputs),
        [cirq.CNOT(x, y) for x, y in zip(inputs, outputs, strict=True)],
        [cirq.CNOT(inputs[j], y) for y, bit in zip(outputs, s, strict=True) if bit == "1"],
        cirq.H.on_each(*inputs),
    )
