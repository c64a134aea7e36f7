"""Oracles for teleportation and entanglement swapping."""

import itertools
from typing import Any

import numpy as np
from qiskit import QuantumCircuit

from repair_bench.suites.oracles.kinds import (
    Function,
    applied,
    bell_state,
    circuit_of,
    integer,
    names,
    one_reading,
    opened,
    oracle,
    random_state,
    same,
    truth,
    undone,
)

X, Z = np.array([[0, 1], [1, 0]]), np.diag([1, -1])


def corrected(phase: int, parity: int) -> Any:
    """Return the matrix that undoes Z^phase X^parity on the first of two qubits, up to a global phase.

    `phase`, `parity`: bits.
    """
    return np.kron(np.eye(2), np.linalg.matrix_power(X, parity) @ np.linalg.matrix_power(Z, phase))


@oracle("Teleportation/1.2")
def sends_two_bits(candidate: Function) -> None:
    """Check that the two returned bits identify the Bell state of Alice's qubits.

    The two bits are the phase and the parity, in either order.
    """

    def ask(circuit: QuantumCircuit) -> int:
        message, alice = candidate(circuit, 0, 2)
        return truth(message) + 2 * truth(alice)

    circuits = [bell_state(QuantumCircuit(3), which, 2, 0) for which in range(4)]
    names(ask, circuits, [0, 1, 2, 3], [0, 2, 1, 3])


@oracle("Teleportation/1.3")
def corrects_by_two_bits(candidate: Function) -> None:
    """Check that Z is applied if the message's bit is 1, and X if Alice's bit is 1, up to a global phase."""
    for message, alice in itertools.product((0, 1), repeat=2):
        found = applied(lambda qc, q: candidate(qc, q[0], bool(message), bool(alice)), 2)
        same(found, corrected(message, alice))


@oracle("Teleportation/1.4")
def teleports(candidate: Function) -> None:
    """Check that Bob's qubit ends in the state of the message. The circuit may use measurements or controlled gates."""
    teleported(candidate, entangled=False)


@oracle("Teleportation/3.1")
def teleports_without_measuring(candidate: Function) -> None:
    """Check that Bob's qubit ends in the state of the message.

    The circuit starts with an entangled pair and must not contain measurements.
    """
    found = opened(teleported(candidate, entangled=True))
    assert not found.count_ops().get("measure"), "the circuit contains a measurement"


def teleported(candidate: Function, *, entangled: bool) -> QuantumCircuit:
    """Assert that qubit 4, initially entangled with qubit 2 (the message), is finally entangled with Bob's qubit 1."""
    circuit = QuantumCircuit(5)
    if entangled:
        bell_state(circuit, 0, 3, 1)
    bell_state(circuit, 0, 4, 2)
    random_state(circuit, [0, 2, 4])
    wanted = bell_state(QuantumCircuit(5), 0, 4, 1)
    gates = random_state(QuantumCircuit(5), [0, 2, 4])
    wanted.compose(gates, [0, 3, 1, 2, 4], inplace=True)
    found = circuit_of(candidate(circuit, 3, 1, 2))
    undone(found, wanted, [0, 1, 4])
    return found


@oracle("Teleportation/1.6")
def reads_what_was_sent(candidate: Function) -> None:
    """Check that the candidate identifies an eigenstate of X, Y or Z to which Z and X gates may have been applied.

    Two bits tell the candidate which gates were applied: the phase (Z) and the parity (X), in either order.
    """

    def is_right(step: int) -> bool:
        for basis, one, phase, parity in itertools.product("XYZ", *[(0, 1)] * 3):
            circuit = QuantumCircuit(2)
            if one:
                circuit.x(1)
            if basis != "Z":
                circuit.h(1)
            if basis == "Y":
                circuit.s(1)
            if parity:
                circuit.x(1)
            if phase:
                circuit.z(1)
            bits = (bool(phase), bool(parity))[::step]
            if any(truth(candidate(circuit.copy(), 1, bits, basis)) != bool(one) for _ in range(2)):
                return False
        return True

    assert is_right(1) or is_right(-1), "the identified eigenstate is incorrect"


@oracle("Teleportation/1.8")
def swaps_entanglement(candidate: Function) -> None:
    """Check that Bob's correction for Charlie's message maps each Bell state to Phi+. Accept any encoding of the
    messages.

    Bob may act only on his qubit, which this test entangles with another qubit.
    """
    charlie, bob = candidate()

    def turned(circuit: QuantumCircuit, qubit: int, message: int) -> QuantumCircuit:
        returned = bob(circuit, qubit, message)
        return circuit if returned is None else circuit_of(returned)

    for which in range(4):
        messages = {integer(charlie(bell_state(QuantumCircuit(4), which, 2, 0), 2, 0)) for _ in range(12)}
        for message in messages:
            same(applied(lambda qc, q: turned(qc, q[0], message), 2), corrected(which & 1, which >> 1))


@oracle("Teleportation/4.2")
def corrects_by_three_bits(candidate: Function) -> None:
    """Accept the corrections for the state of task 4.1, measured in the Z basis.

    Also accept the corrections for a GHZ state, measured in the X basis.
    """
    cases = []
    for message, alice, bob in itertools.product((0, 1), repeat=3):
        found = applied(lambda qc, q: candidate(qc, q[0], (bool(message), bool(alice)), bool(bob)), 2)
        cases.append((found, (corrected(message, alice ^ bob), corrected(message ^ bob, alice))))
    one_reading(cases)
