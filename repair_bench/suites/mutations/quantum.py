"""Mutations of gates, qubits and measurements.

An operator takes a program and yields, while its tree is changed, what was done and the node it was done to.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from itertools import combinations

from repair_bench.suites.mutations.edits import Slot, bodies, holding, same, slots, spliced, without
from repair_bench.suites.mutations.gate_table import GATES
from repair_bench.suites.mutations.idioms import Application, Program

Edits = Iterator[tuple[str, ast.AST]]


def gate_dropped(program: Program) -> Edits:
    """A gate is missing: its statement, its item in a list, or one of the qubits it is applied to."""
    for items, index in list(program.places()):
        node = items[index]
        with without(items, index):
            yield f"dropped {_short(node)}", node
    for items in _broadcasts(program):
        for index in range(len(items)):
            node = items[index]
            with without(items, index):
                yield f"no gate on {_short(node)}", node


def gate_doubled(program: Program) -> Edits:
    """A gate is applied twice."""
    for items, index in list(program.places()):
        node = items[index]
        with spliced(items, index, index + 1, [node, node]):
            yield f"doubled {_short(node)}", node


def gates_exchanged(program: Program) -> Edits:
    """Two neighbouring gates in the wrong order."""
    places = [(items, index) for items, index in program.places()]
    for (items, index), (others, following) in zip(places, places[1:], strict=False):
        one, other = items[index], others[following]
        if items is others and following == index + 1 and not same(one, other):
            with spliced(items, index, index + 2, [other, one]):
                yield f"{_short(one)} after {_short(other)}", one


def gate_replaced(program: Program) -> Edits:
    """Another gate of the same signature."""
    for application in program.applications():
        gate, node = application.gate, application.named
        if gate is None or node is None:
            continue
        before = node.attr
        for name in gate.instead:
            new = GATES[name].named(program.framework)
            if not new or GATES[name].angles != gate.angles:
                continue
            node.attr = new[0]
            try:
                yield f"{new[0]} instead of {before}", application.call
            finally:
                node.attr = before


def angle_negated(program: Program) -> Edits:
    """An angle of the wrong sign."""
    for slot in _angles(program):
        node = slot.node
        positive = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else None
        with holding((slot, positive or ast.UnaryOp(ast.USub(), node))):
            yield f"angle {_short(node)} negated", node


def angle_halved(program: Program) -> Edits:
    """Half of an angle, as when the gate is thought to turn by twice its argument."""
    for slot in _angles(program):
        node = slot.node
        with holding((slot, ast.BinOp(node, ast.Div(), ast.Constant(2)))):
            yield f"angle {_short(node)} halved", node


def inverse_forgotten(program: Program) -> Edits:
    """A gate or circuit instead of its inverse."""
    for slot in slots(program.tree):
        node = slot.node
        if not isinstance(node, ast.Call):
            continue
        inverted = node.args[0] if program.member(node.func) in {"adjoint", "inverse"} and node.args else None
        if isinstance(node.func, ast.Attribute) and node.func.attr in {"inverse", "dagger"} and not node.args:
            inverted = node.func.value
        if inverted is not None:
            with holding((slot, inverted)):
                yield f"no inverse in {_short(node)}", node


def control_target_swapped(program: Program) -> Edits:
    """A controlled gate with a control and its target exchanged."""
    for application in program.applications():
        qubits, controls = application.qubits, application.controls
        if 0 < controls < len(qubits):
            yield from _exchanged(application, controls - 1, controls)


def qubits_permuted(program: Program) -> Edits:
    """The right gate on the wrong qubits: two exchanged, one replaced by the next, or a group in reverse."""
    for application in program.applications():
        qubits, controls = application.qubits, application.controls
        for one, other in combinations(range(len(qubits)), 2):
            alike = application.gate is not None and (other < controls or (one >= controls and controls != 1))
            if (one, other) != (controls - 1, controls) and not alike:
                yield from _exchanged(application, one, other)
    pools = _pools(program)
    for application in program.applications():
        for slot in application.qubits:
            node = slot.node
            new = _next(node, pools[id(slot.node)], application) if id(slot.node) in pools else None
            if new is not None:
                with holding((slot, new)):
                    yield f"{_short(new)} instead of {_short(node)}", application.call
    for application in program.applications():
        if application.gate is not None:
            continue  # a gate of the table treats a group alike or was exchanged above
        for slot in application.whole:
            with holding((slot, _reversed(slot.node))):
                yield f"{_short(slot.node)} for the qubits of {_short(application.call)}", application.call
    yield from _registers_reversed(program)


def bits_reversed(program: Program) -> Edits:
    """The measured bits in the reverse order."""
    for call in program.measures():
        for slot in _measured(program, call):
            with holding((slot, _reversed(slot.node))):
                yield f"measures {_short(slot.node)}", call
        if program.framework == "cirq" and len(call.args) > 1:
            with spliced(call.args, 0, len(call.args), call.args[::-1]):
                yield "measures in the reverse order", call
    if program.framework == "qiskit":
        yield from _single_measures_reversed(program)
        yield from _circuits_reversed(program)


def measurement_dropped(program: Program) -> Edits:
    """A measurement, or one of the measured qubits, is missing."""
    for items, index in list(program.places(measures=True)):
        node = items[index]
        with without(items, index):
            yield f"dropped {_short(node)}", node
    for call in program.measures():
        shown = [slot for slot in _measured(program, call, both=True) if isinstance(slot.node, ast.List | ast.Tuple)]
        if shown and all(len(slot.node.elts) > 1 for slot in shown):
            fewer = [(slot, _shorter(slot.node)) for slot in shown]
            with holding(*fewer):
                yield f"the last bit is missing in {_short(call)}", call
        if program.framework == "cirq" and len(call.args) > 1:
            with without(call.args, len(call.args) - 1):
                yield "the last qubit is not measured", call


def _short(node: ast.AST) -> str:
    text = ast.unparse(node).split("\n", 1)[0]
    return text if len(text) <= 60 else text[:57] + "..."


def _angles(program: Program) -> list[Slot]:
    found = [slot for application in program.applications() for slot in application.angles] + program.exponents()
    nothing = [slot for slot in found if isinstance(slot.node, ast.Constant) and slot.node.value == 0]
    return [slot for slot in found if slot not in nothing]


def _broadcasts(program: Program) -> Iterator[list[ast.expr]]:
    """Lists of two qubits or more to which a one-qubit gate is applied."""
    for application in program.applications():
        call = application.call
        if isinstance(call.func, ast.Attribute) and call.func.attr == "on_each":
            found = [call.args]
        elif application.gate is not None and not application.qubits:
            found = [slot.node.elts for slot in application.whole if isinstance(slot.node, ast.List | ast.Tuple)]
        else:
            found = []
        yield from (items for items in found if len(items) > 1)


def _exchanged(application: Application, one: int, other: int) -> Edits:
    first, second = application.qubits[one], application.qubits[other]
    if not same(first.node, second.node):
        with holding((first, second.node), (second, first.node)):
            yield f"{_short(first.node)} and {_short(second.node)} exchanged", application.call


def _pools(program: Program) -> dict[int, list[ast.expr]]:
    """For each qubit argument, by its id: the arguments of the same kind that gates in its function are given."""
    pools: dict[int, list[ast.expr]] = {}
    owners = _functions(program.tree)
    for application in program.applications():
        for slot in application.qubits:
            kind = _kind(slot.node)
            if kind is None:
                continue
            pool = pools.setdefault(hash((owners[id(application.call)], kind)), [])
            if not any(same(slot.node, known) for known in pool):
                pool.append(slot.node)
            pools[id(slot.node)] = pool
    return pools


def _functions(tree: ast.Module) -> dict[int, int]:
    """The innermost function around each node, by their ids."""
    owners: dict[int, int] = {}

    def visit(node: ast.AST, owner: int) -> None:
        owners[id(node)] = owner
        inside = id(node) if isinstance(node, ast.FunctionDef | ast.Lambda) else owner
        for child in ast.iter_child_nodes(node):
            visit(child, inside)

    visit(tree, 0)
    return owners


def _kind(node: ast.expr) -> str | None:
    """Arguments of one kind may stand for each other: plain numbers, names, or items of one register."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return "number"
    if isinstance(node, ast.Name):
        return "name"
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
        return f"item of {ast.unparse(node.value)}"
    return None


