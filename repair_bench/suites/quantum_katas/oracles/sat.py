"""Oracles that mark, of SolveSATWithGrover, GraphColoring, MarkingOracles and more: |x, y> becomes |x, y xor f(x)>."""

from typing import Callable, List

import numpy as np
from qiskit import QuantumCircuit

from repair_bench.suites.oracles.kinds import Bits, Function, applied, classical, oracle, same


def marks(apply: Function, inputs: int, f: Callable[[Bits], bool], spare: int = 0) -> None:
    """That the qubit after the inputs is flipped where f holds."""

    def change(bits: Bits) -> None:
        bits[inputs] ^= f(bits[:inputs])

    same(applied(apply, inputs + 1, 0, spare), classical(inputs + 1, 0, change))


@oracle("SolveSATWithGrover/1.3")
def xor(candidate: Function) -> None:
    """Of two qubits; what more of them mean is left open."""
    marks(lambda qc, q: candidate(qc, q[:2], q[2]), 2, lambda x: x[0] != x[1])


@oracle("SolveSATWithGrover/1.4")
def alternating_bits(candidate: Function) -> None:
    """Neighbours differ."""
    for n in (2, 3, 4):
        marks(
            lambda qc, q: candidate(qc, q[:n], q[n]),
            n,
            lambda x: all(a != b for a, b in zip(x, x[1:])),
            spare=n - 1,
        )


CLAUSES = (
    [(0, True)],
    [(1, False)],
    [(0, True), (1, False)],
    [(2, False), (0, False)],
    [(0, True), (1, True), (2, False)],
)


@oracle("SolveSATWithGrover/1.5")
def clause(candidate: Function) -> None:
    """Any literal of the clause is true."""
    for literals in CLAUSES:
        marks(
            lambda qc, q: candidate(qc, q[:3], q[3], list(literals)),
            3,
            lambda x: any(x[j] == positive for j, positive in literals),
            spare=1,
        )


@oracle("SolveSATWithGrover/1.6")
def formula(candidate: Function) -> None:
    """Each clause has a literal that is true."""
    for problem in (CLAUSES[:1], CLAUSES[2:3], CLAUSES[1:3], CLAUSES[2:5]):
        marks(
            lambda qc, q: candidate(qc, q[:3], q[3], [list(c) for c in problem]),
            3,
            lambda x: all(any(x[j] == positive for j, positive in c) for c in problem),
            spare=len(problem),
        )


@oracle("SolveSATWithGrover/2.1")
def exactly_one(candidate: Function) -> None:
    """One of three is 1."""
    marks(lambda qc, q: candidate(qc, q[:3], q[3]), 3, lambda x: sum(x) == 1)


TRIPLES = (
    [[(0, True), (1, True), (2, True)]],
    [[(0, True), (1, False), (2, True)]],
    [[(0, False), (1, True), (2, True)], [(1, True), (2, False), (3, True)]],
)


@oracle("SolveSATWithGrover/2.2")
def exactly_one_in_each_clause(candidate: Function) -> None:
    """Each clause has one literal that is true, and no more."""
    for problem in TRIPLES:
        n = 1 + max(j for c in problem for j, _ in c)
        marks(
            lambda qc, q: candidate(qc, q[:n], q[n], [list(c) for c in problem]),
            n,
            lambda x: all(sum(x[j] == positive for j, positive in c) == 1 for c in problem),
            spare=len(problem),
        )


@oracle("GraphColoring/8")
def triangle(candidate: Function) -> None:
    """Three colours of two bits each that all differ."""
    marks(
        lambda qc, q: candidate(qc, [q[0:2], q[2:4], q[4:6]], q[6]),
        6,
        lambda x: len({tuple(x[0:2]), tuple(x[2:4]), tuple(x[4:6])}) == 3,
    )


@oracle("MarkingOracles/3")
def less_than(candidate: Function) -> None:
    """Numbers with the lowest bit first, as the prompt says."""
    for n, thresholds in ((1, (1,)), (2, (0, 1, 2, 3, 4)), (3, (3, 6, 8))):
        for threshold in thresholds:
            marks(
                lambda qc, q: candidate(qc, q[:n], q[n], threshold),
                n,
                lambda x: sum(bit << k for k, bit in enumerate(x)) < threshold,
            )


@oracle("tutorials/ExploringDeutschJozsaAlgorithm/1")
def balanced_function(candidate: Function) -> None:
    """f(x) = x0 xor x1."""
    marks(lambda qc, q: candidate(qc, q[:2], q[2]), 2, lambda x: x[0] != x[1])


@oracle("tutorials/Oracles/2.1")
def marking_oracle_as_a_phase(candidate: Function) -> None:
    """Marked states change their sign."""
    for marked in ((7,), (1, 6), (0, 2, 5)):

        def mark(circuit: QuantumCircuit, query: List[int], target: int) -> QuantumCircuit:
            for state in marked:
                zeros = [qubit for k, qubit in enumerate(query) if not state >> k & 1]
                for qubit in zeros:
                    circuit.x(qubit)
                circuit.mcx(list(query), target)
                for qubit in zeros:
                    circuit.x(qubit)
            return circuit

        found = applied(lambda qc, q: candidate(qc, q, mark), 3, 0, 1)
        same(found, np.diag([-1 if state in marked else 1 for state in range(8)]))
