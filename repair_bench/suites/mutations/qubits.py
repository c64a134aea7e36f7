"""Mutations of the qubits that gates are applied to."""

from __future__ import annotations

import ast
from itertools import combinations

from repair_bench.suites.mutations.applications import Application, applications
from repair_bench.suites.mutations.edits import Slot, backwards, holding, same, short
from repair_bench.suites.mutations.gates import Edits
from repair_bench.suites.mutations.idioms import Program


def control_target_swapped(program: Program) -> Edits:
    """A controlled gate with a control and its target exchanged."""
    for application in applications(program):
        if 0 < application.controls < len(application.qubits):
            yield from _exchanged(application, application.controls - 1, application.controls)


def qubits_permuted(program: Program) -> Edits:
    """The right gate on the wrong qubits: two exchanged, one taken for the next, or a group in the reverse order."""
    for application in applications(program):
        for one, other in combinations(range(len(application.qubits)), 2):
            if not _alike(application, one, other) and (one, other) != (application.controls - 1, application.controls):
                yield from _exchanged(application, one, other)
    yield from _taken_for_the_next(program)
    for application in applications(program):
        for slot in application.groups if application.gate is None else ():
            with holding((slot, backwards(slot.node))):
                yield f"qubits {short(slot.node)}", application.call
    for node in ast.walk(program.tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and _makes_qubits(node.value):
            with holding((Slot(node, "value"), backwards(node.value))):
                yield f"{short(node.targets[0])} in the reverse order", node


def _alike(application: Application, one: int, other: int) -> bool:
    """Two controls of a gate of the table, or two qubits that it treats alike."""
    if application.gate is None:
        return False
    return other < application.controls or one >= application.controls


def _exchanged(application: Application, one: int, other: int) -> Edits:
    first, second = application.qubits[one], application.qubits[other]
    if not same(first.node, second.node):
        before = short(application.call)
        with holding((first, second.node), (second, first.node)):
            yield f"{short(second.node)} and {short(first.node)} exchanged in {before}", application.call


def _taken_for_the_next(program: Program) -> Edits:
    """A qubit replaced by the next of its kind among those that gates in the same function are applied to."""
    around = _innermost_functions(program.tree)
    found = [
        (application, slot, (around[application.call], _kind(slot.node)))
        for application in applications(program)
        for slot in application.qubits
        if _kind(slot.node)
    ]
    for application, slot, kind in found:
        node = slot.node
        pool = sorted({ast.unparse(other.node) for _, other, known in found if known == kind})
        taken = {ast.unparse(other.node) for other in application.qubits}
        start = pool.index(ast.unparse(node)) + 1
        free = [text for text in pool[start:] + pool[:start] if text not in taken]
        if free:
            before = short(application.call)
            with holding((slot, ast.parse(free[0], mode="eval").body)):
                yield f"{free[0]} instead of {short(node)} in {before}", application.call


def _kind(node: ast.expr) -> str | None:
    """Qubits of one kind may be taken for each other: numbers, names, or items of one register."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return "number"
    if isinstance(node, ast.Name):
        return "name"
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
        return f"item of {ast.unparse(node.value)}"
    return None


def _innermost_functions(tree: ast.Module) -> dict[ast.AST, ast.AST]:
    around: dict[ast.AST, ast.AST] = {}

    def visit(node: ast.AST, function: ast.AST) -> None:
        around[node] = function
        inside = node if isinstance(node, ast.FunctionDef | ast.Lambda) else function
        for child in ast.iter_child_nodes(node):
            visit(child, inside)

    visit(tree, tree)
    return around


def _makes_qubits(call: ast.Call) -> bool:
    return ast.unparse(call.func).endswith("LineQubit.range")
