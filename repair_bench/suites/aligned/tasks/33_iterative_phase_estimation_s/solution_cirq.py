import cirq


def ipe_s_gate(phi):
    first, second, target = cirq.LineQubit.range(3)
    return cirq.Circuit(
        cirq.X(target),
        # round 1
        cirq.H(first),
        cirq.cphase(2 * phi)(first, target),
        cirq.H(first),
        cirq.measure(first, key="m1"),
        # round 2, on a fresh control
        cirq.H(second),
        cirq.cphase(phi)(second, target),
        (cirq.S**-1)(second).with_classical_controls("m1"),
        cirq.H(second),
        cirq.measure(first, second, key="result"),
    )
