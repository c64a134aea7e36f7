"""Oracles for measurement tasks in Measurements, JointMeasurements, QEC_BitFlipCode, `examples` and `tutorials`."""

import itertools
from typing import Any, Callable

import numpy as np
from qiskit import QuantumCircuit
from qiskit.quantum_info import Statevector

from repair_bench.suites.oracles.kinds import (
    TOLERANCE,
    Function,
    applied,
    bell_state,
    circuit_of,
    holding,
    integer,
    is_fair,
    is_same,
    is_undone,
    mostly,
    names,
    opened,
    oracle,
    outcomes,
    random_state,
    truth,
    undone,
)

DRAWS = 60
"""The number of calls to a measuring function. An error in 1/4 of the calls is missed in only one of 10^7 tests."""


@oracle("Measurements/1.2")
def sets_to_zero(candidate: Function) -> None:
    """Check that the qubit is in state 0 and that the other qubits are unchanged. A final measurement is optional."""
    for width, qubit in ((1, 0), (3, 1)):
        circuit = QuantumCircuit(width)
        gates = random_state(circuit, range(width))
        others = QuantumCircuit(width)
        for step in gates.data:
            if gates.find_bit(step.qubits[0]).index != qubit:
                others.append(step.operation, [gates.find_bit(step.qubits[0]).index])
        undone(candidate(circuit, qubit), others, range(width))


@oracle("Measurements/2.2")
def never_takes_zero_for_plus(candidate: Function) -> None:
    """Check that |0> and |+> are never confused.

    The candidate must identify each of the two states in at least 10% of calls. Averaged over both states, the
    candidate must identify the state in at least 20% of calls.
    """

    def recognised(plus: int) -> bool:
        circuit = QuantumCircuit(2)
        if plus:
            circuit.h(1)
        named = integer(candidate(circuit, 1))
        assert named in (plus, -1), "the returned number belongs to the wrong state"
        return named == plus

    for state in (0, 1):
        mostly(lambda: recognised(state), 0.1, 0.03)
    either = itertools.cycle((0, 1))
    mostly(lambda: recognised(next(either)), 0.2, 0.1)


@oracle("JointMeasurements/2")
def names_bell_states(candidate: Function) -> None:
    """Check that the candidate returns the correct number for each Bell state.

    The number may be the state's position in the list of Bell states, or may consist of two bits: the phase and the
    parity.
    """
    circuits = [bell_state(QuantumCircuit(3), which, 2, 0) for which in range(4)]
    names(lambda circuit: candidate(circuit, 2, 0), circuits, [0, 1, 2, 3], [0, 2, 1, 3])


@oracle("JointMeasurements/5")
def parity_of_y(candidate: Function) -> None:
    """Check that the Y parity is correct for product states and Bell states that have a definite Y parity."""
    for first, second in itertools.product((0, 1), repeat=2):
        circuit = QuantumCircuit(3)
        for qubit, minus in ((2, first), (1, second)):
            circuit.h(qubit)
            (circuit.sdg if minus else circuit.s)(qubit)
        for _ in range(4):
            assert truth(candidate(circuit.copy(), 2, 1)) == (first != second), "the returned parity is incorrect"
    for which, odd in enumerate((True, False, False, True)):
        for _ in range(4):
            found = truth(candidate(bell_state(QuantumCircuit(3), which, 2, 1), 2, 1))
            assert found == odd, "the returned parity is incorrect"


@oracle("Measurements/1.14")
def names_four_states(candidate: Function) -> None:
    """Check that the candidate returns the number of each of four states, in either order of the qubits.

    In each state, one amplitude is 1/2 and three amplitudes are -1/2.
    """
    circuits = [holding(np.where(np.arange(4) == index, 1, -1), (2, 0), 3) for index in range(4)]
    names(lambda circuit: candidate(circuit, [2, 0]), circuits, [0, 2, 1, 3], [0, 1, 2, 3])


@oracle("Measurements/1.15")
def names_turning_states(candidate: Function) -> None:
    """Check that the candidate distinguishes two states whose phases advance in opposite directions.

    The candidate must return 0 for one of the two states and 1 for the other state.
    """
    turn = np.exp(2j * np.pi / 3)
    circuits = [holding([0, 1, w, 0, w**2, 0, 0, 0], (2, 0, 1), 4) for w in (turn, turn**2)]
    names(lambda circuit: candidate(circuit, [2, 0, 1]), circuits, [0, 1], [1, 0])


