"""A three-qubit state defined by its generators (strings) and their eigenvalues (bits)."""

from collections.abc import Sequence
from functools import cache
from itertools import combinations, product
from random import Random

import numpy as np

from repair_bench.suites.conventions.circuit import Array, Circuit, Gate, cx, h, inverse, s, swap, x, y, z
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

QUBITS = 3
PAULIS = {"X": x, "Y": y, "Z": z}
STRINGS = ["".join(letters) for letters in product("IXYZ", repeat=QUBITS)]


def cases(rng: Random, _: Constants) -> list[tuple[list[str], int]]:
    """Return one case that depends only on the convention for eigenvalues, and three further cases.

    For each of the three other conventions, one of the further cases depends on that convention.
    """
    mirrored = _generators(rng, mirrored=True, with_y=False)
    skew = _generators(rng, mirrored=False, with_y=False)
    with_y = _generators(rng, mirrored=True, with_y=True)
    return [(skew, 2), (with_y, 5), (mirrored, 1), (mirrored, 7)]


def circuit(choice: Choice, _: Constants, generators: list[str], signs: int) -> Circuit:
    bits = [int(bit) for bit in format(signs, f"0{QUBITS}b")]
    if choice["bits"] == "least":
        bits.reverse()
    decoder, negative = _decoder(tuple(generators))
    flipped: list[Gate] = []
    for qubit, generator in enumerate(generators):
        minus = bits[qubit] == int(choice["value"] == "minus")
        if choice["y"] == "real" and "Y" in generator:
            minus = not minus  # there are two such factors, and the square of XZ is -YY
        if minus != negative[qubit]:
            flipped.append(x(qubit))
    places = {i: i if choice["letters"] == "first" else QUBITS - 1 - i for i in range(QUBITS)}
    return Circuit(QUBITS, tuple(gate.on(places) for gate in (*flipped, *inverse(decoder))))


@cache
def _decoder(generators: Sequence[str]) -> tuple[tuple[Gate, ...], tuple[bool, ...]]:
    """Return two tuples: gates that map each generator i to Z or -Z on qubit i, and one boolean per generator.

    The boolean of generator i is True if the gates map the generator to -Z.
    """
    gates: list[Gate] = []
    for i, generator in enumerate(generators):
        letters, _ = _turned(gates, generator)
        # earlier generators are Z on earlier qubits; since this one commutes with them, it has no X or Y there
        for qubit, letter in enumerate(letters):
            gates += {"X": [h(qubit)], "Y": [s(qubit), h(qubit)]}.get(letter, [])
        support = [qubit for qubit, letter in enumerate(letters) if letter != "I"]
        pivot = next(qubit for qubit in support if qubit >= i)
        gates += [cx(qubit, pivot) for qubit in support if qubit != pivot]
        gates += [swap(i, pivot)] if pivot != i else []
    return tuple(gates), tuple(_turned(gates, generator)[1] < 0 for generator in generators)


def _turned(gates: Sequence[Gate], string: str) -> tuple[str, int]:
    """Return the letters and the sign of a Pauli product after conjugation by the gates."""
    unitary = Circuit(QUBITS, tuple(gates)).unitary()
    matrix = unitary @ _matrix(string) @ unitary.conj().T
    overlaps = {string: round(np.vdot(_matrix(string), matrix).real / 2**QUBITS) for string in STRINGS}
    return next((string, sign) for string, sign in overlaps.items() if sign)


@cache
def _matrix(string: str) -> Array:
    return Circuit(QUBITS, tuple(PAULIS[letter](i) for i, letter in enumerate(string) if letter != "I")).unitary()


def _generators(rng: Random, *, mirrored: bool, with_y: bool) -> list[str]:
    """Return three randomly chosen stabilizer generators of an entangled state. `with_y`: whether some but not all
    generators contain two Ys.
    """
    while True:
        first, second, third = (rng.choice(STRINGS) for _ in range(QUBITS))
        strings = [first, second, first[::-1] if mirrored else third]
        pairs = ["Y" in string for string in strings]
        if any(string.count("Y") not in (0, 2) for string in strings) or any(pairs) != with_y or all(pairs):
            continue
        if any(_anticommute(*pair) for pair in combinations(strings, 2)):
            continue
        group, backwards = _products(strings), _products([string[::-1] for string in strings])
        is_entangled = min(QUBITS - string.count("I") for string in group) > 1
        if is_entangled and (
            strings == [string[::-1] for string in reversed(strings)] if mirrored else group != backwards
        ):
            return strings


def _anticommute(one: str, other: str) -> bool:
    return sum("I" not in (a, b) and a != b for a, b in zip(one, other, strict=True)) % 2 == 1


def _products(strings: Sequence[str]) -> set[str]:
    letters = "IXZY"  # written as numbers, products are sums without carry
    products = set()
    for count in range(1, len(strings) + 1):
        for chosen in combinations(strings, count):
            sums = [
                np.bitwise_xor.reduce([letters.index(letter) for letter in place])
                for place in zip(*chosen, strict=True)
            ]
            products.add("".join(letters[total] for total in sums))
    return products


FAMILY = Family(
    name="stabilizer_state",
    title="Stabilizer state",
    entry_point="stabilizer_state",
    parameters="generators: list[str], signs: int",
    kind="state",
    size=QUBITS,
    category="state_preparation",
    concepts=("stabilizers", "entanglement"),
    statement="""
Prepare a stabilizer state of three qubits: the joint eigenstate of three commuting `generators`, each a string with
one of the letters I, X, Y, Z per qubit. The three bits of `signs`, an integer from 0 to 7, determine the eigenvalue
of each generator, +1 or -1.
""",
    dimensions=(
        dimension(
            "letters",
            "the order of the letters",
            "whether the first letter of a generator acts on qubit 0 or on qubit 2",
            first="The first letter of a generator acts on qubit 0, the last on qubit 2.",
            last="The first letter of a generator acts on qubit 2, the last on qubit 0.",
        ),
        dimension(
            "value",
            "the meaning of a bit of `signs`",
            "whether a 1 in `signs` encodes the eigenvalue -1 or +1",
            minus="In `signs`, a 1 encodes the eigenvalue -1, and a 0 encodes the eigenvalue +1.",
            plus="In `signs`, a 1 encodes the eigenvalue +1, and a 0 encodes the eigenvalue -1.",
        ),
        dimension(
            "bits",
            "the order of the bits of `signs`",
            "whether the most or the least significant bit of `signs` determines the eigenvalue of the first generator",
            most=(
                "The most significant bit of `signs` determines the eigenvalue of the first generator, and the least "
                "significant bit determines the eigenvalue of the third generator."
            ),
            least=(
                "The least significant bit of `signs` determines the eigenvalue of the first generator, and the most "
                "significant bit determines the eigenvalue of the third generator."
            ),
        ),
        dimension(
            "y",
            "the letter Y",
            "whether the letter Y is the Pauli matrix Y = iXZ or the real matrix product XZ",
            pauli="The letter Y is the Pauli matrix Y = iXZ.",
            real="The letter Y is the real matrix product XZ, without the factor i of the Pauli matrix.",
        ),
    ),
    cases=cases,
    circuit=circuit,
)
