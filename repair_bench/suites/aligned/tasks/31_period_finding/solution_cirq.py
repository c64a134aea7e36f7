import cirq


def period_finding_7_15(start):
    q = cirq.LineQubit.range(7)
    phase, work = q[:3], q[3:]
    return cirq.Circuit(
        (cirq.X(work[i]) for i, bit in enumerate(f"{start:04b}") if bit == "1"),
        cirq.H.on_each(phase),
        # 7^4 = 1 mod 15: nothing to do for qubit 0
        # 7^2 = 4 mod 15: the bits move by two places
        cirq.CSWAP(q[1], q[3], q[5]),
        cirq.CSWAP(q[1], q[4], q[6]),
        # 7 = -8 mod 15: the bits move by three places and are complemented
        cirq.CSWAP(q[2], q[5], q[6]),
        cirq.CSWAP(q[2], q[4], q[5]),
        cirq.CSWAP(q[2], q[3], q[4]),
        (cirq.CNOT(q[2], qubit) for qubit in work),
        cirq.qft(*phase, inverse=True),
    )
