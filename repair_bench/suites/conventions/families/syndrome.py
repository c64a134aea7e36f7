"""The syndrome of a Pauli error in a four-qubit code of distance 2."""

from repair_bench.suites.conventions.circuit import Circuit, Gate, Measure, cx, h, inverse, x
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

QUBITS = 4
CHECKS = 3


def circuit(choice: Choice, _: Constants, error: str) -> Circuit:
    letters = error if choice["letters"] == "first" else error[::-1]
    # a cat state; undone, qubit 0 has the check of all qubits, each other qubit the check of its pair with 0
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
Our code has four data qubits, 0 to 3, and three checks: a product of one Pauli over all four qubits, and a product of
another Pauli over each of two pairs of them. In the code all three are +1. Take any state of the code, apply the Pauli
error that the string `error` spells, one of I, X, Y, Z for each data qubit, and measure the three checks.
""",
    dimensions=(
        dimension(
            "order",
            "the order of the checks",
            "whether the order of the results is all four, pair with qubit 0, other pair, or the reverse of it",
            all="The results are in this order: the check on all four, the pair with qubit 0, the other pair.",
            pairs="The results are in this order: the pair without qubit 0, the pair with it, the check on all four.",
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
            "the Paulis of the checks",
            "whether the check on all four is of X and those on pairs are of Z, or the other way round",
            x="The check on all four is XXXX, and each pair is checked for ZZ.",
            z="The check on all four is ZZZZ, and each pair is checked for XX.",
        ),
        dimension(
            "pairs",
            "the pairs of qubits",
            "whether the pairs are (0, 1) and (2, 3), or (0, 2) and (1, 3)",
            rows="One pair is qubits 0 and 1, the other qubits 2 and 3.",
            columns="One pair is qubits 0 and 2, the other qubits 1 and 3.",
        ),
        dimension(
            "value",
            "the meaning of a result",
            "whether 1 means that a check is violated or that it holds",
            violated="A result is 1 where the check is violated (-1), and 0 where it holds (+1).",
            kept="A result is 1 where the check holds (+1), and 0 where it is violated (-1).",
        ),
    ),
    cases=lambda *_: (("XIII",), ("IIZI",), ("YXII",), ("IXXI",)),
    circuit=circuit,
)
