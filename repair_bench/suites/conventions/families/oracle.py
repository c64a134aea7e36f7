"""An oracle that marks strings of three letters."""

from random import Random

from repair_bench.suites.conventions.circuit import Circuit, Gate, x, z
from repair_bench.suites.conventions.family import Choice, Constants, Dimension, Family, Option

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


def constants(rng: Random) -> Constants:
    # the second is the same from either end
    one, other = rng.sample(("001", "011", "100", "110"), 2)
    return {"texts": (one, rng.choice(("010", "101")), other)}


def cases(constants: Constants) -> tuple[tuple[str], ...]:
    return tuple((text,) for text in constants["texts"])


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
        Dimension(
            "order",
            "the order of the letters",
            "whether the text's letters go to the string qubits from the lowest number up or from the highest down",
            (
                Option("first", "The letters of the text go to the string qubits from the lowest number up."),
                Option("last", "The letters of the text go to the string qubits from the highest number down."),
            ),
        ),
        Dimension(
            "mark",
            "what marking does",
            "whether marking flips the oracle's own qubit, or multiplies the string by -1 but only if that qubit is 1",
            (
                Option("flip", "Marking a string flips the oracle's own qubit."),
                Option(
                    "phase",
                    "Marking a string multiplies it by -1, but only if the oracle's own qubit is 1.",
                ),
            ),
        ),
        Dimension(
            "place",
            "where the oracle's own qubit stands",
            "whether the oracle's own qubit is qubit 3, after the string, or qubit 0, before it",
            (
                Option("end", "The oracle's own qubit is qubit 3, and the string is on qubits 0 to 2."),
                Option("start", "The oracle's own qubit is qubit 0, and the string is on qubits 1 to 3."),
            ),
        ),
        Dimension(
            "which",
            "which strings are marked",
            "whether the string that was searched for is marked, or all others are",
            (
                Option("it", "The string that was searched for is marked, and no other."),
                Option("others", "All strings but the one that was searched for are marked."),
            ),
        ),
        Dimension(
            "letters",
            "what a letter says of its qubit",
            "whether the letter 1 stands for a qubit in |1> or, active low, for a qubit in |0>",
            (
                Option("plain", "The letter 1 stands for a qubit in |1>, the letter 0 for a qubit in |0>."),
                Option("inverted", "Letters are active low: 1 stands for a qubit in |0>, 0 for a qubit in |1>."),
            ),
        ),
    ),
    constants=constants,
    cases=cases,
    circuit=circuit,
)
