import cirq


def Bernstein_Vazirani_011(a):
    *inputs, target = cirq.LineQubit.range(4)
    return cirq.Circuit(
        cirq.X(target),
        cirq.H.on_each(*inputs, target),
        [cirq.CNOT(qubit, target) for qubit, bit in zip(inputs, a, strict=True) if bit == "1"],
        cirq.H.on_each(*inputs),
    )
