"""Oracles for Grover's search: GroversAlgorithm, SolveSATWithGrover, GraphColoring."""

import itertools
from collections import Counter
from typing import Any, List, Optional, Tuple

import numpy as np

from repair_bench.suites.oracles.kinds import (
    Function,
    applied,
    integer,
    marking,
    mostly,
    oracle,
    same,
    sign_flips,
    truth,
)

Edges = List[Tuple[int, int]]
SHOTS = 40
"""The minimum number of shots per case. The candidate is called until its counts sum to at least 40 shots."""


def diffusion(qubits: int) -> Any:
    """Return the matrix of the inversion about the average."""
    return np.full((2**qubits, 2**qubits), 2 / 2**qubits) - np.eye(2**qubits)


@oracle("GroversAlgorithm/2.2")
def flips_all_but_zero(candidate: Function) -> None:
    """Check that the operation is 2|0><0| - 1, up to a global phase."""
    for n in (1, 2, 3, 4):
        same(applied(candidate, n), sign_flips(n, range(1, 2**n)))


@oracle("GroversAlgorithm/2.3")
def iterates(candidate: Function) -> None:
    """Check that the iteration flips the sign of the marked states and then applies the inversion about the average."""
    for n, marked in ((1, (1,)), (2, (1,)), (3, (6,)), (3, (1, 2, 7))):
        found = applied(lambda qc, q: candidate(qc, q, marking(marked)), n)
        same(found, diffusion(n) @ sign_flips(n, marked))


Case = Tuple[int, Tuple[int, ...], Optional[int], Tuple[int, ...], float]


@oracle("GroversAlgorithm/GroversSearch")
def finds_as_often_as_grover(candidate: Function) -> None:
    """Check that almost all shots give correct outcomes after the given number of iterations, in either bit order.

    Incorrect outcomes have a probability of at most 2 in 10^4. The correct outcomes are the marked states or, if three
    of four states are marked, the fourth state. If the number of iterations is not given, the candidate may use any
    of the numbers that count as optimal. With each of these numbers, most shots find the marked state.
    """
    readings = {1, -1}
    cases: List[Case] = [(2, (index,), 1, (index,), 0.95) for index in range(4)]
    cases += [(3, (1, 6), 1, (1, 6), 0.95), (5, (1, 6, 11), 2, (1, 6, 11), 0.95)]
    cases += [(2, (0, 1, 3), 1, (2,), 0.95), (6, (5,), None, (5,), 0.25)]
    for n, marked, iterations, shown, min_share in cases:
        arguments = () if iterations is None else (iterations,)
        counts: Counter[str] = Counter()
        while sum(counts.values()) < SHOTS:
            seen = candidate(n, marking(marked), *arguments)
            counts.update({bits: integer(count) for bits, count in seen.items()})
            assert seen, "the returned counts are empty"
            assert min(counts.values()) > 0, "a count is not positive"
        keys = {format(index, "0%db" % n) for index in shown}
        for step in set(readings):
            found = {bits.split()[0][::step]: count for bits, count in counts.items()}
            total = sum(found.get(key, 0) for key in keys)
            if not keys <= set(found) or total < min_share * sum(counts.values()):
                readings -= {step}
    assert readings, "the marked states are not found often enough"


@oracle("SolveSATWithGrover/3.2")
def finds_a_solution(candidate: Function) -> None:
    """Accept any marked state, with the values in the order of the qubits or in reverse order."""
    readings = {1, -1}
    for n, marked in ((1, (1,)), (2, (1,)), (3, (6,)), (2, (1, 2, 3)), (3, (1, 2, 4, 7))):
        for _ in range(3):
            found = [truth(value) for value in candidate(n, marking(marked))]
            assert len(found) == n, "the result does not have one value per qubit"
            numbers = {step: sum(value << k for k, value in enumerate(found[::step])) for step in readings}
            readings = {step for step, number in numbers.items() if number in marked}
    assert readings, "the result is not a marked state in either order of the qubits"


def colorings(vertices: int, edges: Edges) -> List[int]:
    """Return the valid colorings, with two bits per vertex."""
    return [index for index in range(4**vertices) if all(index >> 2 * a & 3 != index >> 2 * b & 3 for a, b in edges)]


def registers(qubits: List[int]) -> List[List[int]]:
    return [qubits[k : k + 2] for k in range(0, len(qubits), 2)]


TRIANGLE = [(0, 1), (1, 2), (2, 0)]
COMPLETE = list(itertools.combinations(range(4), 2))
GRAPHS = [(2, [(0, 1)]), (3, [(0, 1)]), (3, [(0, 1), (1, 2)]), (3, TRIANGLE)]


@oracle("GraphColoring/9")
def flips_valid_colorings(candidate: Function) -> None:
    """Check that the operation flips the sign of every coloring in which the two ends of each edge differ in color."""
    for vertices, edges in GRAPHS:
        found = applied(lambda qc, q: candidate(qc, registers(q), list(edges)), 2 * vertices)
        same(found, sign_flips(2 * vertices, colorings(vertices, edges)))


@oracle("GraphColoring/11")
def iterates_on_colorings(candidate: Function) -> None:
    """Check that the iteration flips the sign of the valid colorings, and then inverts about the average."""
    for vertices, edges in GRAPHS:
        found = applied(lambda qc, q: candidate(qc, registers(q), list(edges)), 2 * vertices)
        same(found, diffusion(2 * vertices) @ sign_flips(2 * vertices, colorings(vertices, edges)))


@oracle("GraphColoring/17")
def finds_colorings(candidate: Function) -> None:
    """Check that almost all shots give valid colorings.

    With the given numbers of iterations, 99.0% and 99.98% of shots are valid for the two graphs. Of random colorings,
    38% are valid for the first graph and 9% for the second graph. After a single iteration on the second graph, 65% of
    shots are valid.
    """
    for vertices, edges, iterations, share in ((3, TRIANGLE, 3, 0.99), (4, COMPLETE, 2, 0.9997)):

        def is_valid() -> bool:
            colors = [integer(color) for color in candidate(vertices, list(edges), iterations)]
            assert len(colors) == vertices, "the result does not have one color per vertex"
            assert set(colors) <= {0, 1, 2, 3}, "a color is not a number from 0 to 3"
            return all(colors[a] != colors[b] for a, b in edges)

        mostly(is_valid, share, 0.65)
