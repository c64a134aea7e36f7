import cirq


def GHZ3_SWAPTEST(angles):
    q = cirq.LineQubit.range(9)
    ancillas, ghz, other = q[:3], q[3:6], q[6:]
    return cirq.Circuit(
        cirq.H(ghz[0]),
        cirq.CNOT(ghz[0], ghz[1]),
        cirq.CNOT(ghz[1], ghz[2]),
        (cirq.ry(angle)(other[i]) for i, angle in enumerate(angles)),
        cirq.H.on_each(ancillas),
        (cirq.CSWAP(ancillas[i], ghz[i], other[i]) for i in range(3)),
        cirq.H.on_each(ancillas),
        cirq.measure(*ancillas, key="result"),
    )
