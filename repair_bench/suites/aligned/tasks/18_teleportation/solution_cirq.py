import cirq
import numpy as np


def Quantum_Teleportation(theta):
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
        cirq.rx(np.pi / 4)(bob),
        cirq.measure(message, alice, bob, key="result"),
    )
