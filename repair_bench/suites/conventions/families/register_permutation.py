"""A permutation of four registers in cycle notation."""

from random import Random

from repair_bench.suites.conventions.circuit import Circuit, Gate, cz, swap
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

QUBITS = 4


def cases(rng: Random, _: Constants) -> list[tuple[list[list[int]]]]:
    """Cases 1 and 3 do not depend on the direction; cases 1 and 2 do not depend on the order of the cycles."""
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
a list of register numbers. The registers are numbered consecutively, but not necessarily like the qubits; all tests
use only the numbers 1, 2 and 3. A register in no cycle keeps its content. A cycle of two numbers swaps the contents of
the two registers. The numbers refer to positions, not contents. The cycles are applied one at a time, so they may
share registers.
""",
    dimensions=(
        dimension(
            "direction",
            "the direction of a cycle",
            "whether a cycle [a, b, c] moves the content of a to b, of b to c and of c to a, or the content of "
            "b to a, of c to b and of a to c",
            forward="A cycle [a, b, c] moves the content of a to b, of b to c and of c to a.",
            backward="A cycle [a, b, c] moves the content of b to a, of c to b and of a to c.",
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
            "the direction of the register numbers",
            "whether register numbers increase from qubit 0 to qubit 3 or from qubit 3 to qubit 0",
            first="Register numbers increase from qubit 0 to qubit 3.",
            last="Register numbers increase from qubit 3 to qubit 0.",
        ),
        dimension(
            "statistics",
            "the sign of a cycle",
            "whether a cycle adds no sign or, as for fermions, a factor of -1 for every pair of contents that "
            "are both 1 and change their order along the qubits",
            qubits="The registers are plain qubits: a cycle adds no sign.",
            fermions=(
                "The registers are fermionic modes: a cycle adds a factor of -1 for every pair of contents that are "
                "both 1 and change their order along the qubits."
            ),
        ),
    ),
    cases=cases,
    circuit=circuit,
)
