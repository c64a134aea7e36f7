"""QuanBench+'s error classes (Slim et al., 2026, appendices J and K).

The paper names six classes and gives no rules for them; neither does its code. The rules here are our own.
"""

from __future__ import annotations

from repair_bench.analysis.taxonomy.coarse import LIMIT, NO_CODE, WRONG_ANSWER
from repair_bench.analysis.taxonomy.rules import ErrorRule, Taxonomy

LOGIC = "logic error"
MISSING = "missing method or gate"
SHAPE = "shape mismatch"
SYNTAX = "syntax error"
QUBITS = "qubit specification error"

PUBLISHED = (WRONG_ANSWER, LOGIC, MISSING, SHAPE, SYNTAX, QUBITS)
"""The paper's classes, most frequent first, as its appendix J lists them."""

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
            LIMIT, ("limit", "context"), "our own class: the program was stopped, or the conversation was too long"
        ),
        ErrorRule(NO_CODE, ("no_code",), "our own class: there was nothing to run"),
        ErrorRule(SHAPE, ("wrong_answer",), "a result with another number of bits or qubits", mismatch="shape"),
        ErrorRule(LOGIC, ("wrong_answer",), "a result of another kind, such as None", mismatch="type"),
        ErrorRule(
            WRONG_ANSWER, ("wrong_answer",), "a result of the right form, but wrong", raised=("", "AssertionError")
        ),
        ErrorRule(LOGIC, ("wrong_answer",), "a result that the unit test could not work with"),
        ErrorRule(SYNTAX, ("exception",), "not Python", raised=("SyntaxError", "IndentationError", "TabError")),
        ErrorRule(QUBITS, ("exception",), "a wire that a device or circuit does not have", raised=("WireError",)),
        ErrorRule(QUBITS, ("exception",), "too many, too few, the same or no qubits given to a gate", says=_QUBITS),
        ErrorRule(SHAPE, ("exception",), "arrays, states or matrices whose sizes do not fit", says=_SHAPE),
        ErrorRule(LOGIC, ("exception",), "a method of None", raised=("AttributeError",), says=("'NoneType' object",)),
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
            MISSING, ("exception",), "a device that is not there", ("DeviceError",), ("not exist", "not supported")
        ),
        ErrorRule(LOGIC, ("exception",), "anything else that was raised"),
    ),
    note=(
        "QuanBench+ names its error classes and gives no rules for them: these rules are our own, and its shares are "
        f"not comparable with ours. {NO_CODE!r} and {LIMIT!r} are classes of ours, which the paper does not have."
    ),
)
