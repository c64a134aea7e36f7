"""Adders and subtractors. A register is read with its lowest bit first, or with its highest."""

from typing import Any, Callable, List

import numpy as np

from repair_bench.suites.oracles.kinds import Bits, Function, applied, classical, one_reading, oracle, same

Arithmetic = Callable[[int, int, int], List[int]]
"""Of the numbers a and b, of n bits each: what the registers hold afterwards."""


def arithmetic(free: int, sizes: List[int], n: int, become: Arithmetic) -> Any:
    """The matrices of a function of registers, read with the lowest bit first, and with the highest.

    `sizes`: of the registers, the first ones of which are the `free` qubits, and begin with a and b.
    """
    ends = np.cumsum(sizes)
    places = [list(range(end - size, end)) for size, end in zip(sizes, ends)]

    def matrix(step: int) -> Any:
        def change(bits: Bits) -> None:
            values = [sum(bits[q] << k for k, q in enumerate(place[::step])) for place in places]
            for place, value in zip(places, become(values[0], values[1], n)):
                for k, q in enumerate(place[::step]):
                    bits[q] = value >> k & 1

        return classical(free, sum(sizes) - free, change)

    return matrix(1), matrix(-1)


@oracle("RippleCarryAdder/1.1")
def sum_of_two_bits(candidate: Function) -> None:
    """The third qubit, which was 0, becomes a xor b."""

    def change(bits: Bits) -> None:
        bits[2] = bits[0] ^ bits[1]

    same(applied(lambda qc, q: candidate(qc, *q), 2, 1), classical(2, 1, change))


@oracle("RippleCarryAdder/2.3")
def sum_of_three_bits_in_place(candidate: Function) -> None:
    """The second number b becomes a xor b xor carry."""

    def change(bits: Bits) -> None:
        bits[1] ^= bits[0] ^ bits[2]

    same(applied(lambda qc, q: candidate(qc, *q), 3), classical(3, 0, change))


def out_of_place(candidate: Function, sizes: "tuple[int, ...]") -> None:
    """Sum and carry, which were 0, become those of a + b."""
    cases = []
    for n in sizes:
        found = applied(
            lambda qc, q: candidate(qc, q[:n], q[n : 2 * n], q[2 * n : 3 * n], q[3 * n]), 2 * n, n + 1, max(n - 1, 0)
        )
        cases.append((found, arithmetic(2 * n, [n, n, n, 1], n, lambda x, y, n: [x, y, x + y, (x + y) >> n])))
    one_reading(cases)


def in_place(candidate: Function, sizes: "tuple[int, ...]", spare: Callable[[int], int]) -> None:
    """The second number b becomes a + b, and the carry, which was 0, that of it."""
    cases = []
    for n in sizes:
        found = applied(lambda qc, q: candidate(qc, q[:n], q[n : 2 * n], q[2 * n]), 2 * n, 1, spare(n))
        cases.append((found, arithmetic(2 * n, [n, n, 1], n, lambda x, y, n: [x, x + y, (x + y) >> n])))
    one_reading(cases)


@oracle("RippleCarryAdder/1.6")
def two_bit_adder(candidate: Function) -> None:
    """Two bits."""
    out_of_place(candidate, (2,))


@oracle("RippleCarryAdder/1.7")
def adder(candidate: Function) -> None:
    """Any number of bits."""
    out_of_place(candidate, (1, 2, 3))


@oracle("RippleCarryAdder/2.4", "RippleCarryAdder/3.4")
def two_bit_adder_in_place(candidate: Function) -> None:
    """Two bits."""
    in_place(candidate, (2,), lambda _: 1)


@oracle("RippleCarryAdder/2.5")
def adder_in_place(candidate: Function) -> None:
    """Any number of bits, with a lent qubit for each."""
    in_place(candidate, (1, 2, 3), lambda n: n)


@oracle("RippleCarryAdder/3.5")
def adder_with_one_ancilla(candidate: Function) -> None:
    """Any number of bits, with one lent qubit."""
    in_place(candidate, (1, 2, 3), lambda _: 1)


@oracle("RippleCarryAdder/3.3")
def one_bit_adder(candidate: Function) -> None:
    """Of two bits the second becomes their sum, and the carry, which was 0, that of it."""

    def change(bits: Bits) -> None:
        bits[1], bits[2] = bits[0] ^ bits[1], bits[0] & bits[1]

    same(applied(lambda qc, q: candidate(qc, *q), 2, 1, 1), classical(2, 1, change))


