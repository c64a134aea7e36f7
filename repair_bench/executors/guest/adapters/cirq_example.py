"""Common ways to build and inspect a Cirq circuit, which the fork server runs to warm up."""

import cirq
import numpy as np


def circuit():
    a, b, c = cirq.LineQubit.range(3)
    made = cirq.Circuit(cirq.H(a), cirq.X(b), cirq.CNOT(a, c))
    made.append(gate(a) for gate in (cirq.Y, cirq.Z, cirq.S, cirq.T, cirq.S**-1))
    made.append(gate(np.pi / 3)(b) for gate in (cirq.rx, cirq.ry, cirq.rz))
    made.append([cirq.CZ(a, b), cirq.SWAP(b, c), cirq.CCX(a, b, c), cirq.ISWAP(a, b) ** 0.5, cirq.CZ(a, b) ** 0.25])
    made.append(cirq.X(c).controlled_by(a, b, control_values=[0, 1]))
    made.append(cirq.MatrixGate(np.eye(2)[::-1])(a))
    made.append(cirq.inverse(cirq.qft(a, b)))
    made.append(cirq.CircuitOperation(cirq.FrozenCircuit(cirq.H(a), cirq.ZPowGate(exponent=0.5)(b))))
    return made


def distribution():
    a, b, c = cirq.LineQubit.range(3)
    made = circuit() + cirq.measure(a, key="m")
    made.append(cirq.X(b).with_classical_controls("m"))
    made.append([cirq.reset(c), cirq.measure(b, c, key="result")])
    return made


def state():
    made = circuit()
    vector = cirq.Simulator(dtype=np.complex128).simulate(made).final_state_vector
    assert np.allclose(vector, made.final_state_vector())
    return made


def unitary():
    made = circuit()
    assert cirq.allclose_up_to_global_phase(cirq.unitary(made), made.unitary())
    len(made), made.all_qubits(), list(made.all_operations()), str(made)
    return made