def _next(node: ast.expr, pool: list[ast.expr], application: Application) -> ast.expr | None:
    """The next of the pool that the gate is not yet applied to."""
    start = next(i for i, known in enumerate(pool) if same(known, node))
    for candidate in pool[start + 1 :] + pool[:start]:
        if not any(same(candidate, slot.node) for slot in application.qubits):
            return candidate
    return None


def _reversed(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.List | ast.Tuple):
        return type(node)(node.elts[::-1], node.ctx)
    return ast.Subscript(node, ast.Slice(step=ast.UnaryOp(ast.USub(), ast.Constant(1))), ast.Load())


def _shorter(node: ast.List | ast.Tuple) -> ast.expr:
    return type(node)(node.elts[:-1], node.ctx)


def _measured(program: Program, call: ast.Call, *, both: bool = False) -> list[Slot]:
    """The slots that hold the measured qubits as a group; in Qiskit the classical bits, or `both`."""
    if program.framework == "qiskit":
        named = [Slot(word, "value") for word in call.keywords if word.arg == "cbit" or (both and word.arg == "qubit")]
        given = [Slot(call.args, i) for i in range(0 if both else 1, len(call.args))] + named
    elif program.framework == "pennylane":
        given = [Slot(word, "value") for word in call.keywords if word.arg == "wires"]
    else:
        given = [Slot(arg, "value") for arg in call.args if isinstance(arg, ast.Starred)]
        given += [Slot(call.args, 0)] if len(call.args) == 1 and not given else []
    singles = (ast.Constant, ast.Subscript, ast.BinOp) if program.framework != "cirq" else (ast.Constant, ast.Subscript)
    loops = _loop_names(program.tree)
    return [
        slot
        for slot in given
        if not (isinstance(slot.node, singles) and not _is_slice(slot.node))
        and not (isinstance(slot.node, ast.Name) and slot.node.id in loops)
        and not (isinstance(slot.node, ast.List | ast.Tuple) and len(slot.node.elts) < 2)
    ]


