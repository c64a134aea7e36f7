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
    title="Oracle of a string search",
    entry_point="oracle",
    parameters="text: str",
    kind="unitary",
    size=LETTERS + 1,
    category="algorithm",
    concepts=("oracle", "search"),
    statement="""
Implement the oracle of our string search. `text` is the search string: three letters, each 0 or 1. The circuit has
four qubits: three string qubits, which hold a string with one letter per qubit, and one oracle qubit. Strings that
are not marked are unchanged.
""",
    dimensions=(
        dimension(
            "order",
            "the order of the letters",
            "whether the letters of `text` are assigned to the string qubits in ascending or descending order",
            first="The letters of `text` are assigned to the string qubits in ascending order of qubit numbers.",
            last="The letters of `text` are assigned to the string qubits in descending order of qubit numbers.",
        ),
        dimension(
            "mark",
            "the effect of marking",
            "whether marking flips the oracle qubit or multiplies the string by -1 if the oracle qubit is 1",
            flip="Marking a string flips the oracle qubit.",
            phase="Marking a string multiplies it by -1 if the oracle qubit is 1, and changes nothing otherwise.",
        ),
        dimension(
            "place",
            "the position of the oracle qubit",
            "whether the oracle qubit is qubit 3, after the string, or qubit 0, before it",
            end="The oracle qubit is qubit 3, and the string is on qubits 0 to 2.",
            start="The oracle qubit is qubit 0, and the string is on qubits 1 to 3.",
        ),
        dimension(
            "which",
            "the marked strings",
            "whether the search string is marked or all other strings are marked",
            it="Only the search string is marked.",
            others="All strings except the search string are marked.",
        ),
        dimension(
            "letters",
            "the encoding of letters",
            "whether the letter 1 is encoded as |1> or, active low, as |0>",
            plain="The letter 1 is encoded as |1>, and the letter 0 as |0>.",
            inverted="Letters are active low: 1 is encoded as |0>, 0 as |1>.",
        ),
    ),
    cases=cases,
    circuit=circuit,
)
