import cirq


def ipe_s_gate(phi):
    control, target = cirq.LineQubit.range(2)
    return cirq.Circuit(
        cirq.X(target),
        cirq.H(control),
        cirq.cphase(2 * phi)(control, target),
        cirq.H(control),
        cirq.measure(control, key="result"),
        cirq.reset(control),
        cirq.H(control),
        cirq.cphase(phi)(control, target),
        (cirq.S**-1)(control).with_classical_controls("result"),
        cirq.H(control),
        cirq.measure(control, key="result"),
    )
