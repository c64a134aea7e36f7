"""Where a program applies gates and measures: the idioms of the three frameworks, read off the syntax tree.

Reading is by names alone (`qc.cx(0, 1)`, `qml.CNOT(wires=[0, 1])`, `cirq.CNOT(a, b)`), never by running, so it can be
fooled; what it takes for a gate need not be one. A mutant made by mistake is still a program.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from repair_bench.suites.mutations.edits import Items, Slot, bodies, slots
from repair_bench.suites.mutations.gate_table import Gate, by_name

MODULES = {"qiskit": "qiskit", "pennylane": "pennylane", "cirq": "cirq"}

# methods of QuantumCircuit outside the table that act on qubits: how many arguments stand before the qubits
_QISKIT_METHODS = {
    **dict.fromkeys(("append", "compose", "unitary", "initialize", "prepare_state", "diagonal", "pauli", "mcp"), 1),
    **dict.fromkeys(("mcrx", "mcry", "mcrz", "hamiltonian"), 1),
    **dict.fromkeys(("mcx", "reset"), 0),
}
_QISKIT_MEASURES = {"measure", "measure_all", "measure_active"}
_QISKIT_QUBIT_WORDS = {"qubit", "qubits", "qargs", "qubit1", "qubit2", "control_qubit", "target_qubit", "control_qubits"}
_ANGLE_WORDS = {"theta", "phi", "lam", "gamma", "delta", "omega", "angle", "rads", "exponent", "phase_exponent"}
_PENNYLANE_TRANSFORMS = {"adjoint", "ctrl", "pow", "cond"}
_PENNYLANE_MEASURES = {"probs", "sample", "counts", "expval", "var", "measure"}
_NO_GATES = {
    *("QNode", "Circuit", "FrozenCircuit", "Moment", "LineQubit", "GridQubit", "NamedQubit", "LineQid", "Simulator"),
    *("DensityMatrixSimulator", "InsertStrategy", "Hamiltonian", "PauliString", "PauliSum", "CircuitOperation"),
}


@dataclass(frozen=True, eq=False)
class Application:
    """One place where a gate is applied or made with its angles.

    `gate` is None outside the table. `qubits`: the slots of the single qubit arguments, controls first; `whole`: slots
    that hold several qubits at once (`range(3)`, `qr`, `*qubits`, `[0, 1]` to which a one-qubit gate is broadcast).
    `named`: the attribute node that names the gate.
    """

    call: ast.Call
    gate: Gate | None = None
    qubits: list[Slot] = field(default_factory=list)
    whole: list[Slot] = field(default_factory=list)
    angles: list[Slot] = field(default_factory=list)
    named: ast.Attribute | None = None
    controls: int = 0


class Program:
    """The tree of a program with what its names mean."""

    def __init__(self, tree: ast.Module, framework: str) -> None:
        self.tree = tree
        self.framework = framework
        self.table = by_name(framework)
        self.modules: set[str] = set()
        self.imported: dict[str, str] = {}
        self.functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        self.callables = self.functions | {arg.arg for arg in ast.walk(tree) if isinstance(arg, ast.arg)}
        self._read_imports()
        self.circuits = set(self._circuit_names())

    def _read_imports(self) -> None:
        module = MODULES[self.framework]
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                self.modules |= {name.asname or name.name for name in node.names if name.name == module}
            elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == module:
                self.imported |= {name.asname or name.name: name.name for name in node.names}

    def _circuit_names(self) -> Iterator[str]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                made = node.value.func
                if (made.attr if isinstance(made, ast.Attribute) else getattr(made, "id", "")) in _CIRCUITS:
                    yield from (target.id for target in node.targets if isinstance(target, ast.Name))

    def member(self, node: ast.AST) -> str | None:
        """`X` for `cirq.X`, or for `X` imported from the framework."""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in self.modules:
            return node.attr
        return self.imported.get(node.id) if isinstance(node, ast.Name) else None

    def is_gate(self, node: ast.AST) -> bool:
        """Whether the node names a gate of PennyLane or Cirq."""
        name = self.member(node)
        return name is not None and (name in self.table or (name[0].isupper() and name not in _NO_GATES))

    def holds_gate(self, node: ast.AST) -> bool:
        return any(self.is_gate(inner) for inner in ast.walk(node))

    def applications(self) -> list[Application]:
        """Every application of a gate, in the order of the text."""
        read = {"qiskit": self._qiskit, "pennylane": self._pennylane, "cirq": self._cirq}[self.framework]
        found = (read(slot.node) for slot in slots(self.tree) if isinstance(slot.node, ast.Call))
        return [application for application in found if application is not None]

    def _qiskit(self, call: ast.Call) -> Application | None:
        if isinstance(call.func, ast.Name):
            gate = self.table.get(_class_to_method(self.imported.get(call.func.id, "")))
            return Application(call, gate, angles=_angles(call, gate.angles)) if gate else None
        if not isinstance(call.func, ast.Attribute):
            return None
        name = call.func.attr
        gate = self.table.get(name)
        skipped = gate.angles if gate else _QISKIT_METHODS.get(name)
        if skipped is None or (name == "append" and len(call.args) + len(call.keywords) < 2):
            return None
        given = [Slot(call.args, i) for i in range(skipped, len(call.args))]
        given += [Slot(word, "value") for word in call.keywords if word.arg in _QISKIT_QUBIT_WORDS]
        broadcast = gate is not None and len(given) == 1
        qubits, whole = _sort_out(given, open_lists=not broadcast)
        angles = _angles(call, gate.angles if gate else 0)
        return Application(call, gate, qubits, whole, angles, call.func if gate else None, gate.controls if gate else 0)

    def _pennylane(self, call: ast.Call) -> Application | None:
        if self.member(call.func) == "ctrl" and call.args and isinstance(call.args[0], ast.Call):
            return self._controlled(call)
        made_by, named = call.func, call.func
        if isinstance(made_by, ast.Call) and self.member(made_by.func) in _PENNYLANE_TRANSFORMS and made_by.args:
            named = made_by.args[1] if self.member(made_by.func) == "cond" and len(made_by.args) > 1 else made_by.args[0]
        if not self.is_gate(named):
            return None
        gate = self.table.get(self.member(named) or "")
        skipped = gate.angles if gate else max(0, len(call.args) - 1)
        given = [Slot(word, "value") for word in call.keywords if word.arg == "wires"]
        if gate or not given:
            given = [Slot(call.args, i) for i in range(skipped, len(call.args))] + given
        qubits, whole = _sort_out(given)
        controls = gate.controls if gate else 0
        if isinstance(made_by, ast.Call) and self.member(made_by.func) == "ctrl":
            more, _ = _sort_out(_controls(made_by))
            qubits, controls = more + qubits, controls + len(more)
        angles = _angles(call, gate.angles if gate else 0)
        return Application(call, gate, qubits, whole, angles, _attribute(named), controls)

    def _controlled(self, call: ast.Call) -> Application | None:
        """`qml.ctrl(qml.X(1), control=0)`; the gate inside is an application of its own."""
        inner = self._pennylane(call.args[0]) if isinstance(call.args[0], ast.Call) else None
        controls, whole = _sort_out(_controls(call))
        return Application(call, None, controls + inner.qubits, whole, controls=len(controls)) if inner else None

    def _cirq(self, call: ast.Call) -> Application | None:
        named = _cirq_root(call)
        if named is None or not (self.is_gate(named) or self.member(named) == "qft"):
            return None
        name = self.member(named) or ""
        gate = self.table.get(name)
        if call.func is named and ((gate and gate.angles) or name.endswith("Gate")):
            return Application(call, gate, angles=_angles(call, gate.angles if gate else 0), named=_attribute(named))
        if isinstance(call.func, ast.Attribute) and call.func is not named and call.func.attr not in {"on", "on_each"}:
            return None
        qubits, whole = _sort_out([Slot(call.args, i) for i in range(len(call.args))], open_lists=False)
        plain = gate if gate and not _is_controlled(call.func) else None
        renamed = _attribute(named) if call.func is named or isinstance(call.func, ast.Attribute) else None
        if gate and gate.angles:
            renamed = None  # the call that takes the angles is an application of its own
        controls = plain.controls if plain else max(0, len(qubits) - 1) if _is_controlled(call.func) else 0
        return Application(call, gate, qubits, whole, named=renamed, controls=controls)

    def exponents(self) -> list[Slot]:
        """The exponents of powers of gates, which turn by an angle (Cirq)."""
        return [
            Slot(slot.node, "right")
            for slot in slots(self.tree)
            if isinstance(slot.node, ast.BinOp) and isinstance(slot.node.op, ast.Pow) and self.holds_gate(slot.node.left)
        ]

    def measures(self) -> list[ast.Call]:
        """Every call that measures, in the order of the text."""
        return [slot.node for slot in slots(self.tree) if self.is_measure(slot.node)]

    def is_measure(self, node: ast.AST) -> bool:
        if not isinstance(node, ast.Call):
            return False
        if self.framework == "qiskit":
            return isinstance(node.func, ast.Attribute) and node.func.attr in _QISKIT_MEASURES
        names = _PENNYLANE_MEASURES if self.framework == "pennylane" else {"measure", "measure_each"}
        return self.member(node.func) in names

    def places(self, *, measures: bool = False) -> Iterator[tuple[Items, int]]:
        """Where a whole operation stands and can be dropped: a statement, or in Cirq an item among others.

        Yields the list and the index. `measures`: the measurements instead of the gates.
        """
        for body in bodies(self.tree):
            for index, statement in enumerate(body):
                content = self._operation(statement)
                if content is not None and self._measures(content) == measures:
                    yield body, index
        if self.framework == "cirq":
            for items in self._lists_of_operations():
                for index, item in enumerate(items):
                    if self._measures(item) == measures:
                        yield items, index

    def _measures(self, content: ast.AST) -> bool:
        while isinstance(content, ast.Call) and isinstance(content.func, ast.Attribute) and not self.is_measure(content):
            if len(content.args) != 1 or content.func.attr != "append":
                return False
            content = content.args[0]
        return self.is_measure(content)

    def _operation(self, statement: ast.stmt) -> ast.expr | None:
        """What a statement applies, when it does nothing else."""
        if isinstance(statement, ast.AugAssign):
            adds = self.framework == "cirq" and isinstance(statement.op, ast.Add)
            named = isinstance(statement.target, ast.Name) and statement.target.id in self.circuits
            wanted = adds and (named or self.holds_gate(statement.value))
            return statement.value if wanted else None
        if isinstance(statement, ast.Assign):
            return statement.value if self.framework == "qiskit" and _composes(statement) else None
        if not isinstance(statement, ast.Expr):
            return None
        value = statement.value
        if isinstance(value, ast.Yield | ast.YieldFrom):
            return value.value if value.value is not None and self.framework == "cirq" else None
        if not isinstance(value, ast.Call):
            return None
        if isinstance(value.func, ast.Name) and value.func.id in self.callables:
            return value
        known = {
            "qiskit": self._qiskit(value) is not None and isinstance(value.func, ast.Attribute),
            "pennylane": self.holds_gate(value.func) or self._transforms(value),
            "cirq": self._extends(value),
        }
        return value if known[self.framework] or self.is_measure(value) else None

    def _transforms(self, call: ast.Call) -> bool:
        return any(self.member(node) in _PENNYLANE_TRANSFORMS for node in ast.walk(call.func))

    def _extends(self, call: ast.Call) -> bool:
        if not isinstance(call.func, ast.Attribute) or call.func.attr not in {"append", "insert", "extend"}:
            return False
        owner = call.func.value
        return (isinstance(owner, ast.Name) and owner.id in self.circuits) or self.holds_gate(call)

    def _lists_of_operations(self) -> Iterator[Items]:
        for slot in slots(self.tree):
            node = slot.node
            if isinstance(node, ast.Call) and self.member(node.func) in _CIRCUITS:
                yield node.args
            elif isinstance(node, ast.List | ast.Tuple) and any(self._is_operation(item) for item in node.elts):
                yield node.elts

    def _is_operation(self, node: ast.AST) -> bool:
        made = (ast.Call, ast.BinOp, ast.List, ast.Tuple, ast.ListComp, ast.GeneratorExp, ast.Starred)
        return isinstance(node, made) and (self.holds_gate(node) or self.is_measure(node))


_CIRCUITS = {"QuantumCircuit", "Circuit", "FrozenCircuit"}


def _class_to_method(name: str) -> str:
    """`RYGate` -> `ry`, `PhaseGate` -> `p`."""
    stem = name.removesuffix("Gate")
    return "" if stem == name else {"phase": "p"}.get(stem.lower(), stem.lower())


def _angles(call: ast.Call, count: int) -> list[Slot]:
    positional = [Slot(call.args, i) for i in range(min(count, len(call.args)))]
    return positional + [Slot(word, "value") for word in call.keywords if word.arg in _ANGLE_WORDS]


def _sort_out(given: list[Slot], *, open_lists: bool = True) -> tuple[list[Slot], list[Slot]]:
    """Single qubits and groups of them. Displays are opened into their elements."""
    qubits: list[Slot] = []
    whole: list[Slot] = []
    for slot in given:
        node = slot.node
        if isinstance(node, ast.List | ast.Tuple):
            whole.append(slot)
            if open_lists:
                elements = [Slot(node.elts, i) for i in range(len(node.elts))]
                qubits += [one for one in elements if not isinstance(one.node, ast.Starred)]
        elif isinstance(node, ast.Starred):
            whole.append(Slot(node, "value"))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
            whole.append(slot)
        else:
            qubits.append(slot)
    return qubits, whole


def _controls(call: ast.Call) -> list[Slot]:
    named = [Slot(word, "value") for word in call.keywords if word.arg == "control"]
    return named or [Slot(call.args, i) for i in range(1, min(2, len(call.args)))]


def _attribute(node: ast.AST) -> ast.Attribute | None:
    return node if isinstance(node, ast.Attribute) else None


def _cirq_root(call: ast.Call) -> ast.expr | None:
    """The node that names the gate below `.on(...)`, `.controlled()`, powers and constructors."""
    node: ast.expr = call.func
    while True:
        if isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            node = node.left
        elif isinstance(node, ast.Attribute) and node.attr in {"on", "on_each", "controlled"}:
            node = node.value
        else:
            return node if isinstance(node, ast.Attribute | ast.Name) else None


def _is_controlled(func: ast.AST) -> bool:
    return any(isinstance(node, ast.Attribute) and node.attr == "controlled" for node in ast.walk(func))


def _composes(statement: ast.Assign) -> bool:
    """`qc = qc.compose(other)`."""
    value, target = statement.value, statement.targets[0]
    return (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr in {"compose", "tensor"}
        and isinstance(target, ast.Name)
        and isinstance(value.func.value, ast.Name)
        and value.func.value.id == target.id
    )
