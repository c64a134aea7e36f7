"""Oracles for games and key distribution: CHSHGame, GHZGame, MagicSquareGame, KeyDistribution_BB84."""

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
    """Accept a pair of measurement bases at the angles +a and -a, in either order.

    The angle a is pi/8 or pi/16. The angle pi/16 is accepted because Ry(pi/8) turns a basis by pi/16.
    """
    assert any(is_basis(candidate, angle) for angle in np.pi / np.array([8, -8, 16, -16])), (
        "the measurement basis is incorrect"
    )


def is_basis(candidate: Function, angle: float) -> bool:
    """Whether the candidate returns the correct bit for each state of the basis in every call.

    If the candidate measures the given circuit, the test computes the exact outcome probabilities. The probabilities
    show whether the angle of the candidate's basis deviates from `angle` by 0.01 or more. If the candidate measures
    only a copy of the circuit, the test sees only the returned bit and makes 40 calls per state instead of 4. One in
    600 tests of such a candidate fails to detect a deviation of 0.2.
    """
    for bit, one in itertools.product((0, 1), repeat=2):
        tested = 0
        while tested < 40:
            circuit = QuantumCircuit(2)
            if one:
                circuit.x(1)
            circuit.ry(-2 * angle if bit else 2 * angle, 1)
            if truth(candidate(circuit, bool(bit), 1)) != bool(one):
                return False
            seen = outcomes(circuit) if circuit.count_ops().get("measure") else {}
            if seen and max(seen.values()) < 1 - TOLERANCE:
                return False
            tested += 10 if seen else 1
    return True


Seen = List[Tuple[QuantumCircuit, int]]


def players(bits: Sequence[int], seen: Seen) -> List[Callable[[QuantumCircuit, int], bool]]:
    """Return one player function per bit.

    The function for a bit always answers with this bit, and adds the circuit and the qubit of each call to `seen`.
    """

    def player(bit: int) -> Callable[[QuantumCircuit, int], bool]:
        def ask(circuit: QuantumCircuit, qubit: int) -> bool:
            seen.append((circuit.copy(), qubit))
            return bool(bit)

        return ask

    return [player(bit) for bit in bits]


def played(play: Callable[[Any], Any], size: int, *states: Any) -> None:
    """Assert that `play` calls each player once, and returns the players' answers.

    `size`: the number of players. `states`: the accepted joint states of the players' qubits.
    """
    for bits in itertools.product((0, 1), repeat=size):
        seen: Seen = []
        found = [truth(bit) for bit in play(players(bits, seen))]
        assert found == list(bits), "the result differs from the players' answers"
        qubits = [qubit for _, qubit in seen]
        assert len(seen) == len(set(qubits)) == size, "not every player was called once, with a separate qubit"
        for circuit, _ in seen:
            same(state_of(circuit, qubits), *states)


@oracle("CHSHGame/2.5")
def plays_with_a_bell_pair(candidate: Function) -> None:
    """Check that the players share the state Phi+.

    If the players shared any other state, the game's strategies would win less often than the prompt says.
    """
    played(lambda ask: candidate(*ask), 2, [np.sqrt(0.5), 0, 0, np.sqrt(0.5)])


@oracle("GHZGame/2.3")
def plays_with_a_triple(candidate: Function) -> None:
    """Accept both the state of task 2.1 and the usual GHZ state, because the prompt does not name the state."""
    triple = np.array([1, 0, 0, -1, 0, -1, -1, 0]) / 2
    played(candidate, 3, triple, np.eye(8)[0] * np.sqrt(0.5) + np.eye(8)[7] * np.sqrt(0.5))


@oracle("MagicSquareGame/2.2")
def is_a_magic_square(candidate: Function) -> None:
    """Check that the square has the three properties that the prompt lists."""

    def matrix(row: int, column: int) -> Any:
        sign, (first, second) = candidate(row, column)
        assert sign in (1, -1), "the sign is neither 1 nor -1"
        return sign * np.kron(PAULIS[first.name], PAULIS[second.name])

    square = [[matrix(row, column) for column in range(3)] for row in range(3)]
    columns = [list(column) for column in zip(*square)]
    for lines, product in ((square, np.eye(4)), (columns, -np.eye(4))):
        for line in lines:
            assert all(np.allclose(a @ b, b @ a) for a, b in itertools.combinations(line, 2)), (
                "two observables of a line do not commute"
            )
            assert np.allclose(line[0] @ line[1] @ line[2], product), "the product of a line is incorrect"


