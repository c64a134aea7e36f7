"""A permutation of four registers in cycle notation."""

from random import Random

from repair_bench.suites.conventions.circuit import Circuit, Gate, cz, swap
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

QUBITS = 4


def cases(rng: Random, _: Constants) -> list[tuple[list[list[int]]]]:
    """The first case hides direction and order, the second the order, the third the direction."""
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
    """Return exchanges of neighbours that move qubit i to `goal[i]`. `signed`: each multiplies |11> by -1."""
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
Permute the contents of four registers, each of which is one of the qubits 0 to 3. What to do is a list of cycles, each
a list of register numbers; a register in no cycle keeps its content. A cycle of two exchanges the contents of the two.
The numbers name places, not contents, and cycles are carried out one at a time, so they may share registers.
""",
    dimensions=(
        dimension(
            "direction",
            "the direction of a cycle",
            "whether a cycle [a, b, c] moves the content of a to b, that of b to c and that of c to a, or the content"
            " of b to a, that of c to b and that of a to c",
            forward="A cycle [a, b, c] moves the content of a to b, that of b to c and that of c to a.",
            backward="A cycle [a, b, c] moves the content of b to a, that of c to b and that of a to c.",
        ),
        dimension(
            "base",
            "the first register number",
            "whether the register numbers are 0 to 3 or 1 to 4",
            zero="The register numbers are 0 to 3.",
            one="The register numbers are 1 to 4.",
        ),
        dimension(
            "composition",
            "the order of the cycles",
            "whether the first or the last cycle of the list is carried out first",
            left="The cycles are carried out from the first of the list to the last.",
            right="The cycles are carried out from the last of the list to the first.",
        ),
        dimension(
            "end",
            "the end from which registers are numbered",
            "whether the numbers rise from qubit 0, which has the lowest, to qubit 3, or from qubit 3, which has the"
            " lowest, to qubit 0",
            first="Register numbers rise from qubit 0, which has the lowest, to qubit 3.",
            last="Register numbers rise from qubit 3, which has the lowest, to qubit 0.",
        ),
        dimension(
            "statistics",
            "signs that come with a cycle",
            "whether a cycle brings no sign, or, as for fermions, a factor -1 for every two contents that are both 1"
            " and whose order along the qubits it reverses",
            qubits="The registers are plain qubits: a cycle brings no sign.",
            fermions=(
                "The registers are fermionic modes: a cycle brings a factor -1 for every two contents that are both"
                " 1 and whose order along the qubits it reverses."
            ),
        ),
    ),
    cases=cases,
    circuit=circuit,
)
