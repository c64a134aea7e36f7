"""The Bell state that encodes a two-bit message, under one of the 24 possible encodings."""

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
    title="Bell state that encodes a message",
    entry_point="encode",
    parameters="a: int, b: int",
    kind="state",
    size=2,
    category="state_preparation",
    concepts=("bell", "entanglement", "dense coding"),
    statement="""
Prepare the Bell state that encodes the two-bit message a, b in superdense coding. A Bell state has a sign, plus or
minus between its two kets, and a type: its qubits are either equal (|00> and |11>) or different (|01> and |10>). The
message determines both. One bit of the message is called the sign bit, and the other is called the type bit.
""",
    dimensions=(
        dimension(
            "roles",
            "the roles of the two bits",
            "whether a is the sign bit and b the type bit, or b is the sign bit and a the type bit",
            sign="Bit a is the sign bit, and bit b is the type bit.",
            kind="Bit b is the sign bit, and bit a is the type bit.",
        ),
        dimension(
            "plus",
            "the sign encoded by 0",
            "whether a sign bit of 0 encodes plus or minus",
            zero="A sign bit of 0 encodes plus, and a sign bit of 1 encodes minus.",
            one="A sign bit of 0 encodes minus, and a sign bit of 1 encodes plus.",
        ),
        dimension(
            "agree",
            "the type encoded by 0",
            "whether a type bit of 0 encodes equal or different qubits",
            zero="A type bit of 0 encodes equal qubits, and a type bit of 1 encodes different qubits.",
            one="A type bit of 0 encodes different qubits, and a type bit of 1 encodes equal qubits.",
        ),
        dimension(
            "parity",
            "the use of the parity a XOR b",
            "whether both bits are used unchanged, a XOR b replaces the sign bit, or a XOR b replaces the type bit",
            none="Both bits of the message are used unchanged.",
            sign="The bit a XOR b is used instead of the sign bit, and the type bit is used unchanged.",
            kind="The bit a XOR b is used instead of the type bit, and the sign bit is used unchanged.",
        ),
    ),
    cases=lambda *_: ((0, 0), (0, 1), (1, 0), (1, 1)),
    circuit=circuit,
)
