import cirq


def Simon_110(s):
    # f(x) = x, or x xor s where the first bit that s contains is 1
    j = s.index("1")
    qubits = cirq.LineQubit.range(6)
    inputs, outputs = qubits[:3], qubits[3:]
    return cirq.Circuit(
        cirq.H.on_each(*inputs),
        [cirq.CNOT(x, y) for x, y in zip(inputs, outputs, strict=True)],
        [cirq.CNOT(inputs[j], y) for y, bit in zip(outputs, s, strict=True) if bit == "1"],
        cirq.H.on_each(*inputs),
        cirq.measure(*inputs, key="result"),
    )
