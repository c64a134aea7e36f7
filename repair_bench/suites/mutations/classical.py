"""Mutations of the classical parts of Python programs, for example a changed constant, comparison or operator."""

from __future__ import annotations

import ast
import re
from itertools import permutations
from typing import Any

from repair_bench.frameworks.parsed_program import ParsedProgram
from repair_bench.frameworks.tree import Slot, bodies, is_range, slots
from repair_bench.suites.mutations.edits import backwards, both_ways, holding, short, without
from repair_bench.suites.mutations.gates import Edits

_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = both_ways(
    (ast.Eq, ast.NotEq), (ast.Lt, ast.GtE), (ast.Gt, ast.LtE), (ast.In, ast.NotIn), (ast.Is, ast.IsNot)
)
_OTHER_OPERATOR: dict[type[ast.operator], type[ast.operator]] = both_ways(
    (ast.Add, ast.Sub), (ast.Mult, ast.Div), (ast.LShift, ast.RShift), (ast.BitAnd, ast.BitOr)
) | {ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.BitXor: ast.BitAnd}
_OPTIONS = {"ctrl_state", "control_values", "inverse", "do_swaps", "key", "exponent", "front", "reverse"}
"""Optional keyword arguments whose removal changes the meaning of a call."""


def wrong_input_used(program: ParsedProgram) -> Edits:
    """Replace one occurrence of a parameter with another parameter, the reversed parameter, or a constant."""
    for function in (node for node in ast.walk(program.tree) if isinstance(node, ast.FunctionDef)):
        names = [arg.arg for arg in function.args.args]
        uses = {name: _uses(function, name) for name in names}
        used = [name for name in names if uses[name] and not _has_members(function, name)]
        for name, other in permutations(used, 2):
            if _is_indexed(function, name) != _is_indexed(function, other):
                continue
            if used.index(name) < used.index(other):
                here = [(slot, ast.Name(other, ast.Load())) for slot in uses[name]]
                there = [(slot, ast.Name(name, ast.Load())) for slot in uses[other]]
                with holding(*here, *there):
                    yield f"{name} and {other} exchanged", function
            with holding(*[(slot, ast.Name(other, ast.Load())) for slot in uses[name]]):
                yield f"{other} used for {name}", function
        for name in used:
            for slot in uses[name]:
                wrong = backwards(slot.node) if _is_indexed(function, name) else ast.Constant(0)
                with holding((slot, wrong)):
                    yield f"{short(slot.node)} used for {name}", function


def loop_bound_off(program: ParsedProgram) -> Edits:
    """End a range one step too early, or start a range one step too late."""
    for slot in slots(program.tree):
        if not is_range(slot.node) or not slot.node.args or isinstance(slot.node.args[0], ast.Starred):
            continue
        args = slot.node.args
        backward = len(args) == 3 and ast.unparse(args[2]).startswith("-")
        ends = [(1, 1 if backward else -1), (0, -1 if backward else 1)] if len(args) > 1 else [(0, -1)]
        for index, step in ends:
            bound = Slot(args, index)
            before = short(slot.node)
            with holding((bound, _plus(bound.node, step))):
                yield f"{short(slot.node)} instead of {before}", slot.node


def constant_changed(program: ParsedProgram) -> Edits:
    """Change a number, negate a Boolean, flip a bit of a bit string, or reverse a bit string."""
    skipped = _constants_elsewhere(program)
    for slot in slots(program.tree):
        node = slot.node
        if not isinstance(node, ast.Constant) or node in skipped:
            continue
        for new in _other_values(node.value):
            with holding((slot, ast.Constant(new))):
                yield f"{new!r} instead of {node.value!r}", node


def comparison_flipped(program: ParsedProgram) -> Edits:
    for slot in slots(program.tree):
        node = slot.node
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and "__name__" not in ast.unparse(node):
            opposite = ast.Compare(node.left, [_OPPOSITE[type(node.ops[0])]()], node.comparators)
            with holding((slot, opposite)):
                yield f"{short(opposite)} instead of {short(node)}", node
        elif slot.key == "test" and not isinstance(node, ast.Compare):
            negated = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) else None
            with holding((slot, negated or ast.UnaryOp(ast.Not(), node))):
                yield f"{short(node)} negated", node


