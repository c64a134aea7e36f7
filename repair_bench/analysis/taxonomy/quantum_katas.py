"""Error types of Qiskit QuantumKatas and their groups (arXiv 2605.27210, section 5.4, Table 7).

The paper classifies failures by the class of the exception. A wrong answer in a suite without unit tests counts as an
AssertionError. The `note` of `QUANTUM_KATAS` lists the deviations from Table 7 of the paper.
"""

from __future__ import annotations

from repair_bench.analysis.taxonomy.coarse import LIMIT
from repair_bench.analysis.taxonomy.rules import ErrorRule, Taxonomy
from repair_bench.traces.record.records import VerdictKind

LOGIC = "logic errors"
STRUCTURE = "code structure"
GENERATION = "generation failures"
API = "API errors"
RUNTIME = "runtime/other"

PUBLISHED = (LOGIC, STRUCTURE, GENERATION, API, RUNTIME)
"""The groups of error types in the QuantumKatas paper, in the order of Table 7 of the paper. The paper's name for the
group `API` is "Qiskit API errors"."""

_RAISED: tuple[VerdictKind, ...] = ("wrong_answer", "exception")
"""The kinds of verdicts that contain an exception, raised by the unit test or by the program."""
_STRUCTURE = ("AttributeError", "ImportError", "ModuleNotFoundError", "NameError", "UnboundLocalError")
_SYNTAX = ("SyntaxError", "IndentationError", "TabError")
_PACKAGES = ("qiskit.", "qiskit_aer.", "qiskit_ibm_runtime.", "pennylane.", "cirq.")

QUANTUM_KATAS = Taxonomy(
    "quantum-katas",
    (*PUBLISHED, LIMIT),
    (
        ErrorRule(LIMIT, ("limit", "context"), "the paper has no such class, and counts 7 timeouts as runtime/other"),
        ErrorRule(GENERATION, ("no_code",), "MissingEntryPoint: the answer does not define the requested function"),
        ErrorRule(LOGIC, _RAISED, "a failed assertion, in the unit test or in the program", ("AssertionError",)),
        ErrorRule(LOGIC, ("wrong_answer",), "an incorrect result", ("",)),
        ErrorRule(STRUCTURE, _RAISED, "a name or module that does not exist", _STRUCTURE),
        ErrorRule(STRUCTURE, _RAISED, "not Python", _SYNTAX),
        ErrorRule(API, _RAISED, "an exception raised by a framework", _PACKAGES),
        ErrorRule(
            API, _RAISED, "a Qiskit exception, without the package name", ("CircuitError", "QiskitError", "AerError")
        ),
        ErrorRule(RUNTIME, _RAISED, "every other class"),
    ),
    note=(
        "The groups of exception classes are from Qiskit QuantumKatas, whose Table 7 counts all unnamed classes (1.9%) "
        "as runtime/other. Deviations: UnboundLocalError, IndentationError and TabError count as code structure, all "
        "framework exceptions count as API errors, and exceeding a time or memory limit counts as 'limit'. Cirq and "
        "PennyLane often raise ValueError where Qiskit raises CircuitError, so shares of API errors are not comparable "
        "between frameworks."
    ),
)
