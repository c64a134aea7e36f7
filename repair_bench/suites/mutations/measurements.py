"""Mutations that drop a measurement or reverse the order of measured bits."""

from __future__ import annotations

import ast

from repair_bench.frameworks.parsed_program import ParsedProgram
from repair_bench.frameworks.tree import Slot, bodies, is_range, slots
from repair_bench.suites.mutations.edits import backwards, holding, short, spliced, without
from repair_bench.suites.mutations.gates import Edits


def bits_reversed(program: ParsedProgram) -> Edits:
    for call in program.measures():
        for slot in _groups(program, call)[-1:]:
            with holding((slot, backwards(slot.node))):
                yield f"measured in the order {short(slot.node)}", call
        if len(targets := program.measured_apart(call)) > 1:
            with spliced(targets, 0, len(targets), targets[::-1]):
                yield f"measured in the reverse order: {short(call)}", call
    if program.names_bits:
        yield from _single_bits_reversed(program)
        yield from _looped_bits_reversed(program)
    if program.reversing is not None:
        yield from _circuits_reversed(program, program.reversing)


def measurement_dropped(program: ParsedProgram) -> Edits:
    """Remove a measurement, or remove the last qubit or the last bit from a measurement of several qubits."""
    for items, index in program.places(measures=True):
        node = items[index]
        with without(items, index):
            yield f"{short(node)} dropped", node
    for call in program.measures():
        displays = [slot for slot in _groups(program, call) if isinstance(slot.node, ast.List | ast.Tuple)]
        if displays and len({len(slot.node.elts) for slot in displays}) == 1:
            fewer = [(slot, type(slot.node)(slot.node.elts[:-1], slot.node.ctx)) for slot in displays]
            with holding(*fewer):
                yield f"the last bit is missing in {short(call)}", call
        if len(targets := program.measured_apart(call)) > 1:
            with without(targets, len(targets) - 1):
                yield f"the last qubit is missing in {short(call)}", call


def _groups(program: ParsedProgram, call: ast.Call) -> list[Slot]:
    registers = _register_names(program)
    return [slot for slot in program.measured(call) if _is_group(slot.node, registers)]


def _is_group(node: ast.AST, registers: set[str]) -> bool:
    if isinstance(node, ast.List | ast.Tuple):
        return len(node.elts) > 1
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Slice)
    return is_range(node) or (isinstance(node, ast.Name) and node.id in registers)


def _register_names(program: ParsedProgram) -> set[str]:
    """Return the names to which registers, lists of qubits or ranges are assigned. Starred names count as lists."""
    names: set[str] = set()
    for node in ast.walk(program.tree):
        if isinstance(node, ast.Starred) and isinstance(node.value, ast.Name):
            names.add(node.value.id)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                targets = target.elts if isinstance(target, ast.Tuple) else [target]
                values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value] * len(targets)
                if isinstance(target, ast.Tuple) and not isinstance(node.value, ast.Tuple):
                    continue
                pairs = zip(targets, values, strict=False)
                names |= {
                    name.id
                    for name, value in pairs
                    if isinstance(name, ast.Name) and _holds_several(value, program.register_classes)
                }
    return names


def _holds_several(value: ast.expr, registers: frozenset[str]) -> bool:
    if isinstance(value, ast.Call):
        made = ast.unparse(value.func).split(".")[-1]
        return made in registers | {"range", "list"}
    sliced = isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice)
    return sliced or isinstance(value, ast.List | ast.ListComp)


def _single_bits_reversed(program: ParsedProgram) -> Edits:
    """Reverse the order of the classical bits in successive calls, such as `measure(a, 0)` and `measure(b, 1)`."""
    for body in bodies(program.tree):
        measured = [
            Slot(statement.value.args, 1)
            for statement in body
            if isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Call)
            and program.is_measure(statement.value)
            and len(statement.value.args) == 2
        ]
        bits = [slot.node for slot in measured]
        if len(bits) > 1:
            with holding(*zip(measured, bits[::-1], strict=True)):
                yield "the classical bits in the reverse order", bits[0]


def _looped_bits_reversed(program: ParsedProgram) -> Edits:
    """In a loop over `range(n)`, replace the classical bit i in calls such as `measure(i, i)` with n - 1 - i."""
    for loop in ast.walk(program.tree):
        if (
            not isinstance(loop, ast.For)
            or not isinstance(loop.iter, ast.Call)
            or not isinstance(loop.target, ast.Name)
        ):
            continue
        if not is_range(loop.iter) or len(loop.iter.args) != 1:
            continue
        last = ast.BinOp(loop.iter.args[0], ast.Sub(), ast.Constant(1))
        for call in ast.walk(loop):
            if not isinstance(call, ast.Call) or not program.is_measure(call) or len(call.args) != 2:
                continue
            for slot in [Slot(call.args, 1), *slots(call.args[1])]:
                if isinstance(slot.node, ast.Name) and slot.node.id == loop.target.id:
                    with holding((slot, ast.BinOp(last, ast.Sub(), slot.node))):
                        yield "the classical bits in the reverse order", call


def _circuits_reversed(program: ParsedProgram, method: str) -> Edits:
    for slot in slots(program.tree):
        node = slot.node
        if isinstance(slot.owner, ast.Return) and isinstance(node, ast.Name) and node.id in program.circuits:
            with holding((slot, ast.Call(ast.Attribute(node, method, ast.Load()), [], []))):
                yield f"{node.id} is returned with its bits reversed", node
