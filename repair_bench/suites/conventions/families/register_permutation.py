"""A permutation of four registers in cycle notation."""

from random import Random

from repair_bench.suites.conventions.circuit import Circuit, Gate, cz, swap
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

QUBITS = 4


def cases(rng: Random, _: Constants) -> list[tuple[list[list[int]]]]:
    """Return three lists of cycles: a swap, a 3-cycle (its direction matters), and two swaps (their order matters)."""
    # 1, 2 and 3 are valid register numbers whether counting starts at 0 or 1
    pair, triple = [2, rng.choice([1, 3])], rng.sample([1, 2, 3], 3)
    first, second, third = rng.sample([1, 2, 3], 3)
    return [([pair],), ([triple],), ([[first, second], [second, third]],)]


def circuit(choice: Choice, _: Constants, cycles: list[list[int]]) -> Circuit:
    steps: list[Gate] = []
    for cycle in cycles if choice["composition"] == "left" else cycles[::-1]:
        places = [number - (1 if choice["base"] == "one" else 0) for number in cycle]
        if choice["end"] == "last":
            places = [QUBITS - 1 - place for place in places]
        if choice["direction"] == "backward":
            places.reverse()
        goal = list(range(QUBITS))
        for i, place in enumerate(places):
            goal[place] = places[(i + 1) % len(places)]
        steps += _moved(goal, signed=choice["statistics"] == "fermions")
    return Circuit(QUBITS, tuple(steps))


def _moved(goal: list[int], *, signed: bool) -> list[Gate]:
    """Return swaps of neighbours that move qubit i to `goal[i]`. `signed`: whether each swap multiplies |11> by -1."""
    goal = list(goal)
    gates: list[Gate] = []
    while goal != sorted(goal):
        for i in range(QUBITS - 1):
            if goal[i] > goal[i + 1]:
                goal[i], goal[i + 1] = goal[i + 1], goal[i]
                gates += [swap(i, i + 1), *([cz(i, i + 1)] if signed else [])]
    return gates


FAMILY = Family(
    name="register_permutation",
    title="Permutation of registers",
    entry_point="permute",
    parameters="cycles: list[list[int]]",
    kind="unitary",
    size=QUBITS,
    category="decomposition",
    concepts=("permutation", "swap"),
    statement="""
Permute the contents of four registers, each of which is one of the qubits 0 to 3. `cycles` is a list of cycles, each
a list of register numbers. The registers are numbered consecutively, but not necessarily in the order of the qubits.
All tests use only the register numbers 1, 2 and 3. A register that is in no cycle keeps its content. A cycle [a, b]
swaps the contents of registers a and b. The numbers refer to positions, not contents. The cycles are applied one at a
time, so they may share registers.
""",
    dimensions=(
        dimension(
            "direction",
            "the direction of a cycle",
            "whether a cycle [a, b, c] moves contents from a to b, from b to c and from c to a, or in the opposite "
            "direction",
            forward="A cycle [a, b, c] moves contents from a to b, from b to c and from c to a.",
            backward="A cycle [a, b, c] moves contents from b to a, from c to b and from a to c.",
        ),
        dimension(
            "base",
            "the first register number",
            "whether registers are numbered from 0 to 3 or from 1 to 4",
            zero="Registers are numbered from 0 to 3.",
            one="Registers are numbered from 1 to 4.",
        ),
        dimension(
            "composition",
            "the order of the cycles",
            "whether the cycles are applied from first to last or from last to first",
            left="The cycles are applied from the first in the list to the last.",
            right="The cycles are applied from the last in the list to the first.",
        ),
        dimension(
            "end",
            "the direction in which register numbers increase",
            "whether register numbers increase from qubit 0 to qubit 3 or from qubit 3 to qubit 0",
            first="Register numbers increase from qubit 0 to qubit 3.",
            last="Register numbers increase from qubit 3 to qubit 0.",
        ),
        dimension(
            "statistics",
            "the sign changes caused by a cycle",
            "whether a cycle never changes the sign of an amplitude or, as for fermions, multiplies the amplitude by "
            "-1 for each pair of ones whose order along the qubits the cycle reverses",
            qubits="The registers are ordinary qubits: a cycle never changes the sign of an amplitude.",
            fermions=(
                "The registers are fermionic modes: for each pair of ones whose order along the qubits a cycle "
                "reverses, the amplitude is multiplied by -1."
            ),
        ),
    ),
    cases=cases,
    circuit=circuit,
)
