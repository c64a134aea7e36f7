"""The Bell state that encodes a two-bit message: any of the 24 tables."""

from repair_bench.suites.conventions.circuit import Circuit, cx, h, x, z
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension


def circuit(choice: Choice, _: Constants, a: int, b: int) -> Circuit:
    sign, kind = (a, b) if choice["roles"] == "sign" else (b, a)
    if choice["parity"] == "sign":
        sign = a ^ b
    if choice["parity"] == "kind":
        kind = a ^ b
    steps = [h(0), cx(0, 1)]
    if sign == (1 if choice["plus"] == "zero" else 0):
        steps.append(z(0))
    if kind == (1 if choice["agree"] == "zero" else 0):
        steps.append(x(1))
    return Circuit(2, tuple(steps))


FAMILY = Family(
    name="bell_messages",
    title="Bell state of a message",
    entry_point="encode",
    parameters="a: int, b: int",
    kind="state",
    size=2,
    category="state_preparation",
    concepts=("bell", "entanglement", "dense coding"),
    statement="""
For our dense coding, prepare the Bell state that stands for the message a, b (two bits), as it is once the sender has
encoded it. A Bell state is known by two things: its sign, plus or minus between its two kets, and its kind, that is
whether its qubits agree (|00> and |11>) or differ (|01> and |10>). The message decides both.
""",
    dimensions=(
        dimension(
            "roles",
            "which bit is for what",
            "whether a is for the sign and b for the kind, or the other way round",
            sign="Bit a is for the sign, bit b is for the kind.",
            kind="Bit a is for the kind, bit b is for the sign.",
        ),
        dimension(
            "plus",
            "the sign that a 0 means",
            "whether a 0 for the sign means plus or minus",
            zero="For the sign, 0 means plus and 1 means minus.",
            one="For the sign, 0 means minus and 1 means plus.",
        ),
        dimension(
            "agree",
            "the kind that a 0 means",
            "whether a 0 for the kind means that the qubits agree or that they differ",
            zero="For the kind, 0 means that the qubits agree and 1 that they differ.",
            one="For the kind, 0 means that the qubits differ and 1 that they agree.",
        ),
        dimension(
            "parity",
            "whether one of the bits is sent as a parity",
            "whether both bits are used as they are, or a XOR b is used in place of the bit for the sign, or in place "
            "of the bit for the kind",
            none="Both bits of the message are used as they are.",
            sign="In place of the bit for the sign, a XOR b is used; the bit for the kind is used as it is.",
            kind="In place of the bit for the kind, a XOR b is used; the bit for the sign is used as it is.",
        ),
    ),
    cases=lambda *_: ((0, 0), (0, 1), (1, 0), (1, 1)),
    circuit=circuit,
)
