"""A coined quantum walk on a ring of eight sites."""

import math
from random import Random

from repair_bench.suites.conventions.circuit import Circuit, Gate, h, increment, inverse, rx, x
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

QUBITS = 4


def cases(rng: Random, _: Constants) -> list[tuple[int, str, int]]:
    # one step from `near` reaches sites with palindromic bits; one step from `far` does not
    near, far = rng.choice((1, 6)), rng.choice((3, 4))
    return [(near, "1", 1), (near, "+", 1), (far, "-", 2)]


def circuit(choice: Choice, _: Constants, site: int, state: str, steps: int) -> Circuit:
    coin, lowest = (0, 1) if choice["place"] == "start" else (QUBITS - 1, 0)
    ring = list(range(lowest, lowest + QUBITS - 1))
    if choice["order"] == "last":
        ring.reverse()
    start = [x(qubit) for qubit, bit in zip(ring, format(site, "03b"), strict=True) if bit == "1"]
    start += {"0": [], "1": [x(coin)], "+": [h(coin)], "-": [x(coin), h(coin)]}[state]
    toss = h(coin) if choice["coin"] == "hadamard" else rx(-math.pi / 2, coin)
    forth = int(choice["direction"] == "one")
    move: list[Gate] = [gate.controlled((coin, forth)) for gate in increment(ring)]
    move += [gate.controlled((coin, 1 - forth)) for gate in inverse(increment(ring))]
    if choice["move"] == "turning":
        move.append(x(coin))
    step = [toss, *move] if choice["when"] == "before" else [*move, toss]
    return Circuit(QUBITS, (*start, *step * steps))


FAMILY = Family(
    name="walk",
    title="Quantum walk on a ring",
    entry_point="walk",
    parameters="site: int, coin: str, steps: int",
    kind="state",
    size=QUBITS,
    category="algorithm",
    concepts=("quantum walk",),
    statement="""
Prepare the state of a coined quantum walk on a ring of eight sites, numbered 0 to 7, after `steps` steps. Three of
the four qubits hold the site, and the fourth is the coin. The walker starts at `site` with the coin in the state |0>,
|1>, |+> or |->, as given by `coin` ("0", "1", "+" or "-"). In each step, the coin is tossed, and the walker moves by
one site in the direction given by the coin.
""",
    dimensions=(
        dimension(
            "direction",
            "the coin value that increments the site number",
            "whether the walker moves from site j to j + 1 when the coin is |0> or when it is |1>",
            zero="The walker moves from site j to j + 1 (mod 8) when the coin is |0>, and to j - 1 when it is |1>.",
            one="The walker moves from site j to j + 1 (mod 8) when the coin is |1>, and to j - 1 when it is |0>.",
        ),
        dimension(
            "order",
            "the order of the qubits that hold the site",
            "whether the lowest-numbered of the three site qubits is the most or the least significant bit",
            first="The lowest-numbered of the three site qubits is the most significant bit of the site.",
            last="The lowest-numbered of the three site qubits is the least significant bit of the site.",
        ),
        dimension(
            "when",
            "the order of the coin toss and the move",
            "whether each step is a toss followed by a move, or a move followed by a toss",
            before="In each step, the toss comes first, then the move.",
            after="In each step, the move comes first, then the toss.",
        ),
        dimension(
            "move",
            "the effect of a move on the coin",
            "whether a move leaves the coin unchanged, or flips the coin after the walker has moved (a flip-flop walk)",
            keeping="A move leaves the coin unchanged.",
            turning=(
                "A move flips the coin, from |0> to |1> or from |1> to |0>, after the walker has moved (a flip-flop "
                "walk)."
            ),
        ),
        dimension(
            "coin",
            "the coin operator",
            "whether the toss is a Hadamard gate or the symmetric coin that maps |0> to (|0> + i|1>)/sqrt(2) "
            "and |1> to (i|0> + |1>)/sqrt(2)",
            hadamard="The toss is a Hadamard gate.",
            symmetric="The toss maps |0> to (|0> + i|1>)/sqrt(2) and |1> to (i|0> + |1>)/sqrt(2).",
        ),
        dimension(
            "place",
            "the position of the coin",
            "whether the coin is qubit 0 and the site is on qubits 1 to 3, or the coin is qubit 3 and the site is on "
            "qubits 0 to 2",
            start="The coin is qubit 0, and the site is on qubits 1, 2 and 3.",
            end="The coin is qubit 3, and the site is on qubits 0, 1 and 2.",
        ),
    ),
    cases=cases,
    circuit=circuit,
)
