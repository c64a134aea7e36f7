import cirq


def CX_gate_decompose_Clifford():
    control, target = cirq.LineQubit.range(2)
    sx = cirq.X**0.5
    # SX takes Z to -Y under conjugation and S takes -Y to X: CZ becomes CX
    return cirq.Circuit(
        (cirq.S**-1)(target),
        (sx**-1)(target),
        cirq.CZ(control, target),
        sx(target),
        cirq.S(target),
    )
