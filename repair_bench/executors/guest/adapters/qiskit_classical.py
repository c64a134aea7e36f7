"""Qiskit's conditions and classical expressions, evaluated on the memory of one branch."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping

from qiskit.circuit import Clbit

from .exact import Branch
from .forms import Unreadable

try:
    from qiskit.circuit.classical import expr, types
except ImportError:  # before Qiskit 0.45
    expr = types = None

Slots = Mapping[Any, int]
"""The memory slot of each classical bit and each variable in scope."""


def sources(condition: Any, slots: Slots) -> List[int]:
    """Return the memory slots that a condition reads. The caller must pass the returned slots to `exact.settle` before
    evaluating the condition.
    """
    if isinstance(condition, tuple):
        condition = condition[0]
    if isinstance(condition, Clbit):
        return [slots[condition]]
    if expr is not None and isinstance(condition, expr.Expr):
        found: List[int] = []
        for var in expr.iter_vars(condition):
            found += [slots[var]] if is_variable(var) else sources(var.var, slots)
        return found
    return [slots[bit] for bit in condition]


def evaluate(condition: Any, branch: Branch, slots: Slots) -> int:
    """Return the value of a bit, register or expression.

    For a pair (operand, value), return whether the two are equal.
    """
    if isinstance(condition, tuple):
        operand, value = condition
        return int(evaluate(operand, branch, slots) == int(value))
    if isinstance(condition, Clbit):
        return branch.value(slots[condition]) or 0
    if expr is not None and isinstance(condition, expr.Expr):
        return _expression(condition, branch, slots)
    return sum((branch.value(slots[bit]) or 0) << i for i, bit in enumerate(condition))


def _expression(node: Any, branch: Branch, slots: Slots) -> int:
    kind = type(node).__name__
    if kind == "Var":
        if is_variable(node):
            return branch.value(slots[node]) or 0
        return evaluate(node.var, branch, slots)
    if kind == "Value":
        return _integer(node.value)
    if kind == "Cast":
        value = _expression(node.operand, branch, slots)
        return _fit(int(bool(value)) if _is_bool(node.type) else value, node.type)
    if kind == "Unary" and node.op.name in ("BIT_NOT", "LOGIC_NOT"):
        value = _expression(node.operand, branch, slots)
        return int(not value) if node.op.name == "LOGIC_NOT" or _is_bool(node.type) else _fit(~value, node.type)
    if kind == "Binary" and node.op.name in _BINARY:
        left, right = (_expression(side, branch, slots) for side in (node.left, node.right))
        return _fit(int(_BINARY[node.op.name](left, right)), node.type)
    if kind == "Index":
        target, index = (_expression(side, branch, slots) for side in (node.target, node.index))
        return (target >> index) & 1
    raise Unreadable("the circuit uses an unsupported classical expression: {}".format(node))


def is_variable(node: Any) -> bool:
    """Whether an expression is a standalone variable (new in Qiskit 1.1) rather than a bit or a register."""
    return bool(getattr(node, "standalone", False))


def _fit(value: int, kind: Any) -> int:
    """Wrap an unsigned integer to the width of its type; a Bool becomes 0 or 1."""
    return value & 1 if _is_bool(kind) else value & ((1 << kind.width) - 1)


def _is_bool(kind: Any) -> bool:
    return isinstance(kind, types.Bool)


def _integer(value: Any) -> int:
    if isinstance(value, (bool, int)):
        return int(value)
    raise Unreadable("the circuit uses a classical value that is not an integer: {!r}".format(value))


_BINARY: Dict[str, Callable[[int, int], Any]] = {
    "BIT_AND": lambda a, b: a & b,
    "BIT_OR": lambda a, b: a | b,
    "BIT_XOR": lambda a, b: a ^ b,
    "LOGIC_AND": lambda a, b: bool(a) and bool(b),
    "LOGIC_OR": lambda a, b: bool(a) or bool(b),
    "EQUAL": lambda a, b: a == b,
    "NOT_EQUAL": lambda a, b: a != b,
    "LESS": lambda a, b: a < b,
    "LESS_EQUAL": lambda a, b: a <= b,
    "GREATER": lambda a, b: a > b,
    "GREATER_EQUAL": lambda a, b: a >= b,
    "SHIFT_LEFT": lambda a, b: a << b,
    "SHIFT_RIGHT": lambda a, b: a >> b,
    "ADD": lambda a, b: a + b,
    "SUB": lambda a, b: a - b,
    "MUL": lambda a, b: a * b,
    "DIV": lambda a, b: a // b if b else 0,
}
