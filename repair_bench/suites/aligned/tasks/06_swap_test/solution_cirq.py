import cirq


def swaptest_zaxis(unknown_state):
    ancilla, psi, zero = cirq.LineQubit.range(3)
    return cirq.Circuit(
        unknown_state.transform_qubits({cirq.LineQubit(0): psi}),
        cirq.H(ancilla),
        cirq.CSWAP(ancilla, psi, zero),
        cirq.H(ancilla),
    )