@oracle("Measurements/2.3")
def never_names_the_state(candidate: Function) -> None:
    """Prepare one of three states. Check that every call returns the number of a state that was not prepared."""
    for state in range(3):
        circuit = QuantumCircuit(2)
        circuit.h(1)
        circuit.p(2 * np.pi * state / 3, 1)
        for _ in range(DRAWS // 3):
            named = integer(candidate(circuit.copy(), 1))
            assert named in (0, 1, 2), "the returned value is not the number of a state"
            assert named != state, "the returned number is that of the prepared state"


@oracle("JointMeasurements/9")
def all_the_same(candidate: Function) -> None:
    """Check that the candidate returns True for 000, 111 and their superposition."""
    shows(candidate, [1, 0, 0, 0, 0, 0, 0, 1], lambda ones: ones in (0, 3))


@oracle("JointMeasurements/10")
def exactly_one_is_1(candidate: Function) -> None:
    """Check that the candidate returns True for 001, 010, 100 and their superposition."""
    shows(candidate, [0, 1, 1, 0, 1, 0, 0, 0], lambda ones: ones == 1)


def shows(candidate: Function, state: Any, condition: Callable[[int], bool]) -> None:
    """Assert that the candidate returns `condition(n)` for each basis state with n ones, and True for the superposition
    `state`.
    """
    for index in range(8):
        circuit = holding(np.arange(8) == index, (2, 0, 3), 4)
        assert truth(candidate(circuit, [2, 0, 3])) == condition(format(index, "b").count("1")), (
            "the returned value is incorrect for this state"
        )
    for _ in range(6):
        assert truth(candidate(holding(state, (2, 0, 3), 4), [2, 0, 3])), (
            "the returned value is incorrect for this state"
        )


@oracle("tutorials/RandomNumberGeneration/1")
def fair_bit(candidate: Function) -> None:
    """Check that 0 and 1 are equally frequent, and that no bit is correlated with any of the 48 preceding bits.

    If the first 128 bits fail a strict check, which rarely happens with fair bits, 160 more bits are drawn. Fair bits
    are rejected in 1 of 10^7 tests.
    """
    bits = np.zeros(0, dtype=int)
    for more, first, second in ((128, 3.0, 4.0), (160, 6.0, 6.0)):
        bits = np.array([*bits, *(truth(candidate()) for _ in range(more))], dtype=int)
        if is_fair(bits, first) and all(is_fair(bits[k:] ^ bits[:-k], second) for k in range(1, 49)):
            return
    raise AssertionError("not random")


@oracle("examples/BellStateAnalysis")
def tells_bell_states_apart(candidate: Function) -> None:
    """Check that no two of the four states share an outcome. The circuit need not contain measurements."""
    distinct_outcomes(lambda circuit: candidate(circuit, [2, 0]))


@oracle("examples/BasicQuantumTeleportation")
def alice_measures_bell_states(candidate: Function) -> None:
    """Check that the outcomes differ between the Bell states of Alice's two qubits.

    Bob's qubit must not change.
    """
    distinct_outcomes(lambda circuit: candidate(circuit, 2, 0, 1), clbits=3)
    circuit = QuantumCircuit(4, 3)
    random_state(circuit, [0, 2])
    pair = bell_state(QuantumCircuit(4), 0, 1, 3)
    found = circuit_of(candidate(circuit.compose(pair), 2, 0, 1))
    hers = found.copy_empty_like()
    for step in found.data:  # the prompt does not specify whether all qubits are measured
        if step.operation.name != "measure" or not {found.qubits[1], found.qubits[3]} & set(step.qubits):
            hers.append(step)
    undone(hers, pair, (1, 3))


def distinct_outcomes(apply: Function, clbits: int = 0) -> None:
    """Assert that no two Bell states of qubits 2 and 0 share an outcome."""
    seen = [
        {
            bits
            for bits, p in outcomes(circuit_of(apply(bell_state(QuantumCircuit(3, clbits), which, 2, 0)))).items()
            if p > TOLERANCE
        }
        for which in range(4)
    ]
    assert not any(a & b for a, b in itertools.combinations(seen, 2)), "two states have an outcome in common"


@oracle("examples/QuantumSuperdenseCoding")
def encodes_two_bits(candidate: Function) -> None:
    """Check that gates on Alice's qubit alone encode the four messages in four orthogonal states.

    The candidate may choose which state encodes which message.
    """
    states = []
    for message in range(4):
        gate = applied(lambda qc, q: candidate(qc, q[0], message), 2)
        assert is_same(gate, np.kron(np.eye(2), gate[:2, :2])), "a gate acts on more than Alice's qubit"
        states.append(gate @ Statevector(bell_state(QuantumCircuit(2), 0)).data)
    assert np.allclose(np.abs(np.conj(states) @ np.transpose(states)), np.eye(4), atol=TOLERANCE), (
        "the states of the four messages are not orthogonal"
    )


@oracle("QEC_BitFlipCode/10")
def protects_a_qubit(candidate: Function) -> None:
    """Check that the code preserves the data if one qubit is flipped, by the circuit or by an inserted gate."""
    code = (1, 3, 0)
    given = QuantumCircuit(5)
    gates = random_state(given, [1])
    encoding = QuantumCircuit(4).compose(gates, range(gates.num_qubits))
    encoding.cx(1, [3, 0])
    cycles = {error: circuit_of(candidate(given.copy(), 1, [3, 0], [4, 2], error)) for error in (None, *code)}
    for error, cycle in cycles.items():
        undone(cycle, encoding, code)
        assert error is None or cycle != cycles[None], "the requested error is not introduced"
    quiet = opened(cycles[None])
    moments = range(len(given.data), len(quiet.data) + 1)
    for qubit in code:
        flipped = (with_flip(quiet, moment, qubit) for moment in moments)
        assert any(is_undone(cycle, encoding, code) for cycle in flipped), "a flipped qubit is not corrected"


def with_flip(circuit: QuantumCircuit, moment: int, qubit: int) -> QuantumCircuit:
    """Return the circuit with an additional X gate on `qubit` after the first `moment` steps."""
    found = circuit.copy_empty_like()
    for step in circuit.data[:moment]:
        found.append(step)
    found.x(qubit)
    for step in circuit.data[moment:]:
        found.append(step)
    return found
