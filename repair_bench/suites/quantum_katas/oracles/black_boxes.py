"""Oracles for SimonsAlgorithm and DeutschJozsa, whose tasks are to find a hidden property of a function."""

from typing import Callable, List

from qiskit import QuantumCircuit

from repair_bench.suites.oracles.kinds import Function, one_reading, oracle, truth

MANY = 24
"""The number of runs of Simon's circuit per hidden string. With 24 runs, fewer than one in 10^6 tests gives too few
independent equations to determine the string."""


def two_to_one(s: str) -> Callable[[QuantumCircuit, List[int], List[int]], QuantumCircuit]:
    """Return a function that adds gates mapping |x, y> to |x, y xor f(x)>, where f(x) = f(x xor s).

    Character i of s belongs to qubit i.
    """
    first = s.index("1")

    def apply(circuit: QuantumCircuit, x: List[int], y: List[int]) -> QuantumCircuit:
        for k, bit in enumerate(s):
            if k != first:
                circuit.cx(x[k], y[k])
                if bit == "1":
                    circuit.cx(x[first], y[k])
        return circuit

    return apply


@oracle("SimonsAlgorithm/Algorithm")
def finds_the_hidden_string(candidate: Function) -> None:
    """Accept hidden strings in qubit order or in reverse qubit order.

    The candidate must use one order for all hidden strings.
    """
    strings = ("11", "10", "100", "011", "1101")
    cases = [(candidate(len(s), two_to_one(s), MANY), (s, s[::-1])) for s in strings]
    one_reading(cases, lambda found, expected: bool(found == expected))


@oracle("DeutschJozsa/4.1")
def finds_an_equivalent_vector(candidate: Function) -> None:
    """Test functions f(x) = parity(x) + bit.

    Accept every bit vector r in which the number of zeros is even if `bit` is 0, and odd if `bit` is 1.
    """
    for size in (1, 2, 3, 4):
        for bit in (0, 1):

            def apply(circuit: QuantumCircuit, x: List[int], y: int) -> QuantumCircuit:
                for qubit in x:
                    circuit.cx(qubit, y)
                if bit:
                    circuit.x(y)
                return circuit

            r = [truth(entry) for entry in candidate(size, apply)]
            assert len(r) == size, "the vector does not have one bit per qubit"
            assert r.count(False) % 2 == bit, "the vector gives a different function"
