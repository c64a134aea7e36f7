"""Oracles for adders and subtractors. The first qubit of a register may be the lowest or the highest bit."""

from typing import Any, Callable, List

import numpy as np

from repair_bench.suites.oracles.kinds import (
    Bits,
    Function,
    applied,
    classical,
    one_reading,
    oracle,
    reversed_qubits,
    same,
)

Operation = Callable[[int, int, int], List[int]]
"""A function with the arguments a, b and n, where a and b are n-bit numbers. It returns the result and the carry."""


def added(a: int, b: int, n: int) -> List[int]:
    return [a + b, (a + b) >> n]


def subtracted(a: int, b: int, _: int) -> List[int]:
    return [b - a, int(a > b)]


def computes(
    candidate: Function,
    operation: Operation,
    *,
    in_place: bool,
    carry: bool,
    sizes: "tuple[int, ...]" = (1, 2, 3),
    spare: Callable[[int], int] = lambda _: 1,
) -> None:
    """Assert that the candidate computes the operation on two numbers a and b, for each number of bits in `sizes`.

    `in_place`: whether the result replaces b; otherwise, the result is written to a register of zeros. `carry`: whether
    an additional qubit, initially 0, receives the carry. `spare`: the number of auxiliary qubits.
    """
    registers = 2 if in_place else 3
    cases = []
    for n in sizes:

        def apply(qc: Any, q: List[int]) -> Any:
            return candidate(qc, *(q[k * n : (k + 1) * n] for k in range(registers)), *q[registers * n :])

        def matrix(step: int) -> Any:
            def change(bits: Bits) -> None:
                places = [list(range(k * n, (k + 1) * n))[::step] for k in range(registers)]
                a, b = (sum(bits[q] << k for k, q in enumerate(place)) for place in places[:2])
                result, carried = operation(a, b, n)
                for k, q in enumerate(places[-1]):
                    bits[q] = result >> k & 1
                if carry:
                    bits[-1] = carried

            return classical(2 * n, fresh, change)

        fresh = (registers - 2) * n + carry
        cases.append((applied(apply, 2 * n, fresh, spare(n)), (matrix(1), matrix(-1))))
    one_reading(cases)


@oracle("RippleCarryAdder/1.1")
def sum_of_two_bits(candidate: Function) -> None:
    """Check that the gate changes the third qubit from 0 to a xor b."""

    def change(bits: Bits) -> None:
        bits[2] = bits[0] ^ bits[1]

    same(applied(lambda qc, q: candidate(qc, *q), 2, 1), classical(2, 1, change))


@oracle("RippleCarryAdder/2.3")
def sum_of_three_bits_in_place(candidate: Function) -> None:
    """Check that the gate replaces the second bit with the XOR of all three bits: a, b and the carry."""

    def change(bits: Bits) -> None:
        bits[1] ^= bits[0] ^ bits[2]

    same(applied(lambda qc, q: candidate(qc, *q), 3), classical(3, 0, change))


@oracle("RippleCarryAdder/1.6")
def two_bit_adder(candidate: Function) -> None:
    computes(candidate, added, in_place=False, carry=True, sizes=(2,))


@oracle("RippleCarryAdder/1.7")
def adder(candidate: Function) -> None:
    computes(candidate, added, in_place=False, carry=True, spare=lambda n: n - 1)


@oracle("RippleCarryAdder/2.4", "RippleCarryAdder/3.4")
def two_bit_adder_in_place(candidate: Function) -> None:
    computes(candidate, added, in_place=True, carry=True, sizes=(2,))


@oracle("RippleCarryAdder/2.5")
def adder_in_place(candidate: Function) -> None:
    computes(candidate, added, in_place=True, carry=True, spare=lambda n: n)


@oracle("RippleCarryAdder/3.5")
def adder_with_one_ancilla(candidate: Function) -> None:
    computes(candidate, added, in_place=True, carry=True)


@oracle("RippleCarryAdder/3.3")
def one_bit_adder(candidate: Function) -> None:
    """Check that the gate writes the sum of two bits to the second bit, and the carry to the third bit.

    The third bit is initially 0.
    """

    def change(bits: Bits) -> None:
        bits[1], bits[2] = bits[0] ^ bits[1], bits[0] & bits[1]

    same(applied(lambda qc, q: candidate(qc, *q), 2, 1, 1), classical(2, 1, change))


@oracle("RippleCarryAdder/3.1")
def majority(candidate: Function) -> None:
    """Check that the majority of the three input bits is written to the same qubit for all inputs.

    Phases are ignored, because they cancel when the gate is undone.
    """
    moduli = np.abs(applied(lambda qc, q: candidate(qc, *q), 3))
    outputs = moduli.argmax(axis=0)
    assert np.allclose(moduli[outputs, range(8)], 1, atol=1e-3), "the operation is not a classical function"
    wanted = np.array([index in (3, 5, 6, 7) for index in range(8)])
    assert any(np.array_equal(outputs >> qubit & 1, wanted) for qubit in range(3)), "no qubit holds the majority"


@oracle("RippleCarryAdder/3.2")
def unmajority_and_add(candidate: Function) -> None:
    """Check that the gate undoes the majority gate and writes the sum.

    The qubit that holds the majority of the three bits may be the first or the last qubit.
    """

    def change(bits: Bits) -> None:
        bits[0] ^= bits[1] & bits[2]
        bits[2] ^= bits[0]
        bits[1] ^= bits[2]

    gate = classical(3, 0, change)
    same(applied(lambda qc, q: candidate(qc, *q), 3), gate, reversed_qubits(gate))


@oracle("RippleCarryAdder/4.1")
def subtractor(candidate: Function) -> None:
    computes(candidate, subtracted, in_place=True, carry=True)


@oracle("RippleCarryAdder/5.1")
def adder_modulo(candidate: Function) -> None:
    computes(candidate, added, in_place=False, carry=False)


@oracle("RippleCarryAdder/5.3")
def subtractor_modulo(candidate: Function) -> None:
    computes(candidate, subtracted, in_place=False, carry=False)


@oracle("RippleCarryAdder/5.4")
def adder_modulo_in_place(candidate: Function) -> None:
    computes(candidate, added, in_place=True, carry=False)


@oracle("RippleCarryAdder/5.5")
def subtractor_modulo_in_place(candidate: Function) -> None:
    computes(candidate, subtracted, in_place=True, carry=False)


@oracle("RippleCarryAdder/5.2")
def twos_complement(candidate: Function) -> None:
    """Check that the gate changes a number a to -a modulo 2^n."""
    cases = []
    for n in (1, 2, 3):
        matrix = np.eye(2**n)[:, [-k % 2**n for k in range(2**n)]]
        cases.append((applied(candidate, n), (matrix, reversed_qubits(matrix))))
    one_reading(cases)
