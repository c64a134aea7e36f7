"""Games and key distribution: CHSHGame, GHZGame, MagicSquareGame, KeyDistribution_BB84."""

import itertools
from typing import Any, Callable, List, Sequence, Tuple

import numpy as np
from qiskit import QuantumCircuit

from repair_bench.suites.oracles.kinds import (
    TOLERANCE,
    Function,
    applied,
    oracle,
    outcomes,
    same,
    state_of,
    truth,
    whole,
)

PAULIS = {
    "I": np.eye(2),
    "X": np.array([[0, 1], [1, 0]]),
    "Y": np.array([[0, -1j], [1j, 0]]),
    "Z": np.diag([1, -1]),
}

@oracle("CHSHGame/2.4")
def measures_in_tilted_bases(candidate: Function) -> None:
    """Her basis at an angle for 0 and at minus that for 1, of either sign: pi/8, or half of it where Ry(pi/8) turns."""
    assert any(is_basis(candidate, angle) for angle in np.pi / np.array([8, -8, 16, -16])), "another basis"


def is_basis(candidate: Function, angle: float) -> bool:
    """Whether the states of these bases always have their own outcome, and an angle that differs by 0.01 would not.

    Where the circuit that is given is the one that is measured its outcomes are known. What is measured elsewhere is
    asked more often: what differs by 0.1 then escapes once in 400 times.
    """
    for bit, one in itertools.product((0, 1), repeat=2):
        asked = 0
        while asked < 150:
            circuit = QuantumCircuit(2)
            if one:
                circuit.x(1)
            circuit.ry(-2 * angle if bit else 2 * angle, 1)
            if truth(candidate(circuit, bool(bit), 1)) != bool(one):
                return False
            seen = outcomes(circuit) if circuit.count_ops().get("measure") else {}
            if seen and max(seen.values()) < 1 - TOLERANCE:
                return False
            asked += 15 if seen else 1
    return True


Seen = List[Tuple[QuantumCircuit, int]]


def players(bits: Sequence[int], seen: Seen) -> List[Callable[[QuantumCircuit, int], bool]]:
    """Strategies that answer these bits, and note the circuit and the qubit that they are given."""

    def player(bit: int) -> Callable[[QuantumCircuit, int], bool]:
        def ask(circuit: QuantumCircuit, qubit: int) -> bool:
            seen.append((circuit.copy(), qubit))
            return bool(bit)

        return ask

    return [player(bit) for bit in bits]


def played(play: Callable[[Any], Any], size: int, *states: Any) -> None:
    """That each player is asked once, of a qubit of one of these states, and that their answers are returned."""
    for bits in itertools.product((0, 1), repeat=size):
        seen: Seen = []
        found = [truth(bit) for bit in play(players(bits, seen))]
        assert found == list(bits), "not what the players answer"
        qubits = [qubit for _, qubit in seen]
        assert len(seen) == len(set(qubits)) == size, "not each player asked of a qubit"
        for circuit, _ in seen:
            same(state_of(circuit, qubits), *states)


@oracle("CHSHGame/2.5")
def plays_with_a_bell_pair(candidate: Function) -> None:
    """Phi+, the one state with which the strategies of this game win as often as the prompt says."""
    played(lambda ask: candidate(*ask), 2, [np.sqrt(0.5), 0, 0, np.sqrt(0.5)])


@oracle("GHZGame/2.3")
def plays_with_a_triple(candidate: Function) -> None:
    """The state of task 2.1, or the usual GHZ state: the prompt names neither."""
    triple = np.array([1, 0, 0, -1, 0, -1, -1, 0]) / 2
    played(candidate, 3, triple, np.eye(8)[0] * np.sqrt(0.5) + np.eye(8)[7] * np.sqrt(0.5))


@oracle("MagicSquareGame/2.2")
def is_a_magic_square(candidate: Function) -> None:
    """The three properties of the prompt."""

    def matrix(row: int, column: int) -> Any:
        sign, (first, second) = candidate(row, column)
        assert sign in (1, -1), "no sign"
        return sign * np.kron(PAULIS[first.name], PAULIS[second.name])

    square = [[matrix(row, column) for column in range(3)] for row in range(3)]
    columns = [list(column) for column in zip(*square)]
    for lines, product in ((square, np.eye(4)), (columns, -np.eye(4))):
        for line in lines:
            assert all(np.allclose(a @ b, b @ a) for a, b in itertools.combinations(line, 2)), "they do not commute"
            assert np.allclose(line[0] @ line[1] @ line[2], product), "another product"


@oracle("MagicSquareGame/2.3")
def applies_observables(candidate: Function) -> None:
    """The sign included; the first qubit is the first of the list or the last."""
    paulis = list(Pauli)  # type: ignore[name-defined]  # noqa: F821 - the task's own class
    readings = {1, -1}
    for sign, pair in itertools.product((1, -1), itertools.product(paulis, repeat=2)):
        found = applied(lambda qc, q: candidate(qc, (sign, list(pair)), q), 2)
        for step in set(readings):
            first, second = (PAULIS[pauli.name] for pauli in pair[::step])
            if not np.allclose(found, sign * np.kron(second, first), atol=TOLERANCE):
                readings -= {step}
    assert readings, "not the observable, its sign included"


QUBITS = 20
"""Of a key: about ten are left, few enough for a circuit of all of them."""


@oracle("KeyDistribution_BB84/3.2")
def notices_eve(candidate: Function) -> None:
    """Keys agree without Eve. A quarter of what she listens to is wrong, and with all of that most keys are refused.

    The errors may be counted in all bits that are left, or in half of them, which the keys then lack. The means of these
    small samples are so far from the bounds that a right answer is refused less than once in 10^6 times.
    """
    lengths: List[int] = []
    keys: List[int] = []

    def rates(probability: float, times: int) -> List[float]:
        found = []
        for _ in range(times):
            secure, alice, bob, rate = candidate(QUBITS, probability)
            assert len(alice) == len(bob), "keys of different lengths"
            assert set(map(whole, [*alice, *bob])) <= {0, 1}, "no bits"
            if probability == 0:
                assert truth(secure), "the keys are secure"
                assert list(alice) == list(bob), "the keys differ"
                assert rate == 0, "there are no errors"
                keys.extend(map(whole, alice))
            if probability < 1:
                lengths.append(len(alice))
            found.append(float(rate) if truth(secure) else -float(rate))
        return found

    rates(0.0, 6)
    assert 6 <= len(keys) <= 93, "not the bits of equal bases"  # of 120: half of them and six standard deviations
    assert set(keys) == {0, 1}, "a key that is no secret"
    all_told = rates(1.0, 24)
    unit = 100 if max(map(abs, all_told)) > 1 else 1  # a percentage, or a share
    assert sum(rate < 0 for rate in all_told) >= 4, "Eve is not noticed"
    assert len(set(map(abs, all_told))) > 1, "errors that are not counted"
    assert 0.05 < np.mean(np.abs(all_told)) / unit < 0.45, "another rate of errors"
    assert np.mean(np.abs(rates(0.1, 24))) / unit < 0.18, "another rate of errors"
    assert len(set(lengths)) > 1, "not the bits of equal bases"
