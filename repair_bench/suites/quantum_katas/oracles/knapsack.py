"""Oracles for BoundedKnapsack. The first qubit of a register may be the lowest or the highest bit."""

from typing import List, Sequence

from repair_bench.suites.oracles.kinds import Bits, Function, applied, classical, one_reading, oracle


def number(bits: Bits, step: int) -> int:
    """Return the number that bits encode. `step`: 1 if the lowest bit is first, and -1 if the highest bit is first."""
    return sum(bit << k for k, bit in enumerate(bits[::step]))


def added(bits: Bits, start: int, value: int, step: int) -> None:
    """Add a value, modulo 2^n, to the register of n bits that begins at `start`."""
    size = len(bits) - start
    total = (number(bits[start:], step) + value) % 2**size
    bits[start:] = [total >> k & 1 for k in range(size)][::step]


@oracle("BoundedKnapsack/2.4")
def adds_a_product(candidate: Function) -> None:
    """Check that the product is added to the initial value of the result register, modulo 2^n for n bits."""
    cases = []
    for bits, factor, size in ((1, 3, 2), (2, 1, 3), (2, 3, 4), (3, 2, 3)):

        def change(every: Bits, step: int) -> None:
            added(every, bits, factor * number(every[:bits], step), step)

        found = applied(lambda qc, q: candidate(qc, q[:bits], factor, q[bits:]), bits + size)
        cases.append((found, [classical(bits + size, 0, lambda every: change(every, step)) for step in (1, -1)]))
    one_reading(cases)


@oracle("BoundedKnapsack/2.6")
def totals_the_values(candidate: Function) -> None:
    """Check that the operation writes the total value of all items to the result register.

    Each item has a quantity and a value. The result register starts as 0 and is large enough for the total value.
    """
    items: Sequence["tuple[List[int], List[int]]"] = (([3], [2]), ([1, 2], [2, 1]), ([3, 1], [1, 2]))
    cases = []
    for values, sizes in items:
        quantities = sum(sizes)
        starts = [sum(sizes[:k]) for k in range(len(sizes))]
        places = [list(range(start, start + size)) for start, size in zip(starts, sizes)]

        def change(every: Bits, step: int) -> None:
            value = sum(v * number([every[q] for q in place], step) for v, place in zip(values, places))
            added(every, quantities, value, step)

        found = applied(
            lambda qc, q: candidate(qc, list(values), [[q[k] for k in place] for place in places], q[quantities:]),
            quantities,
            4,
        )
        cases.append((found, [classical(quantities, 4, lambda every: change(every, step)) for step in (1, -1)]))
    one_reading(cases)
