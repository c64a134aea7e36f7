"""Mutations of the qubits that gates are applied to."""

from __future__ import annotations

import ast
from itertools import combinations

from repair_bench.frameworks.parsed_program import Application, ParsedProgram
from repair_bench.frameworks.tree import Slot
from repair_bench.suites.mutations.edits import backwards, holding, same, short
from repair_bench.suites.mutations.gates import Edits
from repair_bench.syntax_tree import parsed_expression


def control_target_swapped(program: ParsedProgram) -> Edits:
    """A controlled gate with a control and its target exchanged."""
    for application in program.applications():
        if 0 < application.controls < len(application.qubits):
            yield from _exchanged(application, application.controls - 1, application.controls)


def qubits_permuted(program: ParsedProgram) -> Edits:
    """The right gate on the wrong qubits: two exchanged, one taken for the next, or a group in the reverse order."""
    for application in program.applications():
        for first, second in combinations(range(len(application.qubits)), 2):
            if not _alike(application, first, second) and (first, second) != (
                application.controls - 1,
                application.controls,
            ):
                yield from _exchanged(application, first, second)
    yield from _taken_for_the_next(program)
    for application in program.applications():
        for slot in application.groups if application.gate is None else ():
            with holding((slot, backwards(slot.node))):
                yield f"qubits {short(slot.node)}", application.call
    for node in ast.walk(program.tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and _makes_qubits(program, node.value):
            with holding((Slot(node, "value"), backwards(node.value))):
                yield f"{short(node.targets[0])} in the reverse order", node


def _alike(application: Application, first: int, second: int) -> bool:
    """Two controls of a gate of the table, or two qubits that it treats alike."""
    if application.gate is None:
        return False
    return second < application.controls or first >= application.controls


def _exchanged(application: Application, slot: int, other: int) -> Edits:
    first, second = application.qubits[slot], application.qubits[other]
    if not same(first.node, second.node):
        before = short(application.call)
        with holding((first, second.node), (second, first.node)):
            yield f"{short(second.node)} and {short(first.node)} exchanged in {before}", application.call


def _taken_for_the_next(program: ParsedProgram) -> Edits:
    """A qubit replaced by the next of its kind among those that gates in the same function are applied to."""
    around = _innermost_functions(program.tree)
    qubits = [
        (application, slot, (around[application.call], _kind(slot.node)))
        for application in program.applications()
        for slot in application.qubits
        if _kind(slot.node)
    ]
    for application, slot, kind in qubits:
        node = slot.node
        pool = sorted({ast.unparse(other.node) for _, other, known in qubits if known == kind})
        taken = {ast.unparse(other.node) for other in application.qubits}
        start = pool.index(ast.unparse(node)) + 1
        free = [text for text in pool[start:] + pool[:start] if text not in taken]
        if free:
            before = short(application.call)
            with holding((slot, parsed_expression(free[0]))):
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


def _makes_qubits(program: ParsedProgram, call: ast.Call) -> bool:
    return program.makes_qubits is not None and ast.unparse(call.func).endswith(program.makes_qubits)
