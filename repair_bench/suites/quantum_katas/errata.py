"""Errata of the Quantum Katas, found with Qiskit 2.6; the tables are by task id."""

NO_IMPORT = "The published solution uses {} without importing it: NameError."
NOTHING_ASKED = "The test accepts an entry point that returns None{}."
NO_SQUARE = (
    "That is no magic square: XI, IX and XY in a row do not multiply to I. A right one fails with AssertionError."
)

ERRATA = {
    # the published solution fails
    "CHSHGame/2.2": NO_IMPORT.format("ClassicalRegister"),
    "GHZGame/2.2": NO_IMPORT.format("ClassicalRegister"),
    "GHZGame/2.3": "The test uses ClassicalRegister without importing it: only an answer that imports it can pass.",
    "GraphColoring/9": "The published solution names a qubit twice in one gate: CircuitError. The test asks for "
    "no more than a normalised state, which a function that does nothing leaves.",
    "GroversAlgorithm/2.2": NO_IMPORT.format("np") + " The test looks at magnitudes, so no sign is tested.",
    "KeyDistribution_BB84/3.1": NO_IMPORT.format("ClassicalRegister"),
    "MarkingOracles/3": "The test reads the target qubit as the lowest bit of the state's index, where Qiskit has it "
    "as the highest: AssertionError for every right answer.",
    "PhaseEstimation/7": "The published solution estimates another phase than it is given: AssertionError.",
    "QEC_BitFlipCode/9": "The published solution measures the parity of the three bits, which is odd for 111 as well, "
    "and so finds an error in a code word: AssertionError.",
    "Superposition/2.3": NO_IMPORT.format("ClassicalRegister"),
    "Teleportation/1.5": NO_IMPORT.format("QuantumRegister"),
    "UnitaryPatterns/13": "The test expects (|0> + i|1>)/sqrt(2) from H, S, H on |0>, which give (|0> - i|1>)/sqrt(2) "
    "up to a phase: AssertionError for every right answer.",
    # the test accepts anything
    "CHSHGame/2.5": NOTHING_ASKED.format(" or raises; it never calls it"),
    "DeutschJozsa/4.1": NOTHING_ASKED.format(" or raises; it never calls it"),
    "KeyDistribution_BB84/3.2": NOTHING_ASKED.format(" or raises; it never calls it"),
    "MagicSquareGame/2.5": NOTHING_ASKED.format(" or raises"),
    "MagicSquareGame/2.6": NOTHING_ASKED.format(" or raises")
    + f" It asks for the helper get_magic_observables, and for its square. {NO_SQUARE}",
    "Measurements/2.2": NOTHING_ASKED.format(""),
    "Teleportation/1.8": NOTHING_ASKED.format(""),
    # the test rejects a right answer
    "BasicGates/1.7": "The words ask for -I, the test for Z: it wants the sign on |1> alone. AssertionError for "
    "every right answer.",
    "CHSHGame/2.4": "The test prepares cos(pi/16)|0> - sin(pi/16)|1> for a state of the basis at pi/8, and expects the "
    "same outcome of each measurement: in that basis 69% have it. AssertionError.",
    "MagicSquareGame/2.2": f"The test asks for one square. {NO_SQUARE}",
    "MagicSquareGame/2.3": "The words apply the first Pauli to the first qubit; the test wants it on the second of the "
    "list: AssertionError for every right answer.",
    "Measurements/1.2": "The signature asks for a measurement and a conditional flip; the test reads the bit of the "
    "measurement, from before the flip: AssertionError.",
    "Teleportation/1.6": "The published solution always returns False, and the test asks only for a bool and for new "
    "bits in the circuit that is given: an answer that measures a copy of it fails.",
    # the test is flaky
    "SolveSATWithGrover/3.2": "The test is flaky: it draws shots without a seed and fails the published solution about "
    "once in seven times.",
}

WRONG = frozenset(
    {
        *("BasicGates/1.7", "CHSHGame/2.4", "GHZGame/2.3", "MagicSquareGame/2.2", "MagicSquareGame/2.3"),
        *("MagicSquareGame/2.6", "MarkingOracles/3", "Measurements/1.2", "SolveSATWithGrover/3.2"),
        *("Teleportation/1.6", "UnitaryPatterns/13"),
    }
)
"""Tasks whose test rejects a right answer; see `ERRATA`."""

