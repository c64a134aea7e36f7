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
    """Return three strings, the second of which is a palindrome."""
    one, other = rng.sample(("001", "011", "100", "110"), 2)
    return [(one,), (rng.choice(("010", "101")),), (other,)]


FAMILY = Family(
    name="oracle",
    title="Oracle for a string search",
    entry_point="oracle",
    parameters="text: str",
    kind="unitary",
    size=LETTERS + 1,
    category="algorithm",
    concepts=("oracle", "search"),
    statement="""
Implement the oracle of our string search. `text` is the search string: three characters, each 0 or 1. The circuit has
four qubits: three string qubits, each of which holds one character of a string, and one oracle qubit. The oracle marks
some strings and leaves all other strings unchanged.
""",
    dimensions=(
        dimension(
            "order",
            "the order of the characters",
            "whether the characters of `text` are assigned to the string qubits in ascending or descending order",
            first="The characters of `text` are assigned to the string qubits in ascending order of qubit numbers.",
            last="The characters of `text` are assigned to the string qubits in descending order of qubit numbers.",
        ),
        dimension(
            "mark",
            "the effect of marking",
            "whether marking a string flips the oracle qubit, or multiplies the amplitude by -1 when the oracle qubit "
            "is 1",
            flip="Marking a string flips the oracle qubit.",
            phase=(
                "Marking a string multiplies the amplitude by -1 when the oracle qubit is 1, and changes nothing when "
                "the oracle qubit is 0."
            ),
        ),
        dimension(
            "place",
            "the position of the oracle qubit",
            "whether the oracle qubit is qubit 3 and the string is on qubits 0 to 2, or the oracle qubit is qubit 0 "
            "and the string is on qubits 1 to 3",
            end="The oracle qubit is qubit 3, and the string is on qubits 0 to 2.",
            start="The oracle qubit is qubit 0, and the string is on qubits 1 to 3.",
        ),
        dimension(
            "which",
            "the marked strings",
            "whether the oracle marks only the search string or all strings except the search string",
            it="The oracle marks only the search string.",
            others="The oracle marks all strings except the search string.",
        ),
        dimension(
            "letters",
            "the encoding of characters",
            "whether the character 1 is encoded as |1> or as |0>",
            plain="The character 1 is encoded as |1>, and the character 0 is encoded as |0>.",
            inverted="The character 1 is encoded as |0>, and the character 0 is encoded as |1>.",
        ),
    ),
    cases=cases,
    circuit=circuit,
)
