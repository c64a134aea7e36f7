"""Mutations of gates and their angles.

An operator takes a program and yields, while its tree is changed, what was done and the node it was done to.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from repair_bench.frameworks.gates import GATES
from repair_bench.frameworks.parsed_program import Application, ParsedProgram
from repair_bench.frameworks.tree import Slot, slots
from repair_bench.suites.mutations.edits import holding, same, short, spliced, without

Edits = Iterator[tuple[str, ast.AST]]


def gate_dropped(program: ParsedProgram) -> Edits:
    """A gate is missing: its statement, its item in a list, or one of the qubits it is applied to."""
    for items, index in program.places():
        node = items[index]
        with without(items, index):
            yield f"{short(node)} dropped", node
    for items in _broadcasts(program):
        for index in range(len(items)):
            node = items[index]
            with without(items, index):
                yield f"no gate on {short(node)}", node


def gate_doubled(program: ParsedProgram) -> Edits:
    """A gate is applied twice."""
    for items, index in program.places():
        node = items[index]
        with spliced(items, index, index + 1, [node, node]):
            yield f"{short(node)} doubled", node


def gates_exchanged(program: ParsedProgram) -> Edits:
    """Two neighbouring gates in the wrong order; gates that share no qubit have no order."""
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
    """Another gate of the same signature."""
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
    """An angle of the wrong sign."""
    for slot in _angles(program):
        node = slot.node
        positive = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else None
        with holding((slot, positive or ast.UnaryOp(ast.USub(), node))):
            yield f"angle {short(node)} negated", node


def angle_halved(program: ParsedProgram) -> Edits:
    """Half of an angle, as when a gate is thought to turn by twice its argument."""
    for slot in _angles(program):
        node = slot.node
        with holding((slot, ast.BinOp(node, ast.Div(), ast.Constant(2)))):
            yield f"angle {short(node)} halved", node


def inverse_forgotten(program: ParsedProgram) -> Edits:
    """A gate or a circuit instead of its inverse."""
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


def _angles(program: ParsedProgram) -> list[Slot]:
    angles = [slot for application in program.applications() for slot in application.angles] + program.exponents()
    return [slot for slot in angles if not (isinstance(slot.node, ast.Constant) and slot.node.value == 0)]


def _call(node: ast.AST) -> ast.AST:
    return node.value if isinstance(node, ast.Expr) else node


def _qubits(application: Application) -> set[str]:
    """The single qubits a gate touches, as written; none when some are written as a group."""
    groups = [slot for slot in application.groups if not isinstance(slot.node, ast.List | ast.Tuple)]
    return set() if groups else {ast.unparse(slot.node) for slot in application.qubits}


def _broadcasts(program: ParsedProgram) -> Iterator[list[ast.expr]]:
    """Lists of two qubits or more to which a one-qubit gate is applied."""
    for application in program.applications():
        yield from (items for items in program.broadcasts(application) if len(items) > 1)