UNDERSPECIFIED: dict[str, str] = {
    "BasicGates/1.10": "the global phase of the Bell state; the test asks for exact amplitudes",
    "BasicGates/2.4": "the order of the qubits in a ket; the test takes the first of the list as the leftmost",
    "BoundedKnapsack/1.6": "whether the register of weights keeps the total; the test wants it cleared",
    "BoundedKnapsack/1.7": "whether the register of profits keeps the total; the test wants it cleared",
    "CHSHGame/2.4": "the sign and the size of the rotation that leads to the basis; the test takes Ry(+pi/8) "
    "and a measurement",
    "DeutschJozsa/2.3": "the keys of the dictionary that is returned",
    "DeutschJozsa/3.2": "the keys of the dictionary that is returned",
    "GroversAlgorithm/1.2": "at which end of the register the pattern 1010... begins; the test takes the last qubit",
    "JointMeasurements/13": "which two parities are returned; the test takes those of neighbours",
    "MagicSquareGame/1.3": "which of the best strategies; the test wants the first row to be all ones",
    "MagicSquareGame/2.3": "which qubit is the first; the test applies the first Pauli to the second of the list",
    "MagicSquareGame/3.1": "the keys of the dictionary that is returned",
    "Measurements/1.13": "the order of the qubits in a ket; the test takes the first of the list as the leftmost",
    "Measurements/1.2": "whether a measurement stands at the end; the test reads the bit of one after the reset",
    "PhaseEstimation/3": "which qubit the Fourier transform takes as the most significant; the test takes "
    "the first of the list",
    "QEC_BitFlipCode/10": "whether the syndrome is measured; the test admits no measurement",
    "QFT/1.8": "which qubit the transform takes as the most significant; the test takes Qiskit's",
    "QFT/2.5": "what becomes of fewer than two qubits; the test wants a ValueError",
    "QFT/2.6": "which qubit is the most significant in the frequency; the test takes the last of the list as the least",
    "SolveSATWithGrover/1.3": "what more than two qubits mean; the test takes their parity",
    "SuperdenseCoding/3": "which Bell state stands for which bits; the test takes Psi+ for (0, 1)",
    "SuperdenseCoding/Analysis": "the keys of the dictionary, which message stands for which state, and the "
    "sign of Psi-",
    "Superposition/1.5": "the order of the qubits in a ket; the test takes the first of the list as the leftmost",
    "Superposition/1.7": "the order of the qubits in a ket and the sign of Psi-; the test takes [0, -, +, 0]",
    "Superposition/1.12": "which qubit a bit of the string belongs to; the test takes the first bit for the last qubit",
    "Superposition/1.13": "which qubit a bit of the string belongs to; the test takes the first bit for the last qubit",
    "Superposition/2.2": "the order of the qubits in a ket; the test takes Qiskit's, the last qubit leftmost",
    "Teleportation/1.4": "whether the corrections follow measurements or controls; the test admits no measurement",
    "Teleportation/1.6": "whether the circuit that is given is itself measured; the test looks for its new bits",
    "Teleportation/2.3": "the global phase, by the order of X and Z; the test wants X first",
    "TruthTables/2": "which bit of the integer is which assignment; the test takes bit i for assignment i",
    "TruthTables/3": "which bit of the integer is which assignment; the test takes bit i for assignment i",
    "UnitaryPatterns/18": "whether to measure, which the words ask for; the test admits no measurement",
    "examples/BellStateAnalysis": "whether the analysis measures; the test admits no measurement",
    "tutorials/MultiQubitSystems/2": "the order of the factors of the tensor product; the test takes the "
    "first of the list on the left",
    "tutorials/MultiQubitSystems/3": "the order of the factors of the tensor product; the test takes the "
    "first of the list on the left",
}
"""The convention that the prompt leaves open and the test decides. Two independent readers named these; a few were
added because a model's answer failed that was right under another reading."""

