"""A three-bit counter with a flag qubit that records whether the number of completed rounds is odd."""

from repair_bench.suites.conventions.circuit import Circuit, Gate, cx, increment, inverse, x
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

BITS = 3


def circuit(choice: Choice, _: Constants, times: int) -> Circuit:
    flag, lowest = (BITS, 0) if choice["place"] == "end" else (0, 1)
    count = list(range(lowest, lowest + BITS))
    if choice["order"] == "last":
        count.reverse()
    up = choice["direction"] == "up"
    move = increment(count) if up else inverse(increment(count))
    final = x(flag).controlled(*((qubit, int(up)) for qubit in count))
    tick = (final, *move) if choice["flag"] == "leaving" else (*move, final)
    encode: list[Gate] = []
    if choice["code"] == "gray":
        encode = [cx(count[i - 1], count[i]) for i in range(BITS - 1, 0, -1)]
    return Circuit(BITS + 1, (*inverse(encode), *tick * times, *encode))


FAMILY = Family(
    name="counter",
    title="Counter with a flag",
    entry_point="tick",
    parameters="times: int",
    kind="unitary",
    size=BITS + 1,
    category="algorithm",
    concepts=("reversible arithmetic", "counter"),
    statement="""
Implement `times` ticks of a counter on three of four qubits. Each tick advances the counter by one count in a cycle
of eight counts. The fourth qubit is a flag. One of the eight ticks of a cycle also flips the flag.
""",
    dimensions=(
        dimension(
            "order",
            "the qubit order of the counter",
            "whether the lowest-numbered qubit of the counter is its most or its least significant bit",
            first="The lowest-numbered qubit of the counter is its most significant bit.",
            last="The lowest-numbered qubit of the counter is its least significant bit.",
        ),
        dimension(
            "direction",
            "the counting direction",
            "whether the counter counts up (0, 1, 2, ...) or down (7, 6, 5, ...)",
            up="The counter counts up: 0, 1, 2, ..., 7, then 0 again.",
            down="The counter counts down: 7, 6, 5, ..., 0, then 7 again.",
        ),
        dimension(
            "code",
            "the encoding of the counts",
            "whether count j is stored in binary or in the reflected Gray code, j XOR floor(j / 2)",
            binary="Count j is stored in binary.",
            gray="Count j is stored in the reflected Gray code, as the binary number j XOR floor(j / 2).",
        ),
        dimension(
            "flag",
            "the time at which the flag is flipped",
            "whether the flag is flipped when the counter reaches the last count of a cycle or one tick later, when a "
            "new cycle starts",
            leaving=(
                "The flag is flipped when a new cycle starts: when the counter goes from 7 to 0 (counting up) or from "
                "0 to 7 (counting down)."
            ),
            reaching=(
                "The flag is flipped when the counter reaches the last count of a cycle: 7 (counting up) or 0 "
                "(counting down)."
            ),
        ),
        dimension(
            "place",
            "the position of the flag",
            "whether the flag is qubit 3 and the counter is on qubits 0 to 2, or the flag is qubit 0 and the "
            "counter is on qubits 1 to 3",
            end="The counter is on qubits 0, 1 and 2, and the flag is qubit 3.",
            start="The flag is qubit 0, and the counter is on qubits 1, 2 and 3.",
        ),
    ),
    # four ticks up equal four ticks down; eight ticks restore the count and flip the flag
    cases=lambda *_: ((1,), (4,), (8,)),
    circuit=circuit,
)
