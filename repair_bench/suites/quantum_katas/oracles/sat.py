"""Oracles for gates that change |x, y> to |x, y xor f(x)>: SolveSATWithGrover, GraphColoring and others."""

from typing import Any, Callable

from repair_bench.suites.oracles.kinds import Bits, Function, applied, classical, marking, oracle, same, sign_flips


def marks(candidate: Function, inputs: int, f: Callable[[Bits], bool], *more: Any, spare: int = 0) -> None:
    """Assert that the qubit after the inputs is flipped if f is true. `more`: further arguments of the candidate."""

    def change(bits: Bits) -> None:
        bits[inputs] ^= f(bits[:inputs])

    found = applied(lambda qc, q: candidate(qc, q[:inputs], q[inputs], *more), inputs + 1, 0, spare)
    same(found, classical(inputs + 1, 0, change))


@oracle("SolveSATWithGrover/1.3")
def xor(candidate: Function) -> None:
    """Test with two qubits only, because the prompt does not define the function for more qubits."""
    marks(candidate, 2, lambda x: x[0] != x[1])


@oracle("SolveSATWithGrover/1.4")
def alternating_bits(candidate: Function) -> None:
    for n in (2, 3, 4):
        marks(candidate, n, lambda x: all(a != b for a, b in zip(x, x[1:])), spare=n - 1)


CLAUSES = (
    [(0, True)],
    [(1, False)],
    [(0, True), (1, False)],
    [(2, False), (0, False)],
    [(0, True), (1, True), (2, False)],
)


@oracle("SolveSATWithGrover/1.5")
def clause(candidate: Function) -> None:
    for literals in CLAUSES:
        marks(candidate, 3, lambda x: any(x[j] == positive for j, positive in literals), list(literals), spare=1)


@oracle("SolveSATWithGrover/1.6")
def formula(candidate: Function) -> None:
    for problem in (CLAUSES[:1], CLAUSES[2:3], CLAUSES[1:3], CLAUSES[2:5]):
        marks(
            candidate,
            3,
            lambda x: all(any(x[j] == positive for j, positive in c) for c in problem),
            [list(c) for c in problem],
            spare=len(problem),
        )


@oracle("SolveSATWithGrover/2.1")
def exactly_one(candidate: Function) -> None:
    marks(candidate, 3, lambda x: sum(x) == 1)


TRIPLES = (
    [[(0, True), (1, True), (2, True)]],
    [[(0, True), (1, False), (2, True)]],
    [[(0, False), (1, True), (2, True)], [(1, True), (2, False), (3, True)]],
)


@oracle("SolveSATWithGrover/2.2")
def exactly_one_in_each_clause(candidate: Function) -> None:
    for problem in TRIPLES:
        marks(
            candidate,
            1 + max(j for c in problem for j, _ in c),
            lambda x: all(sum(x[j] == positive for j, positive in c) == 1 for c in problem),
            [list(c) for c in problem],
            spare=len(problem),
        )


@oracle("GraphColoring/8")
def triangle(candidate: Function) -> None:
    """Test with three vertices, whose colours (two bits each) must all differ."""
    marks(
        lambda qc, q, target: candidate(qc, [q[0:2], q[2:4], q[4:6]], target),
        6,
        lambda x: len({tuple(x[0:2]), tuple(x[2:4]), tuple(x[4:6])}) == 3,
    )


@oracle("MarkingOracles/3")
def less_than(candidate: Function) -> None:
    """Interpret numbers with the lowest bit first, as the prompt specifies."""
    for n, thresholds in ((1, (1,)), (2, (0, 1, 2, 3, 4)), (3, (3, 6, 8))):
        for threshold in thresholds:
            marks(candidate, n, lambda x: sum(bit << k for k, bit in enumerate(x)) < threshold, threshold)


@oracle("tutorials/ExploringDeutschJozsaAlgorithm/1")
def balanced_function(candidate: Function) -> None:
    """Accept f(x) = x0 xor x1."""
    marks(candidate, 2, lambda x: x[0] != x[1])


@oracle("tutorials/Oracles/2.1")
def marking_oracle_as_a_phase(candidate: Function) -> None:
    for marked in ((7,), (1, 6), (0, 2, 5)):
        found = applied(lambda qc, q: candidate(qc, q, marking(marked)), 3, 0, 1)
        same(found, sign_flips(3, marked))
