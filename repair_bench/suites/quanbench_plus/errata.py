"""Errata for the 42 problems, and the bit order in each problem.

The references are Qiskit circuits, so the bit order in Cirq and PennyLane is specified for each problem.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Reading = Literal["qubits", "string", "either"]
"""How to convert the bit order of a Qiskit reference for Cirq and PennyLane, which print the first qubit first.

- `qubits`: the problem refers to qubits or variables. The bit of the first qubit is printed first, so a key is the
  reverse of the key that Qiskit prints.
- `string`: the problem writes each outcome as a ket or a bit string. All frameworks print the same key for an outcome.
- `either`: both bit orders are correct, because the bits form a number (a phase, a sum, an index) and the problem does
  not state whether the lowest or the highest bit is measured first."""


@dataclass(frozen=True)
class Erratum:
    """The erratum for a problem. `wrong`: whether the reference, and thus the expected answer, is incorrect.

    `expected`: the correct answer in Qiskit's printed order, used if the reference cannot run. `order`: a second
    correct order of the bits.
    """

    text: str | None = None
    wrong: bool = False
    reading: Reading = "qubits"
    expected: Mapping[str, float] | None = None
    order: tuple[int, ...] | None = None


EMPTY = "An empty circuit passes."
COIN = (
    "At the published angles, each qubit gives 0 and 1 with almost equal probability. The released grader also accepts "
    "an answer with exactly equal probabilities."
)

ERRATA: dict[str, Erratum] = {
    "01": Erratum(EMPTY),
    "02": Erratum("The sign between the two terms of the state is not tested.", reading="string"),
    "03": Erratum(
        "The reference needs qiskit_algorithms and tweedledum, which the dataset does not declare. The expected answer "
        "is the result of one Grover iteration: the uniform distribution over the two solutions, x1 x2 x3 = 010 and "
        "011.",
        expected={"010": 0.5, "110": 0.5},
    ),
    "04": Erratum(
        "The prompt does not state the factor of two in the angles. The prompt does not state which node each qubit "
        "represents, either. Qubit i may represent node i, or the i-th node in the graph's list (0, 3, 4, 1, 2).",
        order=(0, 3, 4, 1, 2),
    ),
    "06": Erratum(
        "The prompt always calls the input a QuantumCircuit, but the input is a circuit of the framework in use."
    ),
    "07": Erratum(
        "In the reference, qubit 0 is the first symbol of a ket, whereas the bit of qubit 0 is the last bit of a "
        "printed outcome."
    ),
    "08": Erratum(
        "Uniform over 64 outcomes. Comparing 1000 shots with one stored sample rejects most correct answers. A "
        "Hadamard gate on each qubit gives the same distribution."
    ),
    "09": Erratum(
        "The reference prepares the target in |1>, which is not an eigenstate of X; answers with an eigenstate fail.",
        reading="either",
    ),
    "10": Erratum(
        "The reference does not condition on its ancilla, so its distribution is not that of the solution (about .79, "
        ".12, .002, .09). The released grader removes the ancilla's bit; answers with and without it are accepted.",
        wrong=True,
        reading="either",
    ),
    "11": Erratum(
        "The prompt describes the oracle by a bit string, but does not state which function the string stands for. The "
        "reference inverts the input bits for which the string has a 1, and computes the parity of all input bits."
    ),
    "12": Erratum(EMPTY),
    "13": Erratum("The reference measures the output of its oracle, and is correct by coincidence."),
    "14": Erratum(reading="string"),
    "15": Erratum("The prompt does not state the unitary of the Hadamard test; the reference uses a Hadamard gate."),
    "16": Erratum(),
    "17": Erratum(),
    "18": Erratum("Any fair coin passes: both outcomes of the measured teleported state are equally likely."),
    "19": Erratum(reading="string"),
    "20": Erratum("The reference puts the first symbol on qubit 0, so Qiskit prints the hidden string as 110."),
    "21": Erratum(f"All inputs are 0. {EMPTY}"),
    "22": Erratum("Only one sum is tested, and its bit string is a palindrome.", reading="either"),
    "23": Erratum("One difference is tested.", reading="either"),
    "24": Erratum(),
    "25": Erratum(
        "The operator in the reference is not Grover's, whose eigenphases are 1/6, 5/6, 1/2 and 1/2.",
        wrong=True,
        reading="either",
    ),
    "26": Erratum(
        "The qubit numbers in the reference are off by one, so the first gate swaps an ancilla with a data qubit.",
        wrong=True,
    ),
    "27": Erratum(
        f"A unitary, judged only on |00>. {EMPTY} The prompt forbids measurements, but the reference contains two."
    ),
    "28": Erratum(
        f"A unitary, judged only on |00000>. {EMPTY} The reference measures the ancilla instead of the target.",
        wrong=True,
    ),
    "29": Erratum("An indentation error in the reference skips Bob's measurement, so his bit stays 0.", wrong=True),
    "30": Erratum(f"Both inputs are 0. {EMPTY} The prompt names both qubit 3 and qubit 2 as the result."),
    "31": Erratum("The reference is one modular multiplication, not period finding.", wrong=True),
    "32": Erratum(reading="either"),
    "33": Erratum("Two rounds give two bits, the least significant first.", reading="either"),
    "34": Erratum(
        "In the third round, the reference omits the phase correction for the second measured bit. The result is still "
        "correct, because the second bit is always 0 for the T gate. Three rounds give three bits, the least "
        "significant first.",
        reading="either",
    ),
    "35": Erratum(f"The input is |000>. {EMPTY}"),
    "36": Erratum(
        "The reference inverts a Bell state that it never prepares; the correct answer, 00, fails.", wrong=True
    ),
    "37": Erratum(f"A unitary, judged only on |00>. {EMPTY}"),
    "39": Erratum(COIN),
    "40": Erratum(f"The prompt omits an X gate and a CNOT gate, and misplaces parameters[5]. {COIN}"),
    "41": Erratum(
        f"The Hamiltonian is not defined; the reference uses six of eight angles and no entangling gate. {COIN}"
    ),
    "42": Erratum(f"A unitary, judged only on |0>. {COIN}"),
    "43": Erratum("The reference is not a Toffoli gate.", wrong=True),
    "44": Erratum(f"A unitary, judged only on |00>. {EMPTY}"),
}
"""The errata by task ID."""

IDS = tuple(ERRATA)

_ZEROS: tuple[str, ...] = ("empty", "measured", "reset")
_HADAMARDS: tuple[str, ...] = ("hadamards",)
_WEAK = {
    **dict.fromkeys(("01", "12", "21", "27", "28", "30", "35", "37", "44"), _ZEROS),
    **dict.fromkeys(("08", "18"), _HADAMARDS),
}
_WEAK_TO_SAMPLES = dict.fromkeys(("39", "40", "41", "42"), _HADAMARDS)


def weak(task_id: str, rule: str) -> tuple[str, ...]:
    """Return the trivial baselines (`grading.audit`) that pass the check under a rule although they are incorrect."""
    return (_WEAK if rule == "exact" else _WEAK | _WEAK_TO_SAMPLES).get(task_id, ())