def operator_changed(program: ParsedProgram) -> Edits:
    for slot in slots(program.tree):
        node = slot.node
        left = node.left if isinstance(node, ast.BinOp) else None
        is_text = isinstance(left, ast.JoinedStr) or (isinstance(left, ast.Constant) and isinstance(left.value, str))
        if isinstance(node, ast.BinOp) and type(node.op) in _OTHER_OPERATOR and not is_text:
            other = ast.BinOp(node.left, _OTHER_OPERATOR[type(node.op)](), node.right)
            with holding((slot, other)):
                yield f"{short(other)} instead of {short(node)}", node


def option_forgotten(program: ParsedProgram) -> Edits:
    """Remove a keyword argument that changes the meaning of a call."""
    for slot in slots(program.tree):
        keywords = slot.node.keywords if isinstance(slot.node, ast.Call) else []
        for index, word in enumerate(keywords):
            if word.arg in _OPTIONS:
                with without(keywords, index):
                    yield f"no {word.arg} in {short(slot.node)}", slot.node


def return_forgotten(program: ParsedProgram) -> Edits:
    for body in bodies(program.tree):
        for index, statement in enumerate(body):
            if isinstance(statement, ast.Return) and statement.value is not None:
                with holding((Slot(body, index), ast.Expr(statement.value))):
                    yield f"{short(statement.value)} is not returned", statement


def _uses(function: ast.FunctionDef, name: str) -> list[Slot]:
    inside = ast.Module(function.body, [])
    names = (slot for slot in slots(inside) if isinstance(slot.node, ast.Name) and slot.node.id == name)
    return [slot for slot in names if isinstance(slot.node.ctx, ast.Load)]


def _has_members(function: ast.FunctionDef, name: str) -> bool:
    """Whether the function calls the parameter or accesses its attributes, so no constant can replace the parameter."""
    for node in ast.walk(function):
        owner = node.value if isinstance(node, ast.Attribute) else node.func if isinstance(node, ast.Call) else None
        if isinstance(owner, ast.Name) and owner.id == name:
            return True
    return False


def _is_indexed(function: ast.FunctionDef, name: str) -> bool:
    """Whether the parameter is used as a sequence: indexed, iterated, or passed to `len`."""
    iterating = {"len", "enumerate", "zip", "reversed", "sum", "list"}
    for node in ast.walk(function):
        if isinstance(node, ast.Subscript):
            used: list[ast.expr] = [node.value]
        elif isinstance(node, ast.For | ast.comprehension):
            used = [node.iter]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in iterating:
            used = node.args
        else:
            continue
        if any(isinstance(node, ast.Name) and node.id == name for node in used):
            return True
    return False


def _plus(node: ast.expr, step: int) -> ast.expr:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return ast.Constant(node.value + step)
    return ast.BinOp(node, ast.Add() if step > 0 else ast.Sub(), ast.Constant(1))


def _constants_elsewhere(program: ParsedProgram) -> set[ast.AST]:
    """Return the constants that `constant_changed` must not change.

    These constants specify qubits, circuit sizes, ranges or measurements, or occur in annotations, docstrings or
    f-strings.
    """
    skipped: set[ast.AST] = set()
    for application in program.applications():
        for slot in [*application.qubits, *application.groups]:
            skipped |= set(ast.walk(slot.node))
    for node in ast.walk(program.tree):
        if isinstance(node, ast.Expr | ast.JoinedStr) and not isinstance(getattr(node, "value", None), ast.Call):
            skipped |= set(ast.walk(node))
        elif isinstance(node, ast.arg | ast.FunctionDef):
            annotation = node.annotation if isinstance(node, ast.arg) else node.returns
            skipped |= set(ast.walk(annotation)) if annotation else set()
        elif isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if is_range(node) or program.is_measure(node) or name.split(".")[-1] in program.sized or "Qubit" in name:
                skipped |= set(ast.walk(node))
    return skipped


def _other_values(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1]
    if isinstance(value, float):
        return [value * 2 if value else 1.0]
    if isinstance(value, complex):
        return [-value]
    if isinstance(value, str) and re.fullmatch("[01]+", value):
        flipped = value[:-1] + "10"[int(value[-1])]
        return [flipped, value[::-1]] if value[::-1] not in {value, flipped} else [flipped]
    return []
