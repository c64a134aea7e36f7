"""Errata for Qiskit HumanEval, found with Qiskit 2.6 and qiskit-ibm-runtime 0.51, by task ID."""

ERRATA = {
    "qiskitHumanEval/46": "The prompt and the test import from qiskit.synthesis.linear.linear_matrix_utils, which "
    "Qiskit has removed. If the module is missing, the prompt and the test import from qiskit.synthesis.linear "
    "instead.",
    "qiskitHumanEval/103": "The test expects the fake backends with ecr gates from an older qiskit-ibm-runtime. Later "
    "releases also contain FakeBrussels and FakeStrasbourg. The test does not expect these two, so every correct "
    "answer fails with AssertionError.",
    "qiskitHumanEval/104": "The test expects 197, the cost of a circuit that an older Qiskit transpiled. With Qiskit "
    "2.6, the cost is 273, so the published solution and every correct answer fail with AssertionError.",
    "qiskitHumanEval/110": "The published solution draws Clifford circuits until ten are close to the given circuit. "
    "Whether the solution finishes in time depends on the seed, which is fixed.",
    "qiskitHumanEval/144": "The test requires the computed concurrence to be exactly 0. Qiskit computes "
    "exactly 0 for only 7 of 50 random pure product states. For the other 43 states, a rounding error leads to "
    "AssertionError.",
}

WRONG = frozenset({"qiskitHumanEval/103", "qiskitHumanEval/104", "qiskitHumanEval/144"})
"""Tasks whose test rejects a correct answer; see `ERRATA`."""

MOVED = {
    "qiskitHumanEval/46": {
        "qiskit.synthesis.linear.linear_matrix_utils": "qiskit.synthesis.linear",
    },
}
"""Modules that Qiskit has removed, and their replacements. If the old module is not installed, the replacement is used
in the prompt, the solution and the test."""

UNDERSPECIFIED: dict[str, str] = {
    "qiskitHumanEval/15": "whether the simulation is noisy, and the kind of noise; the test requires noisy counts",
    "qiskitHumanEval/26": "whether the circuit is measured; the test requires one measurement and a depth of 3",
    "qiskitHumanEval/32": "the signs of the terms, and whether the values are added; the test requires a sum of 4.0",
    "qiskitHumanEval/34": "whether the dictionary contains the batch id; the test requires only the keys of four jobs",
    "qiskitHumanEval/35": "the values of the circuit's parameters; the test uses values generated from a seed",
    "qiskitHumanEval/40": "the state preparation and the number of shots; the test requires the counts of a seeded run",
    "qiskitHumanEval/41": "the qubits and the order of the two operators; the test uses qargs [0, 2] and front=True",
    "qiskitHumanEval/44": "the order of the tensor product; the test puts the second circuit on qubit 0",
    "qiskitHumanEval/45": "whether a circuit or a Clifford object is returned; the test requires a Clifford object",
    "qiskitHumanEval/46": "whether to return a circuit or a LinearFunction; the test requires a LinearFunction",
    "qiskitHumanEval/49": "the qubits of the gates, and whether to add measurements; the test accepts a single "
    "circuit, which has no measurements",
    "qiskitHumanEval/51": "the register names and the number of gates; the test reads `c_receiver`",
    "qiskitHumanEval/52": "the name of a register and the depth; the test reads `measure` and requires a depth of 6",
    "qiskitHumanEval/63": "how the receiver's bases are drawn; the test requires one call to `numpy.random.randint`",
    "qiskitHumanEval/66": "the number of qubits and the register name; the test reads `meas`, with 3 qubits",
    "qiskitHumanEval/67": "the gates that change the bases; the test requires two `ry` gates and a depth of 4",
    "qiskitHumanEval/68": "whether percentages range from 0 to 1 or from 0 to 100; the test uses 0 to 1",
    "qiskitHumanEval/79": "whether barriers count as instructions; the test counts barriers",
    "qiskitHumanEval/84": "the kind of custom gate; the test looks for `u3` in the name of the gate",
    "qiskitHumanEval/88": "the classical bit of the last measurement; the test reads a register `c` with a single bit",
    "qiskitHumanEval/91": "whether the circuit is measured; the test requires measurements of both qubits",
    "qiskitHumanEval/97": "whether edges or a CouplingMap are returned; in the test, the type depends on the backend",
    "qiskitHumanEval/103": "whether to return class names or backend names; the test requires class names",
    "qiskitHumanEval/128": "the number of classical registers; the test reads one register, `c`, with 4 bits",
    "qiskitHumanEval/131": "whether to read the values from the backend or from its configuration; the test compares "
    "them with the configuration",
    "qiskitHumanEval/132": "which part of a batch to return; the test requires the counts of the first circuit",
    "qiskitHumanEval/134": "the keys of the returned dictionary",
    "qiskitHumanEval/137": "the number of matrices to return; the test requires 10",
    "qiskitHumanEval/138": "the number of matrices to return; the test requires 10",
    "qiskitHumanEval/141": "the type of the items, Pauli or SparsePauliOp; the test requires SparsePauliOp",
}
"""For each listed task, the convention that the test assumes but the prompt leaves open. Two independent readers
identified these tasks; a few were added because the test rejects a model's answer that is correct under another
reading."""

