"""An oracle that marks strings of three letters."""

from random import Random

from repair_bench.suites.conventions.circuit import Circuit, Gate, x, z
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

LETTERS = 3


def circuit(choice: Choice, _: Constants, text: str) -> Circuit:
    own = LETTERS if choice["place"] == "end" else 0
    qubits = [qubit for qubit in range(LETTERS + 1) if qubit != own]
    if choice["order"] == "last":
        qubits.reverse()
    one = "1" if choice["letters"] == "plain" else "0"
    string = [(qubit, int(letter == one)) for qubit, letter in zip(qubits, text, strict=True)]
    gate: Gate = x(own) if choice["mark"] == "flip" else z(own)
    marked = gate.controlled(*string)
    return Circuit(LETTERS + 1, (marked,) if choice["which"] == "it" else (gate, marked))


def cases(rng: Random, _: Constants) -> list[tuple[str]]:
    """The second string is a palindrome."""
    one, other = rng.sample(("001", "011", "100", "110"), 2)
    return [(one,), (rng.choice(("010", "101")),), (other,)]


FAMILY = Family(
    name="oracle",
    title="Oracle of a string search",
    entry_point="oracle",
    parameters="text: str",
    kind="unitary",
    size=LETTERS + 1,
    category="algorithm",
    concepts=("oracle", "search"),
    statement="""
We need the oracle of our string search. The argument is the text searched for, three letters 0 or 1. The circuit has
four qubits: three that hold a string, one letter each, and one of the oracle's own. For a string that is not marked
nothing happens.
""",
    dimensions=(
        dimension(
            "order",
            "the order of the letters",
            "whether the text's letters go to the string qubits from the lowest number up or from the highest down",
            first="The letters of the text go to the string qubits from the lowest number up.",
            last="The letters of the text go to the string qubits from the highest number down.",
        ),
        dimension(
            "mark",
            "what marking does",
            "whether marking flips the oracle's own qubit, or multiplies the string by -1 but only if that qubit is 1",
            flip="Marking a string flips the oracle's own qubit.",
            phase="Marking a string multiplies it by -1, but only if the oracle's own qubit is 1.",
        ),
        dimension(
            "place",
            "where the oracle's own qubit stands",
            "whether the oracle's own qubit is qubit 3, after the string, or qubit 0, before it",
            end="The oracle's own qubit is qubit 3, and the string is on qubits 0 to 2.",
            start="The oracle's own qubit is qubit 0, and the string is on qubits 1 to 3.",
        ),
        dimension(
            "which",
            "which strings are marked",
            "whether the string that was searched for is marked, or all others are",
            it="The string that was searched for is marked, and no other.",
            others="All strings but the one that was searched for are marked.",
        ),
        dimension(
            "letters",
            "what a letter says of its qubit",
            "whether the letter 1 stands for a qubit in |1> or, active low, for a qubit in |0>",
            plain="The letter 1 stands for a qubit in |1>, the letter 0 for a qubit in |0>.",
            inverted="Letters are active low: 1 stands for a qubit in |0>, 0 for a qubit in |1>.",
        ),
    ),
    cases=cases,
    circuit=circuit,
)
