"""QuanBench+'s error classes, for which the paper (Slim et al., 2026, appendices J and K) states no rules."""

from __future__ import annotations

from repair_bench.analysis.taxonomy.coarse import LIMIT, NO_CODE, WRONG_ANSWER
from repair_bench.analysis.taxonomy.rules import ErrorRule, Taxonomy

LOGIC = "logic error"
MISSING = "missing method or gate"
SHAPE = "shape mismatch"
SYNTAX = "syntax error"
QUBITS = "qubit specification error"

PUBLISHED = (WRONG_ANSWER, LOGIC, MISSING, SHAPE, SYNTAX, QUBITS)
"""The paper's classes, in the order of its appendix J."""

_QUBITS = (
    # Qiskit
    r"duplicate (qu)?bit arguments",
    r"Index -?\d+ out of range for size",
    r"amount of qubit\(",
    r"[Qq]ubit.* not (found )?in",
    # PennyLane
    r"wrong number of wires",
    r"wires? .*(not found|must be (unique|different))",
    # Cirq
    r"Duplicate qids",
    r"Wrong number of qubits",
    r"Overlapping operations",
    r"'(int|str)' object has no attribute 'dimension'",
)
_SHAPE = (
    r"\b[Ss]hapes?\b",
    r"mismatch in its core dimension",
    r"dimensions? (do(es)? not|mismatch|must)",
    r"could not be broadcast",
    r"cannot reshape",
    r"must be of length",
    r"length not a",
    r"must be a square",
    r"inhomogeneous",
)

QUANBENCH_PLUS = Taxonomy(
    "quanbench-plus",
    (*PUBLISHED, NO_CODE, LIMIT),
    (
        ErrorRule(
            LIMIT,
            ("limit", "context"),
            "not a class of QuanBench+: the program was terminated, or the context window is full",
        ),
        ErrorRule(NO_CODE, ("no_code",), "not a class of QuanBench+: the answer contains no program"),
        ErrorRule(SHAPE, ("wrong_answer",), "a result with an incorrect number of bits or qubits", mismatch="shape"),
        ErrorRule(LOGIC, ("wrong_answer",), "a result of an incorrect type, such as None", mismatch="type"),
        ErrorRule(
            WRONG_ANSWER, ("wrong_answer",), "an incorrect result of the correct form", raised=("", "AssertionError")
        ),
        ErrorRule(LOGIC, ("wrong_answer",), "a result for which the unit test raised an exception"),
        ErrorRule(SYNTAX, ("exception",), "not Python", raised=("SyntaxError", "IndentationError", "TabError")),
        ErrorRule(QUBITS, ("exception",), "a wire that does not exist in a device or circuit", raised=("WireError",)),
        ErrorRule(QUBITS, ("exception",), "a gate applied to too many, too few or duplicate qubits", patterns=_QUBITS),
        ErrorRule(SHAPE, ("exception",), "arrays, states or matrices of incompatible sizes", patterns=_SHAPE),
        ErrorRule(LOGIC, ("exception",), "a method of None", ("AttributeError",), ("'NoneType' object",)),
        ErrorRule(
            MISSING,
            ("exception",),
            "a module, class, gate, method or name that does not exist",
            raised=("ImportError", "ModuleNotFoundError", "AttributeError", "NameError", "NotImplementedError"),
        ),
        ErrorRule(
            MISSING, ("exception",), "a parameter that does not exist", ("TypeError",), ("unexpected keyword argument",)
        ),
        ErrorRule(
            MISSING, ("exception",), "a device that does not exist", ("DeviceError",), ("not exist", "not supported")
        ),
        ErrorRule(LOGIC, ("exception",), "any other exception"),
    ),
    note=(
        "QuanBench+ does not define rules for its error classes, so repair-bench uses its own rules. The shares of the "
        "classes are therefore not comparable with the shares in the QuanBench+ paper. The paper does not contain the "
        f"classes {NO_CODE!r} and {LIMIT!r}."
    ),
)
