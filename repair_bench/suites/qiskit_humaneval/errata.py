"""Errata of Qiskit HumanEval, found with Qiskit 2.6 and qiskit-ibm-runtime 0.51; the tables are by task id."""

ERRATA = {
    "qiskitHumanEval/46": "Prompt and test import from qiskit.synthesis.linear.linear_matrix_utils, which Qiskit no "
    "longer has. Where it is missing they are changed to import from qiskit.synthesis.linear.",
    "qiskitHumanEval/103": "The test lists the fake backends with ecr gates of an older qiskit-ibm-runtime; later "
    "releases have FakeBrussels and FakeStrasbourg besides: AssertionError for every right answer.",
    "qiskitHumanEval/104": "The test expects 197, the cost of a circuit as an older Qiskit transpiled it; the "
    "published solution gets 273 with Qiskit 2.6: AssertionError for every right answer.",
    "qiskitHumanEval/110": "The published solution draws Clifford circuits until ten are close to the given one: that "
    "it ends in time is luck, which the seed fixes.",
    "qiskitHumanEval/144": "The test wants a computed concurrence to be exactly 0. For random pure product states, for "
    "which it is 0, Qiskit gives exactly 0 in 7 of 50, and else what rounding leaves: AssertionError.",
}

WRONG = frozenset({"qiskitHumanEval/103", "qiskitHumanEval/104", "qiskitHumanEval/144"})
"""Tasks whose test rejects a right answer; see `ERRATA`."""

MOVED = {
    "qiskitHumanEval/46": {
        "qiskit.synthesis.linear.linear_matrix_utils": "qiskit.synthesis.linear",
    },
}
"""Modules that Qiskit no longer has, and their replacements. A replacement is used in prompt, solution and test if the
old module is not installed."""

UNDERSPECIFIED: dict[str, str] = {
    "qiskitHumanEval/15": "that the simulation has noise, and whose; the test wants noisy counts",
    "qiskitHumanEval/26": "that the circuit is measured; the test wants one measurement and a depth of 3",
    "qiskitHumanEval/32": "the signs of the terms, and whether their values are added; the test wants 4.0",
    "qiskitHumanEval/34": "what the values of the dictionary are; the test wants four jobs by their bare keys",
    "qiskitHumanEval/35": "the values of the circuit's parameters; the test takes those of a seed",
    "qiskitHumanEval/40": "how the state is prepared and how many shots are taken; the test wants the counts "
    "of a seed exactly",
    "qiskitHumanEval/41": "on which qubits and on which side the operators are composed; the test takes "
    "qargs [0, 2] and front=True",
    "qiskitHumanEval/44": "the order of the tensor product; the test takes the second circuit on qubit 0",
    "qiskitHumanEval/45": "whether a circuit or a Clifford object is returned; the test wants the object",
    "qiskitHumanEval/46": "whether a circuit or a LinearFunction object is returned; the test wants the object",
    "qiskitHumanEval/49": "which qubits the gates act on and whether to measure; the test takes one unmeasured circuit",
    "qiskitHumanEval/51": "the names of the registers and the number of gates; the test reads c_receiver",
    "qiskitHumanEval/52": "the name of a register and the depth; the test reads measure and wants a depth of 6",
    "qiskitHumanEval/63": "how the receiver's bases are drawn; the test wants one call of "
    "numpy.random.randint after its seed",
    "qiskitHumanEval/66": "the number of qubits and the name of the register; the test reads meas, of 3 qubits",
    "qiskitHumanEval/67": "the gates that turn the bases; the test wants two ry and a depth of 4",
    "qiskitHumanEval/68": "whether a percentage is a number up to 1 or up to 100; the test takes 1",
    "qiskitHumanEval/79": "whether barriers are instructions; the test counts them",
    "qiskitHumanEval/84": "which gate the custom one is; the test looks for u3 in its name",
    "qiskitHumanEval/88": "which classical bit takes the last measurement; the test reads one bit, c",
    "qiskitHumanEval/91": "that the circuit is measured; the test wants both qubits measured",
    "qiskitHumanEval/97": "whether edges or a CouplingMap are returned; the test wants what each kind of backend gives",
    "qiskitHumanEval/103": "whether classes or backends are named; the test takes the names of the classes",
    "qiskitHumanEval/128": "how many classical registers there are; the test reads one, c, of 4 bits",
    "qiskitHumanEval/131": "whether the backend or its configuration is asked; the test takes the lists of "
    "the configuration",
    "qiskitHumanEval/132": "what is returned of a batch; the test takes the counts of its first circuit",
    "qiskitHumanEval/134": "the keys of the dictionary that is returned",
    "qiskitHumanEval/137": "how many matrices are returned; the test wants 10",
    "qiskitHumanEval/138": "how many matrices are returned; the test wants 10",
    "qiskitHumanEval/141": "whether the items are Pauli or SparsePauliOp; the test needs the second",
}
"""The convention that the prompt leaves open and the test decides. Two independent readers named these; a few were
added because a model's answer failed that was right under another reading."""

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
"""The trivial baselines (`grading.audit`) that the test passes although their result is wrong."""

_NOT_LOOKED_AT: dict[str, tuple[int, ...]] = {
    "every gate and measurement of a circuit": (
        *(0, 3, 7, 8, 9, 18, 19, 20, 26, 27, 38, 51, 52, 66, 67, 69, 70, 71, 72, 73, 74, 77, 84, 86, 87, 88, 101, 111),
        *(118, 121, 125, 128, 150),
    ),
    "all that is returned, or does only within a tolerance": (
        *(1, 12, 14, 15, 28, 30, 34, 35, 37, 47, 68, 76, 85, 94, 96, 102, 108, 113, 115, 131, 135, 140, 141, 143, 145),
    ),
    "which of several right answers is returned": (23, 136, 137, 138, 142, 144),
}
LENIENT = {
    f"qiskitHumanEval/{task}": f"it does not look at {what}" for what, tasks in _NOT_LOOKED_AT.items() for task in tasks
}
"""The aspect that the test ignores: changed answers of the reference pass (`benchmarks/border.py`), although no trivial
baseline does."""

TRIVIAL: dict[str, tuple[str, ...]] = {
    "qiskitHumanEval/0": ("hadamards", "measured"),
    "qiskitHumanEval/23": ("empty",),
    "qiskitHumanEval/136": ("empty", "hadamards", "reset"),
    "qiskitHumanEval/142": ("empty", "hadamards", "reset"),
    "qiskitHumanEval/143": ("empty", "hadamards", "reset"),
    "qiskitHumanEval/144": ("empty", "hadamards", "reset"),
}
"""The trivial baselines that are right answers, but differ from the published one."""

NO_ORACLE: dict[str, str] = {}