_ANYTHING = (
    "empty hadamards measured reset nothing zero one true empty_list empty_text first_argument emptied_arguments "
    "numbers raises"
)
_PASSED_BY = {
    _ANYTHING: "MagicSquareGame/2.5 MagicSquareGame/2.6",
    f"{_ANYTHING} exits": "CHSHGame/2.5 DeutschJozsa/4.1 KeyDistribution_BB84/3.2",
    "empty hadamards measured reset zero one true": "JointMeasurements/2",
    "empty hadamards measured reset zero one true numbers": (
        "DistinguishUnitaries/1.5 DistinguishUnitaries/1.6 DistinguishUnitaries/1.7 DistinguishUnitaries/1.8 "
        "Measurements/1.14 Measurements/1.15 Measurements/2.3 tutorials/RandomNumberGeneration/1"
    ),
    "empty hadamards measured reset true": "JointMeasurements/5 JointMeasurements/10 Teleportation/1.7",
    "empty hadamards measured reset first_argument emptied_arguments": (
        "examples/BasicQuantumTeleportation examples/QuantumSuperdenseCoding tutorials/Oracles/2.1"
    ),
    "empty hadamards measured reset numbers": "GraphColoring/17",
    "empty hadamards measured reset": "GroversAlgorithm/GroversSearch SimonsAlgorithm/Algorithm Teleportation/1.2",
    "empty hadamards reset": "PhaseEstimation/5",
    "empty hadamards reset first_argument emptied_arguments": (
        "BoundedKnapsack/2.4 BoundedKnapsack/2.6 GraphColoring/9 GraphColoring/11 RippleCarryAdder/1.6 "
        "RippleCarryAdder/1.7 RippleCarryAdder/2.4 RippleCarryAdder/2.5 RippleCarryAdder/3.1 RippleCarryAdder/3.2 "
        "RippleCarryAdder/3.3 RippleCarryAdder/3.4 RippleCarryAdder/3.5 RippleCarryAdder/4.1 RippleCarryAdder/5.1 "
        "RippleCarryAdder/5.2 RippleCarryAdder/5.3 RippleCarryAdder/5.4 RippleCarryAdder/5.5 Teleportation/1.4 "
        "Teleportation/3.1 Teleportation/4.2 examples/PhaseKickbackDemo tutorials/MultiQubitSystems/4"
    ),
    "empty reset first_argument emptied_arguments": "QEC_BitFlipCode/10 QFT/1.4 Superposition/2.3",
    "empty reset emptied_arguments": "QEC_BitFlipCode/5 examples/BellStateAnalysis",
    "hadamards": (
        "PhaseEstimation/2 QFT/1.2 QFT/1.7 QFT/2.2 SolveSATWithGrover/1.4 SolveSATWithGrover/1.5 "
        "SolveSATWithGrover/1.6 SolveSATWithGrover/2.1 SolveSATWithGrover/2.2 SolveSATWithGrover/3.2 "
        "UnitaryPatterns/17"
    ),
    "hadamards one true": "JointMeasurements/9 SolveSATWithGrover/3.1",
    "measured": "Measurements/1.2",
    "nothing zero one true empty_list empty_text first_argument emptied_arguments numbers": "Teleportation/1.8",
    "nothing empty_list empty_text first_argument emptied_arguments": "Measurements/2.2",
    "empty_list": "PhaseEstimation/6",
    "first_argument": (
        "GraphColoring/8 GroversAlgorithm/2.2 GroversAlgorithm/2.3 MarkingOracles/3 PhaseEstimation/1 "
        "RippleCarryAdder/1.1 RippleCarryAdder/2.3 Teleportation/1.3 UnitaryPatterns/7 "
        "tutorials/ExploringDeutschJozsaAlgorithm/1"
    ),
    "first_argument emptied_arguments": "PhaseEstimation/7",
}
WEAK = {task: tuple(programs.split()) for programs, tasks in _PASSED_BY.items() for task in tasks.split()}
"""The trivial baselines (`grading.audit`) that the test passes although their result is wrong. In JointMeasurements/9,
SolveSATWithGrover/3.1, QEC_BitFlipCode/5 and BellStateAnalysis they return the reference's result, because the test
calls them with no input for which it is wrong."""

