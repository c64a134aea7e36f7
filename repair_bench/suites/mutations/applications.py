"""Where gates are applied, to which qubits and with which angles."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from repair_bench.suites.mutations.edits import Slot, slots
from repair_bench.suites.mutations.gate_table import Gate
from repair_bench.suites.mutations.idioms import QISKIT_METHODS, TRANSFORMS, Program, is_qiskit_gate

_QISKIT_QUBIT_WORDS = {
    "qubit",
    "qubits",
    "qargs",
    "qubit1",
    "qubit2",
    "control_qubit",
    "target_qubit",
    "control_qubits",
}
_ANGLE_WORDS = {"theta", "phi", "lam", "gamma", "delta", "omega", "angle", "rads", "exponent", "phase_exponent"}
_CIRQ_METHODS = {"on", "on_each", "controlled"}


@dataclass(frozen=True, eq=False)
class Application:
    """One place where a gate is applied, or made with its angles.

    `gate` is None outside the table. `qubits`: the slots of single qubits, the `controls` first; `groups`: slots that
    hold several qubits at once (`range(3)`, `*qubits`, `[0, 1]`). `named`: the attribute node that names the gate.
    """

    call: ast.Call
    gate: Gate | None = None
    qubits: list[Slot] = field(default_factory=list)
    groups: list[Slot] = field(default_factory=list)
    angles: list[Slot] = field(default_factory=list)
    named: ast.Attribute | None = None
    controls: int = 0


def applications(program: Program) -> list[Application]:
    """Every application of a gate, in the order of the text."""
    read = {"qiskit": _qiskit, "pennylane": _pennylane, "cirq": _cirq}[program.framework]
    found = (read(program, slot.node) for slot in slots(program.tree) if isinstance(slot.node, ast.Call))
    return [application for application in found if application is not None]


def exponents(program: Program) -> list[Slot]:
    """The exponents of powers of gates, which turn by an angle (Cirq)."""
    powers = [
        slot.node
        for slot in slots(program.tree)
        if isinstance(slot.node, ast.BinOp) and isinstance(slot.node.op, ast.Pow)
    ]
    return [Slot(power, "right") for power in powers if program.holds_gate(power.left)]


def is_range(node: ast.AST) -> bool:
    """Whether the node is a call of the plain `range`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"


def _qiskit(program: Program, call: ast.Call) -> Application | None:
    if isinstance(call.func, ast.Name):
        gate = program.table.get(_method_of(program.imported.get(call.func.id, "")))
        return Application(call, gate, angles=_angles(call, gate)) if gate else None
    if not isinstance(call.func, ast.Attribute):
        return None
    gate = program.table.get(call.func.attr)
    if gate is None and not is_qiskit_gate(call):
        return None
    first = gate.angles if gate else QISKIT_METHODS[call.func.attr]
    given = [Slot(call.args, i) for i in range(first, len(call.args))]
    given += [Slot(word, "value") for word in call.keywords if word.arg in _QISKIT_QUBIT_WORDS]
    qubits, groups = _sort_out(given, open_displays=gate is None)
    if gate is None:
        return Application(call, None, qubits, groups)
    return Application(call, gate, qubits, groups, _angles(call, gate), call.func, gate.controls)


def _pennylane(program: Program, call: ast.Call) -> Application | None:
    maker = call.func
    if program.member(maker) == "ctrl" and call.args and isinstance(call.args[0], ast.Call):
        # qml.ctrl(qml.X(1), control=0): the gate inside is an application of its own
        inner = _pennylane(program, call.args[0])
        more, groups = _sort_out(_controls(call))
        return Application(call, None, more + inner.qubits, groups, controls=len(more)) if inner else None
    named, more = maker, []
    if isinstance(maker, ast.Call) and program.member(maker.func) in TRANSFORMS and maker.args:
        conditional = program.member(maker.func) == "cond" and len(maker.args) > 1
        named = maker.args[1 if conditional else 0]
        more = _sort_out(_controls(maker))[0] if program.member(maker.func) == "ctrl" else []
    if not program.is_gate(named):
        return None
    gate = program.table.get(program.member(named) or "")
    given = [Slot(word, "value") for word in call.keywords if word.arg == "wires"]
    if gate or not given:
        first = gate.angles if gate else max(0, len(call.args) - 1)
        given = [Slot(call.args, i) for i in range(first, len(call.args))] + given
    qubits, groups = _sort_out(given)
    controls = len(more) + (gate.controls if gate else 0)
    return Application(call, gate, more + qubits, groups, _angles(call, gate), _attribute(named), controls)


def _cirq(program: Program, call: ast.Call) -> Application | None:
    named = _cirq_root(call)
    if named is None or not (program.is_gate(named) or program.member(named) == "qft"):
        return None
    name = program.member(named) or ""
    gate = program.table.get(name)
    makes = (gate is not None and gate.angles > 0) or name.endswith("Gate")
    if makes and call.func is named:
        return Application(call, gate, angles=_angles(call, gate), named=_attribute(named))
    if call.func is not named and isinstance(call.func, ast.Attribute) and call.func.attr == "controlled":
        return None
    qubits, groups = _sort_out([Slot(call.args, i) for i in range(len(call.args))], open_displays=False)
    # where the gate is made with angles, the call that takes them names it
    called = None if makes else _attribute(named)
    controlled = any(isinstance(node, ast.Attribute) and node.attr == "controlled" for node in ast.walk(call.func))
    controls = max(0, len(qubits) - 1) if controlled else gate.controls if gate else 0
    return Application(call, gate, qubits, groups, named=called, controls=controls)


def _cirq_root(call: ast.Call) -> ast.expr | None:
    """The node that names the gate below `.on(...)`, `.controlled()`, powers and constructors."""
    node: ast.expr = call.func
    while True:
        if isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            node = node.left
        elif isinstance(node, ast.Attribute) and node.attr in _CIRQ_METHODS:
            node = node.value
        else:
            return node if isinstance(node, ast.Attribute | ast.Name) else None


def _method_of(name: str) -> str:
    """`ry` for `RYGate`, `p` for `PhaseGate`."""
    stem = name.removesuffix("Gate").lower()
    return {"phase": "p"}.get(stem, stem) if name.endswith("Gate") else ""


def _angles(call: ast.Call, gate: Gate | None) -> list[Slot]:
    positional = [Slot(call.args, i) for i in range(min(gate.angles if gate else 0, len(call.args)))]
    return positional + [Slot(word, "value") for word in call.keywords if word.arg in _ANGLE_WORDS]


def _sort_out(given: list[Slot], *, open_displays: bool = True) -> tuple[list[Slot], list[Slot]]:
    """Single qubits, and groups of them. The elements of a list or tuple are single qubits too when it is opened."""
    qubits: list[Slot] = []
    groups: list[Slot] = []
    for slot in given:
        node = slot.node
        if isinstance(node, ast.List | ast.Tuple):
            groups.append(slot)
            if open_displays:
                qubits += [Slot(node.elts, i) for i, item in enumerate(node.elts) if not isinstance(item, ast.Starred)]
        elif isinstance(node, ast.Starred):
            groups.append(Slot(node, "value"))
        elif is_range(node):
            groups.append(slot)
        else:
            qubits.append(slot)
    return qubits, groups


def _controls(call: ast.Call) -> list[Slot]:
    named = [Slot(word, "value") for word in call.keywords if word.arg == "control"]
    return named or [Slot(call.args, i) for i in range(1, min(2, len(call.args)))]


def _attribute(node: ast.AST) -> ast.Attribute | None:
    return node if isinstance(node, ast.Attribute) else None
