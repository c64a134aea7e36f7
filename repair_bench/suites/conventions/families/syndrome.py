"""The syndrome of a Pauli error in a four-qubit code of distance 2."""

from repair_bench.suites.conventions.circuit import Circuit, Gate, Measure, cx, h, inverse, x
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

QUBITS = 4
CHECKS = 3


def circuit(choice: Choice, _: Constants, error: str) -> Circuit:
    letters = error if choice["letters"] == "first" else error[::-1]
    # a cat state; its inverse writes the check of all qubits to qubit 0, and the check of qubits 0 and i to qubit i
    encode: list[Gate] = [h(0), *(cx(0, qubit) for qubit in range(1, QUBITS))]
    turn = [h(qubit) for qubit in range(QUBITS)] if choice["type"] == "z" else []
    steps = [*encode, *turn]
    steps += [Gate(letter.lower(), (qubit,)) for qubit, letter in enumerate(letters) if letter != "I"]
    partner, other = (1, 2) if choice["pairs"] == "rows" else (2, 1)
    steps += [*turn, *inverse(encode), cx(other, QUBITS - 1)]
    checks = [0, partner, QUBITS - 1]
    if choice["value"] == "kept":
        steps += [x(qubit) for qubit in checks]
    if choice["order"] == "pairs":
        checks.reverse()
    return Circuit(QUBITS, (*steps, *(Measure(qubit, bit) for bit, qubit in enumerate(checks))))


FAMILY = Family(
    name="syndrome",
    title="Syndrome of a four-qubit code",
    entry_point="syndrome",
    parameters="error: str",
    kind="distribution",
    size=CHECKS,
    measured="the results of the three checks",
    category="algorithm",
    concepts=("error correction", "stabilizers"),
    statement="""
Our code has four data qubits, 0 to 3, and three checks. One check is the product of one Pauli operator on all four
qubits. The other two checks use a second Pauli operator: each is the product of this operator on one of two pairs of
qubits. All three checks are +1 in the code space. Prepare any state of the code, apply the Pauli error given by the
string `error`, with one of the letters I, X, Y, Z per data qubit, and measure the three checks.
""",
    dimensions=(
        dimension(
            "order",
            "the order of the checks",
            "whether the results come in the order (all four qubits, pair with qubit 0, other pair) or in the order "
            "(other pair, pair with qubit 0, all four qubits)",
            all=(
                "The first result is that of the check on all four qubits, the second is that of the pair with qubit "
                "0, and the third is that of the other pair."
            ),
            pairs=(
                "The first result is that of the pair without qubit 0, the second is that of the pair with qubit 0, "
                "and the third is that of the check on all four qubits."
            ),
        ),
        dimension(
            "letters",
            "the order of the letters",
            "whether the first letter of `error` acts on qubit 0 or on qubit 3",
            first="The first letter of `error` acts on qubit 0, the last on qubit 3.",
            last="The first letter of `error` acts on qubit 3, the last on qubit 0.",
        ),
        dimension(
            "type",
            "the Pauli operators of the checks",
            "whether the check on all four qubits is XXXX and the check on each pair is ZZ, or the check on all four "
            "qubits is ZZZZ and the check on each pair is XX",
            x="The check on all four qubits is XXXX, and the check on each pair is ZZ.",
            z="The check on all four qubits is ZZZZ, and the check on each pair is XX.",
        ),
        dimension(
            "pairs",
            "the pairs of qubits",
            "whether the pairs are (0, 1) and (2, 3), or (0, 2) and (1, 3)",
            rows="One pair consists of qubits 0 and 1, and the other pair consists of qubits 2 and 3.",
            columns="One pair consists of qubits 0 and 2, and the other pair consists of qubits 1 and 3.",
        ),
        dimension(
            "value",
            "the meaning of a result",
            "whether a result of 1 means that the check is violated or that it is satisfied",
            violated="A result is 1 if the check is violated (-1) and 0 if it is satisfied (+1).",
            kept="A result is 1 if the check is satisfied (+1) and 0 if it is violated (-1).",
        ),
    ),
    cases=lambda *_: (("XIII",), ("IIZI",), ("YXII",), ("IXXI",)),
    circuit=circuit,
)