def _is_slice(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)


def _loop_names(tree: ast.Module) -> set[str]:
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For | ast.comprehension)]
    return {name.id for loop in loops for name in ast.walk(loop.target) if isinstance(name, ast.Name)}


def _single_measures_reversed(program: Program) -> Edits:
    """Qiskit: `measure(a, 0); measure(b, 1)`, or `measure(i, i)` in a loop over a range."""
    for body in bodies(program.tree):
        calls = [
            statement.value
            for statement in body
            if isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Call)
            and program.is_measure(statement.value)
            and len(statement.value.args) == 2
            and not isinstance(statement.value.args[1], ast.List | ast.Tuple)
        ]
        bits = [call.args[1] for call in calls]
        if len(calls) > 1:
            pairs = zip(calls, bits[::-1], strict=True)
            with holding(*[(Slot(call.args, 1), bit) for call, bit in pairs]):
                yield "the classical bits in the reverse order", calls[0]
    for loop in ast.walk(program.tree):
        if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name):
            continue
        if not (isinstance(loop.iter, ast.Call) and ast.unparse(loop.iter.func) == "range" and len(loop.iter.args) == 1):
            continue
        last = ast.BinOp(loop.iter.args[0], ast.Sub(), ast.Constant(1))
        for call in (node for node in ast.walk(loop) if program.is_measure(node)):
            if isinstance(call, ast.Call) and len(call.args) == 2:
                for slot in [*slots(ast.Tuple([call.args[1]], ast.Load())), Slot(call.args, 1)]:
                    if isinstance(slot.node, ast.Name) and slot.node.id == loop.target.id and slot.owner is not None:
                        with holding((slot, ast.BinOp(last, ast.Sub(), slot.node))):
                            yield "the classical bits in the reverse order", call


def _circuits_reversed(program: Program) -> Edits:
    """Qiskit: the circuit is returned with its qubits and bits in the reverse order."""
    for slot in slots(program.tree):
        node = slot.node
        returned = isinstance(slot.owner, ast.Return) and isinstance(node, ast.Name) and node.id in program.circuits
        if returned:
            with holding((slot, ast.Call(ast.Attribute(node, "reverse_bits", ast.Load()), [], []))):
                yield f"{_short(node)} is returned with its qubits reversed", node


def _registers_reversed(program: Program) -> Edits:
    """Cirq: the qubits are named in the reverse order where they are made."""
    for statement in (node for node in ast.walk(program.tree) if isinstance(node, ast.Assign)):
        value, target = statement.value, statement.targets[0]
        if not (isinstance(value, ast.Call) and ast.unparse(value.func).endswith("LineQubit.range")):
            continue
        with holding((Slot(statement, "value"), _reversed(value))):
            yield f"{_short(target)} in the reverse order", statement


def is_call_of(node: ast.AST, name: str) -> bool:
    """Whether the node calls the plain name."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


__all__ = [
    "angle_halved",
    "angle_negated",
    "bits_reversed",
    "control_target_swapped",
    "copy",
    "gate_doubled",
    "gate_dropped",
    "gate_replaced",
    "gates_exchanged",
    "inverse_forgotten",
    "measurement_dropped",
    "qubits_permuted",
]
