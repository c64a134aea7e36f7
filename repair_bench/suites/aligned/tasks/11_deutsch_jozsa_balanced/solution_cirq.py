import cirq


def Deutsch_Jozsa_Balance_4(flips):
    *inputs, target = cirq.LineQubit.range(5)
    flipped = [qubit for qubit, bit in zip(inputs, flips, strict=True) if bit == "1"]
    oracle = [
        cirq.X.on_each(*flipped),
        [cirq.CNOT(qubit, target) for qubit in inputs],
        cirq.X.on_each(*flipped),
    ]
    return cirq.Circuit(
        cirq.X(target),
        cirq.H.on_each(*inputs, target),
        oracle,
        cirq.H.on_each(*inputs),
    )
