"""Games and key distribution: CHSHGame, GHZGame, MagicSquareGame, KeyDistribution_BB84."""

import itertools
from typing import Any, Callable, List, Sequence, Tuple

import numpy as np
from qiskit import QuantumCircuit

from repair_bench.suites.oracles.kinds import TOLERANCE, Function, applied, oracle, same, state_of

PAULIS = {
    "I": np.eye(2),
    "X": np.array([[0, 1], [1, 0]]),
    "Y": np.array([[0, -1j], [1j, 0]]),
    "Z": np.diag([1, -1]),
}

QUBITS = 80
"""Of a key: about ten of the forty bits left are wrong where Eve listens to all."""


@oracle("CHSHGame/2.4")
def measures_in_tilted_bases(candidate: Function) -> None:
    """Her basis at an angle for 0 and at minus that for 1, of either sign: pi/8, or half of it where Ry(pi/8) turns."""
    assert any(is_basis(candidate, angle) for angle in np.pi / np.array([8, -8, 16, -16])), "another basis"


def is_basis(candidate: Function, angle: float) -> bool:
    """Whether the states of these bases always have their own outcome."""
    for _ in range(60):
        for bit, one in itertools.product((0, 1), repeat=2):
            circuit = QuantumCircuit(2)
            if one:
                circuit.x(1)
            circuit.ry(-2 * angle if bit else 2 * angle, 1)
            if bool(candidate(circuit, bool(bit), 1)) != bool(one):
                return False
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
        found = [int(bit) for bit in play(players(bits, seen))]
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


@oracle("KeyDistribution_BB84/3.2")
def notices_eve(candidate: Function) -> None:
    """Keys agree without Eve. With her a quarter of the bits is wrong, and the keys are mostly refused."""
    for _ in range(4):
        secure, alice, bob, rate = candidate(QUBITS, 0.0)
        assert secure, "the keys are secure"
        assert list(alice) == list(bob), "the keys differ"
        assert 1 <= len(alice) < QUBITS, "not the bits of equal bases"
        assert rate == 0, "there are no errors"
    refused, rates = 0, []
    for _ in range(3):
        secure, _, _, rate = candidate(QUBITS, 1.0)
        refused += not secure
        rates.append(rate)
    assert refused >= 2, "Eve is not noticed"
    rate = np.mean(rates) / (100 if max(rates) > 1 else 1)  # a percentage, or a share
    assert 0.1 < rate < 0.4, "another rate of errors"