_NOT_LOOKED_AT = {
    "the phases of amplitudes": (
        "GHZGame/2.1 MagicSquareGame/2.1 QFT/1.8 QFT/2.1 QFT/2.3 QFT/2.5 SimonsAlgorithm/2.1 Superposition/1.13 "
        "Superposition/2.2 Superposition/2.4 Superposition/2.5 Superposition/2.7 BoundedKnapsack/1.5 "
        "BoundedKnapsack/2.7 BoundedKnapsack/2.9 DeutschJozsa/1.2 DeutschJozsa/1.8 GraphColoring/5 GraphColoring/10 "
        "QFT/3.1 RippleCarryAdder/2.1 SimonsAlgorithm/1.2 UnitaryPatterns/12 UnitaryPatterns/18 GroversAlgorithm/1.2 "
        "GroversAlgorithm/1.3 RippleCarryAdder/1.3 RippleCarryAdder/1.4 RippleCarryAdder/1.5 QFT/2.4 QFT/3.2 "
        "BoundedKnapsack/1.3 BoundedKnapsack/1.4 BoundedKnapsack/1.6 BoundedKnapsack/1.7 BoundedKnapsack/2.3 "
        "GraphColoring/4 GraphColoring/7 GraphColoring/14 MarkingOracles/8 MarkingOracles/11 CHSHGame/2.1 "
        "tutorials/Oracles/1.3"
    ),
    "how many qubits there are": "GraphColoring/2",
    "the sign of a number": "tutorials/ComplexArithmetic/2",
    "the shape of an array": "tutorials/LinearAlgebra/2",
    "what comes of some of its calls": (
        "BasicGates/2.5 BasicGates/2.6 GroversAlgorithm/1.4 SuperdenseCoding/2 Teleportation/1.6 Teleportation/2.1 "
        "Teleportation/2.2 Teleportation/2.3 Teleportation/4.1 GroversAlgorithm/2.1"
    ),
    "more than one qubit of what it measures": "SolveSATWithGrover/1.1 SolveSATWithGrover/1.2 SolveSATWithGrover/1.3",
    "all that is returned": (
        "BoundedKnapsack/2.1 BoundedKnapsack/2.2 DeutschJozsa/2.3 DeutschJozsa/3.2 MagicSquareGame/3.1 "
        "GraphColoring/15 examples/GroverSearch2Qubits"
    ),
    "which of many values is returned, by choice, by chance or within a tolerance": (
        "CHSHGame/1.2 CHSHGame/1.3 GHZGame/1.2 GHZGame/1.3 GraphColoring/13 SimonsAlgorithm/2.2 "
        "KeyDistribution_BB84/2.1 KeyDistribution_BB84/2.3 KeyDistribution_BB84/2.6 Measurements/2.1 "
        "SuperdenseCoding/Analysis"
    ),
}
LENIENT = {task: f"it does not look at {what}" for what, tasks in _NOT_LOOKED_AT.items() for task in tasks.split()}
"""The aspect that the test ignores: changed answers of the reference pass (`benchmarks/border.py`), although no trivial
baseline does."""

TRIVIAL: dict[str, tuple[str, ...]] = {
    "CHSHGame/1.2": ("first_argument", "emptied_arguments"),  # returning the own bit also wins 3 of 4 games
    "CHSHGame/1.3": ("first_argument", "emptied_arguments"),
    "QFT/2.1": ("hadamards",),
    "SimonsAlgorithm/2.2": ("empty", "measured", "reset"),  # any b with b.s = 0 is right, such as 0
}
"""The trivial baselines that are right answers, but differ from the published one."""

NO_ORACLE = {
    "MagicSquareGame/2.5": "the circuit that holds the register is not handed over",
    "MagicSquareGame/2.6": "the circuit that the players share is not handed over, so a fixed row is as good as any",
    "SolveSATWithGrover/3.1": "nothing is handed over that could be found wrong: every right answer returns True",
    "Teleportation/1.7": "nothing is handed over that could be found wrong: every right answer returns True",
    "examples/PhaseKickbackDemo": "which operation is controlled, and who prepares the qubits, is not said",
    "tutorials/MultiQubitSystems/4": "which state to prepare is not said",
}
"""Why a weak or wrong task can have no oracle whose verdict follows from the prompt."""
