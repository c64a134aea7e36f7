"""T count: implement a diagonal operation, given by T, CS and CCZ gates, with as few T gates as possible.

The hidden circuit applies a T gate to each of k random parities (XORs of some qubits). The *signature* of the parities
is a tensor over GF(2): entry (a, b, c) is 1 if an odd number of the parities contain all of the qubits a, b and c.
Clifford gates are free, so the minimum number of T gates depends only on the signature. The signature has (n^3 + 5 n) /
6 independent entries. Each parity is described by n bits, one per qubit. The number of parities, k, is the number of
independent entries divided by n, rounded up. With this k, a shorter list of parities with the same signature is
unlikely to exist. With a much smaller k, the parities would be easy to derive from the tensor.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from random import Random

import numpy as np
from numpy.typing import NDArray

from repair_bench.suites.horizon.family import (
    Circuit,
    Clock,
    Data,
    Family,
    Incorrect,
    Instance,
    ladder,
    mask,
    members,
    phases,
)

_EIGHTHS = {"t": 1, "s": 2, "z": 4, "sdg": 6, "tdg": 7}
"""The angles of the phase gates in units of pi / 4."""
_MODULI = (8, 4, 2)
"""The moduli for comparing the coefficients of monomials with one, two and three qubits."""
_CLIFFORD = {2: "s", 4: "z", 6: "sdg"}
_MAX_DIRECTIONS = 400
_MAX_PLATEAU = 12

Polynomial = dict[tuple[int, ...], int]
"""A diagonal operation exp(i pi/4 f(x)), where f = sum of l x_a + 2 sum of q x_a x_b + 4 sum of c x_a x_b x_c. The
nonzero coefficients l, q and c are keyed by the indices of their monomials: (a,), (a, b) or (a, b, c)."""


def draw(size: int, rng: Random) -> Instance:
    count = math.ceil((size * size + 5) / 6)
    while _rank(parities := rng.sample(range(1, 1 << size), count)) < size:
        pass
    tensor = _tensor(size, dict.fromkeys(parities, 1)) % 2
    data = {
        "qubits": size,
        "t": [a for a in range(size) if tensor[a, a, a]],
        "cs": [list(pair) for pair in combinations(range(size), 2) if tensor[pair[0], pair[0], pair[1]]],
        "ccz": [list(triple) for triple in combinations(range(size), 3) if tensor[triple]],
    }
    slices = [mask(np.flatnonzero(row).tolist()) for row in tensor.reshape(size, -1)]
    return Instance(data, _circuit(data, parities), count, _rank(slices))


def cost(data: Data, circuit: Circuit) -> int:
    size = data["qubits"]
    found, rows = phases(size, circuit)
    if rows != [1 << qubit for qubit in range(size)]:
        raise Incorrect("does not restore the qubits")
    eighths: dict[int, int] = {}
    for parity, (name, _, _) in found:
        eighths[parity] = (eighths.get(parity, 0) + _EIGHTHS[name]) % 8
    wrong = len(_difference(_wanted(data), _polynomial(size, eighths)))
    if wrong:
        raise Incorrect(f"is not the required operation: {wrong} coefficients of its phase polynomial are incorrect")
    return sum(name in ("t", "tdg") for name, _, _ in circuit)


def _tensor(size: int, multiples: dict[int, int]) -> NDArray[np.int64]:
    """Return a tensor computed from `multiples`, which maps each parity to an integer coefficient.

    Entry (a, b, c) is the sum of the coefficients of all parities that contain qubits a, b and c.
    """
    bits = np.array([[parity >> qubit & 1 for qubit in range(size)] for parity in multiples], dtype=np.float64)
    bits = bits.reshape(-1, size)
    weights = np.array(list(multiples.values()), dtype=np.float64)
    slices = [(bits * (weights * bits[:, qubit])[:, None]).T @ bits for qubit in range(size)]
    return np.array(slices).round().astype(np.int64)


def _polynomial(size: int, eighths: dict[int, int]) -> Polynomial:
    """Return the phase polynomial. A parity of bits equals sum x_a - 2 sum x_a x_b + 4 sum x_a x_b x_c modulo 8."""
    tensor = _tensor(size, eighths)
    terms: Polynomial = {(a,): int(tensor[a, a, a]) for a in range(size)}
    terms |= {(a, b): -int(tensor[a, a, b]) for a, b in combinations(range(size), 2)}
    terms |= {triple: int(tensor[triple]) for triple in combinations(range(size), 3)}
    return {term: value % _MODULI[len(term) - 1] for term, value in terms.items() if value % _MODULI[len(term) - 1]}


def _wanted(data: Data) -> Polynomial:
    return {(a,): 1 for a in data["t"]} | {tuple(term): 1 for term in (*data["cs"], *data["ccz"])}


def _difference(wanted: Polynomial, found: Polynomial) -> Polynomial:
    terms = {*wanted, *found}
    differences = {term: (wanted.get(term, 0) - found.get(term, 0)) % _MODULI[len(term) - 1] for term in terms}
    return {term: value for term, value in sorted(differences.items()) if value}


def _circuit(data: Data, parities: Iterable[int]) -> Circuit:
    """Return a circuit that applies a T gate to each parity, and then the Clifford gates that complete the operation.

    Raises Incorrect if the signature of the parities differs from the signature of the instance's operation.
    """
    steps = [step for parity in parities for step in ladder(parity, ("t", None))]
    left = _difference(_wanted(data), _polynomial(data["qubits"], dict.fromkeys(parities, 1)))
    for term, value in left.items():
        if value % 2 or len(term) > 2:
            raise Incorrect("has another signature")
        steps.append((_CLIFFORD[value], term, None) if len(term) == 1 else ("cz", term, None))
    return tuple(steps)


def naive(data: Data) -> Circuit:
    """Write each CS gate with 3 T gates, and each CCZ gate with 7 T gates."""
    steps: list[tuple[str, tuple[int, ...], float | None]] = [("t", (qubit,), None) for qubit in data["t"]]
    for qubits in (*data["cs"], *data["ccz"]):
        for size in range(1, len(qubits) + 1):
            for part in combinations(qubits, size):
                steps += ladder(mask(part), ("t" if size % 2 else "tdg", None))
    return tuple(steps)


def tool(data: Data) -> Circuit:
    """Merge the phases of equal parities, as phase folding does."""
    return _circuit(data, _expanded(data))


def _expanded(data: Data) -> list[int]:
    """Expand each gate into phase gates on parities. Return the parities that occur an odd number of times."""
    gates = [*([qubit] for qubit in data["t"]), *data["cs"], *data["ccz"]]
    return _odd(mask(part) for gate in gates for size in (1, 2, 3) for part in combinations(gate, size))


def _odd(parities: Iterable[int]) -> list[int]:
    odd: set[int] = set()
    for parity in parities:
        odd ^= {parity} if parity else set()
    return sorted(odd)


def strong(data: Data, clock: Clock) -> Circuit:
    """Repeat the search of Heyfron and Campbell (2018) from different starting points.

    Each search starts from a list of parities. The first search starts from the parities that result from expanding the
    gates into phase gates. Every third later search starts from a list that `_in_random_basis` returns. The other later
    searches start from a randomly changed copy of the shortest list of parities found so far.
    """
    rng, size = Random(1), data["qubits"]  # noqa: S311 - a search
    best = current = start = _expanded(data)
    attempt = 0
    while not clock.over() and len(best) > clock.target:
        current = _descended(current, size, rng, clock)
        best = min(best, current, key=len)
        attempt += 1
        if attempt % 3 == 0:
            current = _in_random_basis(start, size, rng)
        else:
            current = best
            for _ in range(attempt % 3):
                current = _odd([*current, *_sums([rng.choice(current) for _ in range(4)])])
    return _circuit(data, best)


def _sums(parities: Sequence[int]) -> list[int]:
    """Return the XORs of all nonempty subsets of the given parities.

    If four parities are given, the signature of the returned list is zero.
    """
    found = [0]
    for parity in parities:
        found += [parity ^ other for other in found]
    return found[1:]


def _descended(parities: list[int], size: int, rng: Random, clock: Clock) -> list[int]:
    """Reduce the number of parities in a list step by step. The signature stays the same.

    Each step chooses one parity as the direction, and XORs some of the parities in the list with the direction.
    At most `_MAX_PLATEAU` consecutive steps may leave the length of the list unchanged. The search ends if further
    steps do not shorten the list.
    """
    plateau = 0
    while not clock.over():
        directions = list(dict.fromkeys(a ^ b for a, b in combinations(parities, 2)))
        rng.shuffle(directions)
        equal: list[list[int]] = []
        shorter: list[int] | None = None
        for direction in directions[:_MAX_DIRECTIONS]:
            if clock.over():
                return parities
            for moved in _moved(parities, direction, size):
                if len(moved) < len(shorter if shorter is not None else parities):
                    shorter = moved
                elif len(moved) == len(parities) and moved != parities:
                    equal.append(moved)
            if shorter is not None:
                break
        if shorter is not None:
            parities, plateau = shorter, 0
        elif equal and plateau < _MAX_PLATEAU:
            parities, plateau = rng.choice(equal), plateau + 1
        else:
            return parities
    return parities


def _moved(parities: list[int], direction: int, size: int) -> list[list[int]]:
    """Return lists of parities that have the same signature as `parities`.

    Each returned list is a copy of `parities` in which `direction` is XORed into some of the parities.

    Each qubit has a row of bits, which marks the parities that contain this qubit. The *reduced* row of a qubit in
    `direction` is the qubit's row XOR the row of the highest qubit in `direction`. For a qubit outside `direction`, the
    reduced row equals the qubit's row. A bit mask selects the parities to change. The signature is unchanged if the
    mask has an even number of bits in common with each row and with the bitwise AND of any two reduced rows. If the
    mask selects an odd number of parities, `direction` itself is added to the list as one more parity.
    """
    rows = [sum((parity >> qubit & 1) << i for i, parity in enumerate(parities)) for qubit in range(size)]
    pivot = direction.bit_length() - 1
    reduced = [rows[qubit] ^ (rows[pivot] if direction >> qubit & 1 else 0) for qubit in range(size) if qubit != pivot]
    constraints = [*rows, *(first & second for first, second in combinations(reduced, 2))]
    return [
        _odd(
            [
                *(parity ^ direction if choice >> i & 1 else parity for i, parity in enumerate(parities)),
                *([direction] if choice.bit_count() % 2 else []),
            ]
        )
        for choice in _orthogonal(constraints, len(parities))
    ]


def _orthogonal(rows: Iterable[int], length: int) -> list[int]:
    """Return a basis of the bit masks that have an even number of bits in common with every row."""
    echelon: dict[int, int] = {}
    for row in rows:
        left = row
        for pivot, known in echelon.items():
            if left >> pivot & 1:
                left ^= known
        if left:
            new = left.bit_length() - 1
            echelon = {pivot: known ^ left if known >> new & 1 else known for pivot, known in echelon.items()}
            echelon[new] = left
    free = [column for column in range(length) if column not in echelon]
    return [1 << column | mask([pivot for pivot, row in echelon.items() if row >> column & 1]) for column in free]


def _in_random_basis(parities: list[int], size: int, rng: Random) -> list[int]:
    """Return a random list of parities that has the same signature as `parities`.

    Write the operation in a random basis as T, CS and CCZ gates, and expand these gates into phase gates. Return the
    parities of the phase gates in the original basis.
    """
    while _rank(basis := [rng.randrange(1, 1 << size) for _ in range(size)]) < size:
        pass
    inverse = _inverse(basis)
    tensor = _tensor(size, dict.fromkeys((_mapped(basis, parity) for parity in parities), 1)) % 2
    gates = [g for r in (1, 2, 3) for g in combinations(range(size), r) if tensor[(*g, *[g[-1]] * (3 - r))]]
    expanded = _odd(mask(part) for gate in gates for r in (1, 2, 3) for part in combinations(gate, r))
    return _odd(_mapped(inverse, parity) for parity in expanded)


def _mapped(images: Sequence[int], parity: int) -> int:
    found = 0
    for qubit in members(parity):
        found ^= images[qubit]
    return found


def _inverse(images: Sequence[int]) -> list[int]:
    rows = [(image, 1 << qubit) for qubit, image in enumerate(images)]
    for column in range(len(rows)):
        pivot = next(r for r in range(column, len(rows)) if rows[r][0] >> column & 1)
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for r, (image, origin) in enumerate(rows):
            if r != column and image >> column & 1:
                rows[r] = (image ^ rows[column][0], origin ^ rows[column][1])
    return [origin for _, origin in rows]


def _rank(rows: Iterable[int]) -> int:
    basis: list[int] = []
    for row in rows:
        left = row
        for known in basis:
            left = min(left, left ^ known)
        if left:
            basis.append(left)
    return len(basis)


FAMILY = Family(
    name="tcount",
    title="T count",
    statement="""\
`instance` is a dict that describes a diagonal operation on n qubits as a product of gates:

- `instance["qubits"]`: the number of qubits n.
- `instance["t"]`: a list of qubits. Each has a T gate, diag(1, exp(i pi/4)).
- `instance["cs"]`: a list of pairs of qubits. Each has a controlled S gate, which multiplies |11> by i.
- `instance["ccz"]`: a list of triples of qubits. Each has a doubly controlled Z gate, which multiplies |111> by -1.

Return a circuit for the same operation, up to a global phase. The cost of the circuit is its number of T gates,
including inverse T gates.""",
    gates=("cx", "cz", "t", "tdg", "s", "sdg", "z"),
    draw=draw,
    cost=cost,
    naive=naive,
    tool=tool,
    strong=strong,
)
