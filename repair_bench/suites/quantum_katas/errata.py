"""What is wrong with problems of the Quantum Katas, seen with Qiskit 2.6."""

NO_IMPORT = "The published solution uses {} without importing it: NameError."
VACUOUS = "The test accepts an entry point that returns None{}."

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
    # the test proves nothing
    "CHSHGame/2.5": VACUOUS.format(" or raises; it never calls it"),
    "DeutschJozsa/4.1": VACUOUS.format(" or raises; it never calls it"),
    "KeyDistribution_BB84/3.2": VACUOUS.format(" or raises; it never calls it"),
    "MagicSquareGame/2.5": VACUOUS.format(" or raises"),
    "MagicSquareGame/2.6": VACUOUS.format(" or raises, as long as the helper get_magic_observables is defined"),
    "Measurements/2.2": VACUOUS.format(""),
    "Teleportation/1.8": VACUOUS.format(""),
    # the test depends on luck
    "SolveSATWithGrover/3.2": "The test is flaky: it draws shots without a seed and fails the published solution about "
    "once in seven times.",
}
"""By task id."""

WRONG = frozenset({"MarkingOracles/3", "UnitaryPatterns/13"})
"""Those whose test rejects the right answer."""
