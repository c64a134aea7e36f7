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
Implement the receiving end of a teleportation without a sender. The message bits are random: apply a Hadamard gate to
qubits 0 and 1, and measure both. Qubit 2 belongs to the receiver: prepare it in the +1 eigenstate of the Pauli matrix
`prepared`. The receiver applies two operations to it: the correction, in which one message bit determines whether X
is applied and the other whether Z is applied, and a separate S gate, diag(1, i). The correction also depends on the
Bell state that a sender would share with the receiver. Then measure the Pauli matrix `basis` on qubit 2, with result
0 for the eigenvalue +1. Both `prepared` and `basis` are one of "X", "Y" and "Z".
""",
    dimensions=(
        dimension(
            "bits",
            "the roles of the two message bits",
            "whether qubit 0 determines if X is applied and qubit 1 determines if Z is applied, or vice versa",
            xz=(
                "The result of qubit 0 determines whether X is applied, and the result of qubit 1 determines whether "
                "Z is applied."
            ),
            zx=(
                "The result of qubit 0 determines whether Z is applied, and the result of qubit 1 determines whether "
                "X is applied."
            ),
        ),
        dimension(
            "when",
            "the order of the correction and the S gate",
            "whether the correction is applied before or after the S gate",
            before="The correction is applied first, then the S gate.",
            after="The S gate is applied first, then the correction.",
        ),
        dimension(
            "value",
            "the value of a message bit for which a Pauli gate is applied",
            "whether a Pauli gate is applied when its message bit is 1 or when it is 0",
            one="A Pauli gate is applied when its message bit is 1.",
            zero="A Pauli gate is applied when its message bit is 0.",
        ),
        dimension(
            "pair",
            "the shared pair",
            "whether the shared pair is (|00> + |11>)/sqrt(2), or (|01> + |10>)/sqrt(2) with an additional X in "
            "every correction",
            even=(
                "The shared pair is (|00> + |11>)/sqrt(2), so the correction contains only the gates that the message "
                "bits select."
            ),
            odd=(
                "The shared pair is (|01> + |10>)/sqrt(2), so every correction contains an X gate in addition to the "
                "gates that the message bits select."
            ),
        ),
    ),
    cases=lambda *_: (("Z", "Z"), ("X", "Y"), ("Y", "X")),
    circuit=circuit,
)
