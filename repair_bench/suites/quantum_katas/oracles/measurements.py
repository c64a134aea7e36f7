"""What is measured, and protocols around it: Measurements, JointMeasurements, Teleportation, examples."""

import itertools
from typing import List

import numpy as np
from qiskit import QuantumCircuit
from qiskit.quantum_info import Statevector

from repair_bench.suites.oracles.kinds import (
    TOLERANCE,
    Function,
    applied,
    circuit_of,
    is_same,
    oracle,
    outcomes,
    random_state,
    same,
    undone,
)

DRAWS = 60
"""Calls of a function that measures. What is never to happen and has a chance of a quarter escapes one time in 10^7."""


def bell_state(circuit: QuantumCircuit, which: int, first: int = 0, second: int = 1) -> QuantumCircuit:
    """Phi+, Phi-, Psi+ or Psi- of two qubits that are 0."""
    circuit.h(first)
    circuit.cx(first, second)
    if which & 1:
        circuit.z(first)
    if which & 2:
        circuit.x(second)
    return circuit


@oracle("Measurements/1.2")
def sets_to_zero(candidate: Function) -> None:
    """The qubit is 0 whatever it was, the others are as they were; measuring at the end is left open."""
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
    """Never the wrong one of |0> and |+>, each recognised now and then, not too often undecided."""
    undecided = 0
    for plus in (0, 1):
        told = []
        for _ in range(DRAWS):
            circuit = QuantumCircuit(2)
            if plus:
                circuit.h(1)
            told.append(candidate(circuit, 1))
        assert all(one in (plus, -1) for one in told), "the wrong state is named"
        assert plus in told, "a state is never recognised"
        undecided += told.count(-1)
    assert undecided <= 0.8 * 2 * DRAWS + 5 * np.sqrt(0.16 * 2 * DRAWS), "undecided too often"


@oracle("JointMeasurements/2")
def names_bell_states(candidate: Function) -> None:
    """A number of its own for each state, always the same: as they are listed, or phase and parity as bits."""
    told: List[int] = []
    for which in range(4):
        answers = {int(candidate(bell_state(QuantumCircuit(3), which, 2, 0), 2, 0)) for _ in range(4)}
        assert len(answers) == 1, "the same state is told otherwise"
        told += answers
    assert told in ([0, 1, 2, 3], [0, 2, 1, 3]), "the states are mistaken for one another"


@oracle("JointMeasurements/5")
def parity_of_y(candidate: Function) -> None:
    """The parity of Y of product states and of Bell states, each of which has one."""
    for first, second in itertools.product((0, 1), repeat=2):
        circuit = QuantumCircuit(3)
        for qubit, minus in ((2, first), (0, second)):
            circuit.h(qubit)
            (circuit.sdg if minus else circuit.s)(qubit)
        assert bool(candidate(circuit, 2, 0)) == (first != second), "another parity"
    for which, odd in enumerate((True, False, False, True)):
        for _ in range(4):
            found = bool(candidate(bell_state(QuantumCircuit(3), which, 2, 0), 2, 0))
            assert found == odd, "another parity"


@oracle("examples/BellStateAnalysis")
def tells_bell_states_apart(candidate: Function) -> None:
    """Four states, four outcomes that no two share; whether it measures is left open."""
    told_apart(lambda circuit: candidate(circuit, [2, 0]))


@oracle("examples/BasicQuantumTeleportation")
def alice_measures_bell_states(candidate: Function) -> None:
    """Her two qubits in a Bell state give an outcome that no other state gives."""
    told_apart(lambda circuit: candidate(circuit, 2, 0, 1), clbits=3)


def told_apart(apply: Function, clbits: int = 0) -> None:
    """That the outcomes of the four Bell states of qubits 2 and 0 have nothing in common."""
    seen = [
        {
            bits
            for bits, p in outcomes(circuit_of(apply(bell_state(QuantumCircuit(3, clbits), which, 2, 0)))).items()
            if p > TOLERANCE
        }
        for which in range(4)
    ]
    assert not any(a & b for a, b in itertools.combinations(seen, 2)), "an outcome belongs to two states"


@oracle("examples/QuantumSuperdenseCoding")
def encodes_two_bits(candidate: Function) -> None:
    """Four messages, four orthogonal states, by her qubit alone; which stands for which is left open."""
    states = []
    for message in range(4):
        gate = applied(lambda qc, q: candidate(qc, q[0], message), 2)
        assert is_same(gate, np.kron(np.eye(2), gate[:2, :2])), "more than her qubit is touched"
        states.append(gate @ Statevector(bell_state(QuantumCircuit(2), 0)).data)
    assert np.allclose(np.abs(np.conj(states) @ np.transpose(states)), np.eye(4), atol=TOLERANCE), "not four messages"


@oracle("Teleportation/1.3")
def corrects_by_two_bits(candidate: Function) -> None:
    """Z for the message's bit, X for Alice's, up to a phase."""
    x, z = np.array([[0, 1], [1, 0]]), np.diag([1, -1])
    for message, alice in itertools.product((0, 1), repeat=2):
        found = applied(lambda qc, q: candidate(qc, q[0], bool(message), bool(alice)), 2)
        same(found, np.kron(np.eye(2), np.linalg.matrix_power(x, alice) @ np.linalg.matrix_power(z, message)))


@oracle("Teleportation/1.4")
def teleports(candidate: Function) -> None:
    """The message's state is Bob's in the end, by measurements or by controls."""
    teleported(candidate, entangled=False)


@oracle("Teleportation/3.1")
def teleports_without_measuring(candidate: Function) -> None:
    """The same from a pair that is entangled already, and nothing is measured."""
    assert not teleported(candidate, entangled=True).count_ops().get("measure"), "it measures"


def teleported(candidate: Function, *, entangled: bool) -> QuantumCircuit:
    """The circuit, once Bob's qubit 0 is shown to be what the message's qubit 1 was."""
    found = QuantumCircuit()
    for seed in (1, 2):
        circuit = QuantumCircuit(3)
        if entangled:
            bell_state(circuit, 0, 2, 0)
        gates = random_state(circuit, [1], seed)
        found = circuit_of(candidate(circuit, 2, 0, 1))
        bobs = QuantumCircuit(1)
        bobs.append(gates.data[0].operation, [0])
        undone(found, bobs, [0])
    return found


@oracle("QEC_BitFlipCode/10")
def protects_a_qubit(candidate: Function) -> None:
    """Whichever qubit is flipped, the code holds the state that the data qubit had."""
    for error in (None, 0, 1, 3):
        circuit = QuantumCircuit(5)
        gates = random_state(circuit, [1])
        found = candidate(circuit, 1, [3, 0], [4, 2], error)
        encoding = QuantumCircuit(4).compose(gates, range(gates.num_qubits))
        encoding.cx(1, 3)
        encoding.cx(1, 0)
        undone(found, encoding, [0, 1, 3])
