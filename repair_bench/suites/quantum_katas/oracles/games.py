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
    asked more often: what differs by 0.2 then escapes once in 600 times.
    """
    for bit, one in itertools.product((0, 1), repeat=2):
        asked = 0
        while asked < 40:
            circuit = QuantumCircuit(2)
            if one:
                circuit.x(1)
            circuit.ry(-2 * angle if bit else 2 * angle, 1)
            if truth(candidate(circuit, bool(bit), 1)) != bool(one):
                return False
            seen = outcomes(circuit) if circuit.count_ops().get("measure") else {}
            if seen and max(seen.values()) < 1 - TOLERANCE:
                return False
            asked += 10 if seen else 1
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


QUBITS = 12
"""Of a key, of which about six are left: a circuit of all of them can be simulated."""
Run = Tuple[bool, List[bool], List[bool], float]


@oracle("KeyDistribution_BB84/3.2")
def notices_eve(candidate: Function) -> None:
    """Keys agree without Eve. A quarter of what she listens to is wrong, and with all of that most keys are refused.

    The errors may be counted in all bits that are left, or in half of them, which the keys then lack. What is unlikely
    in ten runs is looked at again in forty: there a right answer is as far from the bounds once in 10^6 times.
    """

    def run(probability: float) -> Run:
        secure, alice, bob, rate = candidate(QUBITS, probability)
        keys = [[truth(bit) for bit in key] for key in (alice, bob)]
        assert len(keys[0]) == len(keys[1]), "keys of different lengths"
        return truth(secure), keys[0], keys[1], float(rate)

    alone = [run(0.0) for _ in range(3)]
    for secure, alice, bob, rate in alone:
        assert secure, "the keys are secure"
        assert alice == bob, "the keys differ"
        assert rate == 0, "there are no errors"
    few: List[Run] = [run(1.0) for _ in range(10)]
    some: List[Run] = [run(0.1) for _ in range(10)]
    if not tells(alone + some, few, (0.12, 0.38, 0.12, 0.3)):
        few += [run(1.0) for _ in range(30)]
        some += [run(0.1) for _ in range(30)]
        assert tells(alone + some, few, (0.05, 0.45, 0.18, 0.15)), "Eve is told otherwise than by a quarter of errors"


def tells(seldom: List[Run], always: List[Run], bounds: Tuple[float, float, float, float]) -> bool:
    """Whether keys and rates of errors are as they have to be where Eve listens seldom and where she always does.

    `bounds`: for the mean rate where she always listens, for the one where she seldom does, and for the share of the
    keys that are refused.
    """
    rates = [rate for _, _, _, rate in always]
    unit = 100 if max(rates) > 1 else 1  # a percentage, or a share
    low, high, least, refused = bounds
    lengths = [len(alice) for _, alice, _, _ in seldom]
    return bool(
        low < np.mean(rates) / unit < high
        and np.mean([rate for _, _, _, rate in seldom]) / unit < least
        and np.mean([not secure for secure, _, _, _ in always]) > refused
        and len(set(rates)) > 1
        and len(set(lengths)) > 1
        and 0.04 < np.mean(lengths) / QUBITS < 0.5 + 3 / np.sqrt(QUBITS * len(seldom))
        and {bit for _, alice, _, _ in seldom for bit in alice} == {0, 1}
    )
