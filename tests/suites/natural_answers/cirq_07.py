import cirq


def swaptest_individual():
    a = cirq.LineQubit.range(0, 3)
    b = cirq.LineQubit.range(3, 6)
    ancillas = cirq.LineQubit.range(6, 9)

    circuit = cirq.Circuit()
    circuit.append(cirq.X(q) for q, bit in zip(a, "011", strict=True) if bit == "1")
    circuit.append(cirq.H.on_each(*ancillas))
    circuit.append(cirq.CSWAP(*triple) for triple in zip(ancillas, a, b, strict=True))
    circuit.append(cirq.H.on_each(*ancillas))
    circuit.append(cirq.measure(*ancillas, key="result"))
    return circuit