_CIRCUITS = ("empty", "hadamards", "measured", "reset")
_PASSED_BY: dict[tuple[str, ...], tuple[int, ...]] = {
    _CIRCUITS: (21, 22, 64),
    (*_CIRCUITS, "numbers"): (48,),
    ("empty",): (16,),
    ("empty", "hadamards"): (45,),
    ("empty", "hadamards", "reset", "empty_list", "empty_text"): (139,),
    ("hadamards",): (63, 109),
    ("hadamards", "empty_list", "empty_text", "emptied_arguments"): (110,),
}
WEAK = {f"qiskitHumanEval/{task}": programs for programs, tasks in _PASSED_BY.items() for task in tasks}
"""The trivial baselines (`grading.audit`) that pass the test although they are incorrect."""

_NOT_LOOKED_AT: dict[str, tuple[int, ...]] = {
    "every gate and measurement of a circuit": (
        *(0, 3, 7, 8, 9, 18, 19, 20, 26, 27, 38, 51, 52, 66, 67, 69, 70, 71, 72, 73, 74, 77, 84, 86, 87, 88, 101, 111),
        *(118, 121, 125, 128, 150),
    ),
    "the whole result or its exact value": (
        *(1, 12, 14, 15, 28, 30, 34, 35, 37, 47, 68, 76, 85, 94, 96, 102, 108, 113, 115, 131, 135, 140, 141, 143, 145),
    ),
    "the choice among several correct answers": (23, 136, 137, 138, 142, 144),
}
LENIENT = {
    f"qiskitHumanEval/{task}": f"it does not check {aspect}"
    for aspect, tasks in _NOT_LOOKED_AT.items()
    for task in tasks
}
"""The aspect of an answer that the test does not check. A reference solution still passes the test if only the
unchecked aspect is changed. Trivial baselines fail the test (`benchmarks/border.py`)."""

TRIVIAL: dict[str, tuple[str, ...]] = {
    "qiskitHumanEval/0": ("hadamards", "measured"),
    "qiskitHumanEval/23": ("empty",),
    "qiskitHumanEval/136": ("empty", "hadamards", "reset"),
    "qiskitHumanEval/142": ("empty", "hadamards", "reset"),
    "qiskitHumanEval/143": ("empty", "hadamards", "reset"),
    "qiskitHumanEval/144": ("empty", "hadamards", "reset"),
}
"""The trivial baselines that are correct answers although they differ from the published solution."""

NO_ORACLE: dict[str, str] = {}