@oracle("RippleCarryAdder/3.1")
def majority(candidate: Function) -> None:
    """One qubit, the same for all inputs, holds the majority; phases are left open, for they go when it is undone."""
    moduli = np.abs(applied(lambda qc, q: candidate(qc, *q), 3))
    outputs = moduli.argmax(axis=0)
    assert np.allclose(moduli[outputs, range(8)], 1, atol=1e-3), "not a function of bits"
    wanted = np.array([index in (3, 5, 6, 7) for index in range(8)])
    assert any(np.array_equal(outputs >> qubit & 1, wanted) for qubit in range(3)), "no qubit holds the majority"


@oracle("RippleCarryAdder/3.2")
def unmajority_and_add(candidate: Function) -> None:
    """What undoes the majority gate and adds, the majority on the first qubit or on the last."""

    def change(bits: Bits) -> None:
        bits[0] ^= bits[1] & bits[2]
        bits[2] ^= bits[0]
        bits[1] ^= bits[2]

    gate = classical(3, 0, change)
    order = [sum((index >> k & 1) << (2 - k) for k in range(3)) for index in range(8)]
    same(applied(lambda qc, q: candidate(qc, *q), 3), gate, gate[order][:, order])


@oracle("RippleCarryAdder/4.1")
def subtractor(candidate: Function) -> None:
    """The second number b becomes b - a, and the borrow bit, which was 0, tells whether a was larger."""
    cases = []
    for n in (1, 2, 3):
        found = applied(lambda qc, q: candidate(qc, q[:n], q[n : 2 * n], q[2 * n]), 2 * n, 1, 1)
        cases.append((found, arithmetic(2 * n, [n, n, 1], n, lambda x, y, n: [x, (y - x) % 2**n, int(x > y)])))
    one_reading(cases)


@oracle("RippleCarryAdder/5.1")
def adder_modulo(candidate: Function) -> None:
    """The sum, which was 0, becomes a + b modulo 2^n."""
    cases = []
    for n in (1, 2, 3):
        found = applied(lambda qc, q: candidate(qc, q[:n], q[n : 2 * n], q[2 * n :]), 2 * n, n, 1)
        cases.append((found, arithmetic(2 * n, [n, n, n], n, lambda x, y, n: [x, y, (x + y) % 2**n])))
    one_reading(cases)


def modulo_in_place(candidate: Function, become: Arithmetic) -> None:
    """The second number b becomes what it says, modulo 2^n."""
    cases = []
    for n in (1, 2, 3):
        found = applied(lambda qc, q: candidate(qc, q[:n], q[n:]), 2 * n, 0, 1)
        cases.append((found, arithmetic(2 * n, [n, n], n, become)))
    one_reading(cases)


@oracle("RippleCarryAdder/5.4")
def adder_modulo_in_place(candidate: Function) -> None:
    """The second number b becomes a + b."""
    modulo_in_place(candidate, lambda x, y, n: [x, (x + y) % 2**n])


@oracle("RippleCarryAdder/5.5")
def subtractor_modulo_in_place(candidate: Function) -> None:
    """The second number b becomes b - a."""
    modulo_in_place(candidate, lambda x, y, n: [x, (y - x) % 2**n])


@oracle("RippleCarryAdder/5.3")
def subtractor_modulo(candidate: Function) -> None:
    """The difference, which was 0, becomes b - a modulo 2^n."""
    cases = []
    for n in (1, 2, 3):
        found = applied(lambda qc, q: candidate(qc, q[:n], q[n : 2 * n], q[2 * n :]), 2 * n, n, 1)
        cases.append((found, arithmetic(2 * n, [n, n, n], n, lambda x, y, n: [x, y, (y - x) % 2**n])))
    one_reading(cases)


@oracle("RippleCarryAdder/5.2")
def twos_complement(candidate: Function) -> None:
    """The number a becomes -a modulo 2^n."""
    cases = []
    for n in (1, 2, 3):
        found = applied(candidate, n)
        matrix = np.eye(2**n)[:, [-k % 2**n for k in range(2**n)]]
        order = [int(format(k, "0%db" % n)[::-1], 2) for k in range(2**n)]
        cases.append((found, (matrix, matrix[order][:, order])))
    one_reading(cases)
