"""The receiver's half of teleportation: a correction conditioned on two measured bits."""

from repair_bench.suites.conventions.circuit import Circuit, Gate, Measure, Step, h, s, x, z
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

RECEIVER = 2
PREPARE: dict[str, list[Gate]] = {"X": [h(RECEIVER)], "Y": [h(RECEIVER), s(RECEIVER)], "Z": []}


def circuit(choice: Choice, _: Constants, prepared: str, basis: str) -> Circuit:
    first, second = (x, z) if choice["bits"] == "xz" else (z, x)
    value = int(choice["value"] == "one")
    correction = [first(RECEIVER).when(0, value), second(RECEIVER).when(1, value)]
    if choice["pair"] == "odd":
        correction.append(x(RECEIVER))
    own = s(RECEIVER)
    received: list[Gate] = [*correction, own] if choice["when"] == "before" else [own, *correction]
    message: list[Step] = [h(0), h(1), Measure(0, 0), Measure(1, 1)]
    readout = [gate.inverse for gate in reversed(PREPARE[basis])]
    return Circuit(3, (*message, *PREPARE[prepared], *received, *readout, Measure(RECEIVER, 2)))


FAMILY = Family(
    name="teleportation",
    title="The receiver of a teleportation",
    entry_point="receive",
    parameters="prepared: str, basis: str",
    kind="distribution",
    size=3,
    measured="the results of qubit 0, qubit 1 and qubit 2",
    category="algorithm",
    concepts=("teleportation", "feed-forward"),
    statement="""
We test the receiving end of a teleportation without a sender. The message is left to chance: apply a Hadamard to
qubit 0 and to qubit 1, and measure both. Qubit 2 is the receiver's: prepare it in the +1 eigenstate of the Pauli matrix
`prepared`. The receiver does two things to it: the correction, in which one bit of the message decides on an X and the
other on a Z, and an S gate, diag(1, i), of their own. Then measure the Pauli matrix `basis` on qubit 2, with the
result 0 for the eigenvalue +1. Both `prepared` and `basis` are one of "X", "Y" and "Z".
""",
    dimensions=(
        dimension(
            "bits",
            "the parts of the two message bits",
            "whether qubit 0's bit decides on the X and qubit 1's on the Z, or the other way round",
            xz="The result of qubit 0 decides on the X, that of qubit 1 on the Z.",
            zx="The result of qubit 0 decides on the Z, that of qubit 1 on the X.",
        ),
        dimension(
            "when",
            "the moment of the correction",
            "whether the correction comes before or after the S gate",
            before="The correction comes first, then the S gate.",
            after="The S gate comes first, then the correction.",
        ),
        dimension(
            "value",
            "the value of a message bit that calls for its Pauli",
            "whether a Pauli is applied when its bit is 1 or when it is 0",
            one="A Pauli is applied when its bit of the message is 1.",
            zero="A Pauli is applied when its bit of the message is 0.",
        ),
        dimension(
            "pair",
            "the pair that the two ends share",
            "whether the pair that the two ends share is (|00> + |11>)/sqrt(2), or (|01> + |10>)/sqrt(2) with a"
            " further X in every correction",
            even="The shared pair is (|00> + |11>)/sqrt(2): the correction is what the message decides, no more.",
            odd=(
                "The shared pair is (|01> + |10>)/sqrt(2): besides what the message decides, every correction has a"
                " further X."
            ),
        ),
    ),
    cases=lambda *_: (("Z", "Z"), ("X", "Y"), ("Y", "X")),
    circuit=circuit,
)
