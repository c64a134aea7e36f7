"""A pipeline of two stages: the toss of a coin, then a conditional move on a cycle of four positions."""

from random import Random

from repair_bench.suites.conventions.circuit import Circuit, Gate, increment, inverse, ry
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

ANGLES = (0.3, 0.4, 0.6, 0.7, 0.9, 1.1, 1.2, 1.3, 1.4, 1.7)


def cases(rng: Random, _: Constants) -> list[tuple[float]]:
    return [(angle,) for angle in rng.sample(ANGLES, 8)]


def circuit(choice: Choice, _: Constants, angle: float) -> Circuit:
    coin, position = (0, (1, 2)) if choice["coin"] == "first" else (2, (0, 1))
    if choice["order"] == "least":
        position = position[::-1]
    ahead = 0 if choice["direction"] == "zero" else 1
    moves: list[Gate] = [gate.controlled((coin, ahead)) for gate in increment(position)]
    moves += [gate.controlled((coin, 1 - ahead)) for gate in inverse(increment(position))]
    return Circuit(3, (ry(angle if choice["sign"] == "plus" else -angle, coin), *moves))


FAMILY = Family(
    name="coined_shift",
    title="A coin and a move",
    entry_point="toss_and_move",
    parameters="angle: float",
    kind="unitary",
    size=3,
    stages=2,
    category="algorithm",
    concepts=("quantum walk",),
    statement="""
Implement a pipeline of two stages on three qubits. One qubit is the coin. The other two qubits, which are adjacent,
store one of four consecutive positions on a cycle as a two-bit number; the first position is stored as 00. Stage 1
rotates the coin about the y axis by either `angle` or `-angle`. Stage 2 moves to the next or to the previous position,
depending on the coin.
""",
    dimensions=(
        dimension(
            "coin",
            "the position of the coin",
            "whether the coin is qubit 0 or qubit 2",
            first="The coin is qubit 0.",
            last="The coin is qubit 2.",
        ),
        dimension(
            "base",
            "the numbering of the positions",
            "whether the positions are numbered from 0 to 3 or from 1 to 4",
            zero="The positions are numbered from 0 to 3.",
            one="The positions are numbered from 1 to 4.",
        ),
        dimension(
            "sign",
            "the sign of the rotation",
            "whether the rotation is exp(-i angle Y / 2) or exp(+i angle Y / 2)",
            plus="The rotation is exp(-i angle Y / 2).",
            minus="The rotation is exp(+i angle Y / 2).",
        ),
        dimension(
            "order",
            "the bit order of the position",
            "whether the lower-numbered qubit of the position is its most or its least significant bit",
            most="The lower-numbered qubit of the position is its most significant bit.",
            least="The lower-numbered qubit of the position is its least significant bit.",
        ),
        dimension(
            "direction",
            "the direction for each value of the coin",
            "whether the coin value 0 selects the next position and the coin value 1 selects the previous position, or "
            "vice versa",
            zero="The coin value 0 selects the next position, and the coin value 1 selects the previous position.",
            one="The coin value 1 selects the next position, and the coin value 0 selects the previous position.",
        ),
    ),
    cases=cases,
    circuit=circuit,
)
