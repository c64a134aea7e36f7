import cirq


def Bernstein_Vazirani_011():
    a = "011"
    inputs = cirq.LineQubit.range(len(a))
    target = cirq.LineQubit(len(a))
    return cirq.Circuit(
        cirq.X(target),
        cirq.H.on_each(*inputs, target),
        [cirq.CNOT(q, target) for q, bit in zip(inputs, a, strict=True) if bit == "1"],
        cirq.H.on_each(*inputs),
        cirq.measure(*inputs, key="result"),
    )
