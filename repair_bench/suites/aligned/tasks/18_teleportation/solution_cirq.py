import cirq


def Quantum_Teleportation(theta, phi):
    message, alice, bob = cirq.LineQubit.range(3)
    return cirq.Circuit(
        cirq.rx(theta)(message),
        cirq.H(alice),
        cirq.CNOT(alice, bob),
        cirq.CNOT(message, alice),
        cirq.H(message),
        # Bob's corrections, controlled by the qubits that Alice measures
        cirq.CNOT(alice, bob),
        cirq.CZ(message, bob),
        cirq.rx(phi)(bob),
        cirq.measure(message, alice, bob, key="result"),
    )
