"""Qiskit QuantumKatas' error types and their groups (arXiv 2605.27210, section 5.4, Table 7).

There a failure is named by the class of the exception that the code or its test raised, and the classes are put into
five groups. Here a wrong answer of a check that needs no unit test is what an AssertionError is there.

Departures: the table names eleven classes of exceptions and MissingEntryPoint, and puts all others (1.9% of its
failures) under runtime/other. Here a kind of a named class goes with it (UnboundLocalError is a NameError,
IndentationError and TabError are SyntaxErrors), every exception that a framework defines is an API error, so that the
group has a meaning in PennyLane too, and a program that was stopped, for time or for memory, is in a class of its own.
"""

from __future__ import annotations

from repair_bench.analysis.taxonomy.coarse import LIMIT
from repair_bench.analysis.taxonomy.rules import ErrorRule, Taxonomy

LOGIC = "logic errors"
STRUCTURE = "code structure"
GENERATION = "generation failures"
API = "API errors"
RUNTIME = "runtime/other"

PUBLISHED = (LOGIC, STRUCTURE, GENERATION, API, RUNTIME)
"""The paper's groups, in the order of its Table 7; it calls the fourth "Qiskit API errors"."""

_STRUCTURE = ("AttributeError", "ImportError", "ModuleNotFoundError", "NameError", "UnboundLocalError")
_SYNTAX = ("SyntaxError", "IndentationError", "TabError")
_PACKAGES = ("qiskit.", "qiskit_aer.", "qiskit_ibm_runtime.", "pennylane.", "cirq.")

QUANTUM_KATAS = Taxonomy(
    "quantum-katas",
    (*PUBLISHED, LIMIT),
    (
        ErrorRule(LIMIT, ("limit", "context"), "our own class: the paper counts its 7 timeouts under runtime/other"),
        ErrorRule(GENERATION, ("no_code",), "no function of the name that was asked for: MissingEntryPoint"),
        ErrorRule(
            LOGIC, ("wrong_answer", "exception"), "an assertion failed, the program's own too", ("AssertionError",)
        ),
        ErrorRule(LOGIC, ("wrong_answer",), "it ran, and its result is wrong", ("",)),
        ErrorRule(STRUCTURE, ("wrong_answer", "exception"), "a name or module that does not exist", _STRUCTURE),
        ErrorRule(STRUCTURE, ("wrong_answer", "exception"), "not Python", _SYNTAX),
        ErrorRule(API, ("wrong_answer", "exception"), "a framework's own exception", _PACKAGES),
        ErrorRule(API, ("wrong_answer", "exception"), "the same, bare", ("CircuitError", "QiskitError", "AerError")),
        ErrorRule(RUNTIME, ("wrong_answer", "exception"), "every other class"),
    ),
    note=(
        "QuantumKatas' groups of exception classes. Its Table 7 has every class that it does not name (1.9%) under "
        "runtime/other. Here UnboundLocalError, IndentationError and TabError are code structure, all exceptions of a "
        "framework are API errors, and what was stopped for time or memory is 'limit'. Cirq and PennyLane raise "
        "Python's ValueError for much that is a CircuitError in Qiskit, so shares of API errors do not compare between "
        "frameworks."
    ),
)
