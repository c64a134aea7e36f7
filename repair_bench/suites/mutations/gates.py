"""Mutations of gates, angles and qubits.

A mutation operator changes the syntax tree of a program. For each change, it yields a description and the changed node.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations, pairwise

from repair_bench.frameworks.gates import GATES
from repair_bench.frameworks.parsed_program import Application, ParsedProgram
from repair_bench.frameworks.tree import Slot, slots
from repair_bench.suites.mutations.edits import backwards, holding, same, short, spliced, without
from repair_bench.syntax_tree import parsed_expression

Edits = Iterator[tuple[str, ast.AST]]


def gate_dropped(program: ParsedProgram) -> Edits:
    """Remove a gate: the whole statement, an item of a list, or one of the qubits to which the gate applies."""
    for items, index in program.places():
        node = items[index]
        with without(items, index):
            yield f"{short(node)} dropped", node
    broadcasts = [items for application in program.applications() for items in program.broadcasts(application)]
    for items in (items for items in broadcasts if len(items) > 1):
        for index in range(len(items)):
            node = items[index]
            with without(items, index):
                yield f"no gate on {short(node)}", node


def gate_doubled(program: ParsedProgram) -> Edits:
    for items, index in program.places():
        node = items[index]
        with spliced(items, index, index + 1, [node, node]):
            yield f"{short(node)} doubled", node


def gates_exchanged(program: ParsedProgram) -> Edits:
    """Exchange two neighbouring gates, unless they share no qubit and therefore commute."""
    places = program.places()
    touched: dict[ast.AST, set[str]] = {
        application.call: _qubits(application) for application in program.applications()
    }
    for (items, index), (others, following) in pairwise(places):
        if items is not others or following != index + 1:
            continue
        first, second = items[index], items[following]
        on_first, on_second = touched.get(_call(first)), touched.get(_call(second))
        if same(first, second) or (on_first and on_second and not on_first & on_second):
            continue
        with spliced(items, index, index + 2, [second, first]):
            yield f"{short(first)} after {short(second)}", first


def gate_replaced(program: ParsedProgram) -> Edits:
    for application in program.applications():
        gate, node = application.gate, application.named
        if gate is None or node is None:
            continue
        before, call = node.attr, short(application.call)
        for other in (GATES[name] for name in gate.instead):
            name = program.framework.usual_name(other.name)
            if name is not None and other.angles == gate.angles:
                with holding((Slot(node, "attr"), name)):
                    yield f"{name} instead of {before} in {call}", application.call


def angle_negated(program: ParsedProgram) -> Edits:
    for slot in _angles(program):
        node = slot.node
        positive = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else None
        with holding((slot, positive or ast.UnaryOp(ast.USub(), node))):
            yield f"angle {short(node)} negated", node


def angle_halved(program: ParsedProgram) -> Edits:
    for slot in _angles(program):
        node = slot.node
        with holding((slot, ast.BinOp(node, ast.Div(), ast.Constant(2)))):
            yield f"angle {short(node)} halved", node


def inverse_forgotten(program: ParsedProgram) -> Edits:
    for slot in slots(program.tree):
        node = slot.node
        if not isinstance(node, ast.Call):
            continue
        inverted = node.args[0] if program.member(node.func) in {"adjoint", "inverse"} and node.args else None
        if isinstance(node.func, ast.Attribute) and node.func.attr == "inverse" and not node.args:
            inverted = node.func.value
        if inverted is not None:
            with holding((slot, inverted)):
                yield f"{short(inverted)} is not inverted", node


def control_target_swapped(program: ParsedProgram) -> Edits:
    for application in program.applications():
        if 0 < application.controls < len(application.qubits):
            yield from _exchanged(application, application.controls - 1, application.controls)


def qubits_permuted(program: ParsedProgram) -> Edits:
    """Apply a gate to different qubits.

    Exchange two qubits, replace a qubit with the next qubit, or reverse a group of qubits.
    """
    for application in program.applications():
        for first, second in combinations(range(len(application.qubits)), 2):
            if not _symmetric(application, first, second) and (first, second) != (
                application.controls - 1,
                application.controls,
            ):
                yield from _exchanged(application, first, second)
    yield from _next_qubit_used(program)
    for application in program.applications():
        for slot in application.groups if application.gate is None else ():
            with holding((slot, backwards(slot.node))):
                yield f"qubits {short(slot.node)}", application.call
    for node in ast.walk(program.tree):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call) or not program.makes_qubits:
            continue
        if ast.unparse(node.value.func).endswith(program.makes_qubits):
            with holding((Slot(node, "value"), backwards(node.value))):
                yield f"{short(node.targets[0])} in the reverse order", node


def _angles(program: ParsedProgram) -> list[Slot]:
    angles = [slot for application in program.applications() for slot in application.angles] + program.exponents()
    return [slot for slot in angles if not (isinstance(slot.node, ast.Constant) and slot.node.value == 0)]


def _call(node: ast.AST) -> ast.AST:
    return node.value if isinstance(node, ast.Expr) else node


def _qubits(application: Application) -> set[str]:
    """Return the qubits of a gate; none if several qubits are passed as one object."""
    groups = [slot for slot in application.groups if not isinstance(slot.node, ast.List | ast.Tuple)]
    return set() if groups else {ast.unparse(slot.node) for slot in application.qubits}


def _symmetric(application: Application, first: int, second: int) -> bool:
    """Whether exchanging two qubits of a known gate has no effect: both qubits are controls, or neither is one."""
    if application.gate is None:
        return False
    return second < application.controls or first >= application.controls


def _exchanged(application: Application, slot: int, other: int) -> Edits:
    first, second = application.qubits[slot], application.qubits[other]
    if not same(first.node, second.node):
        before = short(application.call)
        with holding((first, second.node), (second, first.node)):
            yield f"{short(second.node)} and {short(first.node)} exchanged in {before}", application.call


def _next_qubit_used(program: ParsedProgram) -> Edits:
    """Replace a qubit of a gate with another qubit of the same kind (see `_kind`) from any gate in the same function.

    If several qubits qualify, choose the next one in sorted order.
    """
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
    """Return the kind of a qubit: number, name, or item of a register. Qubits of the same kind are interchangeable."""
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