@oracle("MagicSquareGame/2.3")
def applies_observables(candidate: Function) -> None:
    """Check that the candidate applies the correct observable with the correct sign.

    The first Pauli operator of an observable may act on the first or on the last qubit in the list.
    """
    paulis = list(Pauli)  # type: ignore[name-defined]  # noqa: F821 - the class that the task defines
    readings = {1, -1}
    for sign, pair in itertools.product((1, -1), itertools.product(paulis, repeat=2)):
        found = applied(lambda qc, q: candidate(qc, (sign, list(pair)), q), 2)
        for step in set(readings):
            first, second = (PAULIS[pauli.name] for pauli in pair[::step])
            if not np.allclose(found, sign * np.kron(second, first), atol=TOLERANCE):
                readings -= {step}
    assert readings, "the observable or its sign is incorrect"


QUBITS = 12
"""The number of qubits per key. About six bits of each key remain after the bases are compared. A circuit with 12
qubits can still be simulated."""
Run = Tuple[bool, List[bool], List[bool], float]


@oracle("KeyDistribution_BB84/3.2")
def notices_eve(candidate: Function) -> None:
    """Check that the keys are equal without Eve, and that a quarter of the bits that Eve intercepts are wrong.

    If Eve intercepts all bits, most keys must be rejected. To count errors, an answer may compare all bits that
    remain in the two keys, or only half of these bits. An answer that compares only half of the bits removes the
    compared bits from the keys. If ten runs give an unlikely result, the test adds thirty runs. A correct answer fails
    in 1 of 10^6 tests.
    """

    def run(probability: float) -> Run:
        secure, alice, bob, rate = candidate(QUBITS, probability)
        keys = [[truth(bit) for bit in key] for key in (alice, bob)]
        assert len(keys[0]) == len(keys[1]), "the keys have different lengths"
        return truth(secure), keys[0], keys[1], float(rate)

    alone = [run(0.0) for _ in range(3)]
    for secure, alice, bob, rate in alone:
        assert secure, "keys without an eavesdropper are reported as insecure"
        assert alice == bob, "the keys differ without an eavesdropper"
        assert rate == 0, "errors are reported without an eavesdropper"
    few: List[Run] = [run(1.0) for _ in range(10)]
    some: List[Run] = [run(0.1) for _ in range(10)]
    if not is_plausible(alone + some, few, (0.12, 0.38, 0.12, 0.3)):
        few += [run(1.0) for _ in range(30)]
        some += [run(0.1) for _ in range(30)]
        assert is_plausible(alone + some, few, (0.05, 0.45, 0.18, 0.15)), (
            "the results do not agree with one error in four intercepted bits"
        )


def is_plausible(seldom: List[Run], always: List[Run], bounds: Tuple[float, float, float, float]) -> bool:
    """Whether the keys and error rates are plausible. `seldom`, `always`: runs with rare and with constant
    eavesdropping.

    `bounds`: four numbers. With constant eavesdropping, the mean error rate must be between `bounds[0]` and
    `bounds[1]`, and the share of rejected keys must be above `bounds[3]`. With rare eavesdropping, the mean error rate
    must be below `bounds[2]`.
    """
    rates = [rate for _, _, _, rate in always]
    unit = 100 if max(rates) > 1 else 1  # a percentage or a fraction
    low, high, max_rate, refused = bounds
    lengths = [len(alice) for _, alice, _, _ in seldom]
    return bool(
        low < np.mean(rates) / unit < high
        and np.mean([rate for _, _, _, rate in seldom]) / unit < max_rate
        and np.mean([not secure for secure, _, _, _ in always]) > refused
        and len(set(rates)) > 1
        and len(set(lengths)) > 1
        and 0.04 < np.mean(lengths) / QUBITS < 0.5 + 3 / np.sqrt(QUBITS * len(seldom))
        and {bit for _, alice, _, _ in seldom for bit in alice} == {0, 1}
    )
