import cirq


def Hadmard_Test_h(theta):
    ancilla, psi = cirq.LineQubit.range(2)
    return cirq.Circuit(
        cirq.ry(theta)(psi),
        cirq.H(ancilla),
        cirq.H(psi).controlled_by(ancilla),
        cirq.H(ancilla),
        cirq.measure(ancilla, key="result"),
    )
