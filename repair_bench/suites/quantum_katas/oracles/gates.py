"""Oracles for gates and states: BasicGates, Superposition, UnitaryPatterns, PhaseEstimation, QEC_BitFlipCode."""

from typing import List

import numpy as np
from qiskit import QuantumCircuit

from repair_bench.suites.oracles.kinds import (
    TOLERANCE,
    Function,
    answer,
    applied,
    circuit_of,
    one_reading,
    oracle,
    prepared,
    reversed_qubits,
    same,
)


@oracle("BasicGates/1.7")
def minus_identity(candidate: Function) -> None:
    """Check that the operation is the identity multiplied by -1, including the phase."""
    found = applied(lambda qc, q: candidate(qc, q[0]), 2)
    assert np.allclose(found, -np.eye(4), atol=TOLERANCE), "the operation is not the identity times -1"


@oracle("BasicGates/1.10")
def phi_plus_to_psi_minus(candidate: Function) -> None:
    """Check that the prepared state is Psi-. The order of the qubits affects only the global phase."""

    def from_phi_plus(qc: QuantumCircuit, q: List[int]) -> QuantumCircuit:
        qc.h(q[0])
        qc.cx(q[0], q[1])
        return circuit_of(candidate(qc, q))

    same(prepared(from_phi_plus, 2), np.array([0, 1, -1, 0]) / np.sqrt(2))


@oracle("BasicGates/2.4")
def swaps_two_amplitudes(candidate: Function) -> None:
    """Accept an operation that exchanges |00> and |01>, with the first qubit written on the left or on the right."""
    swap = np.eye(4)[:, [1, 0, 2, 3]]
    same(applied(candidate, 2), swap, reversed_qubits(swap))


@oracle("Superposition/1.7")
def bell_states(candidate: Function) -> None:
    """Check that the four Bell states are prepared. The order of the qubits affects only the global phase."""
    states = ([1, 0, 0, 1], [1, 0, 0, -1], [0, 1, 1, 0], [0, 1, -1, 0])
    for index, state in enumerate(states):
        same(prepared(lambda qc, q: candidate(qc, q, index), 2), np.array(state) / np.sqrt(2))


STRINGS = (("010", "001"), ("100", "010"), ("10", "01"), ("110", "101"), ("0011", "0111"), ("0110", "1011"))


@oracle("Superposition/1.12")
def two_bit_strings(candidate: Function) -> None:
    """Check that the circuit prepares an equal superposition of two basis states.

    The first bit of each basis state may belong to the first or to the last qubit.
    """
    cases = []
    for first, second in STRINGS:
        state = np.zeros(2 ** len(first))
        state[[int(first, 2), int(second, 2)]] = np.sqrt(0.5)  # the first character is the most significant
        bits = [[character == "1" for character in string] for string in (first, second)]
        found = prepared(lambda qc, q: candidate(qc, q, *bits), len(first))
        cases.append((found, (state, reversed_qubits(state))))
    one_reading(cases)


@oracle("Superposition/2.2")
def three_amplitudes(candidate: Function) -> None:
    """Accept the goal state given in the prompt, with the qubits in either order.

    The task's title names a different state, which is also accepted.
    """
    goal, title = np.array([np.sqrt(0.5), 0, 0.5, 0.5]), np.array([np.sqrt(0.5), 0.5, 0.5, 0])
    same(prepared(candidate, 2), goal, reversed_qubits(goal), title)


@oracle("Superposition/2.3")
def three_states(candidate: Function) -> None:
    """Check that all amplitudes are equal, except for |11>, whose amplitude is 0."""
    same(prepared(candidate, 2), np.array([1, 1, 1, 0]) / np.sqrt(3))


@oracle("UnitaryPatterns/13")
def h_s_h(candidate: Function) -> None:
    """Accept both the sequence H, S, H and Ry(pi/2), which the prompt describes as the same operation."""
    found = applied(lambda qc, q: candidate(qc, q[0]), 2)
    h = np.array([[1, 1], [1, -1]]) / np.sqrt(2)
    ry = np.array([[1, -1], [1, 1]]) / np.sqrt(2)
    same(found, *(np.kron(np.eye(2), gate) for gate in (h @ np.diag([1, 1j]) @ h, ry)))


@oracle("UnitaryPatterns/7")
def rotation_about_z(candidate: Function) -> None:
    """Check that the operation is Rz, up to a global phase."""
    for theta in (0.0, 0.7, -2.1, np.pi, 5.0, 7.5):
        turn = np.diag([1, np.exp(1j * theta)])
        same(applied(lambda qc, q: candidate(qc, q[0], theta), 2), np.kron(np.eye(2), turn))


@oracle("PhaseEstimation/1")
def controlled_power(candidate: Function) -> None:
    """Check that the operation is a controlled phase gate with the angle theta * 2^k."""
    for theta, power in ((np.pi / 4, 0), (np.pi / 4, 1), (0.37, 2), (-1.1, 3)):
        found = applied(lambda qc, q: candidate(qc, *q, theta, power), 2)
        same(found, np.diag([1, 1, 1, np.exp(1j * theta * 2**power)]))


@oracle("PhaseEstimation/6")
def phase_of_a_measurement(candidate: Function) -> None:
    """Check that the candidate returns 2 pi m / 2^n."""
    for n in (1, 2, 3, 5):
        for measured in {0, 1, 2**n // 2, 2**n * 2 // 3, 2**n - 1}:
            found = answer(candidate, measured, n)
            assert isinstance(found, (int, float, np.number)), "the returned value is not a number"
            assert abs(float(found) - 2 * np.pi * measured / 2**n) < TOLERANCE, "the phase is incorrect"


@oracle("QEC_BitFlipCode/5")
def flips_qubit_of_the_syndrome(candidate: Function) -> None:
    """Check that X is applied to the qubit that the syndrome identifies.

    If the syndrome identifies no qubit, the state must not change.
    """
    flips = {(False, False): 0, (True, False): 1, (True, True): 2, (False, True): 4}
    for syndrome, flipped in flips.items():
        found = applied(lambda qc, q: candidate(qc, q, syndrome), 3)
        same(found, np.eye(8)[:, np.arange(8) ^ flipped])
