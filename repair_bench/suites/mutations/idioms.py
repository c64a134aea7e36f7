"""What the names of a program mean, and where it applies gates and measures.

Reading is by names alone (`qc.cx(0, 1)`, `qml.CNOT(wires=[0, 1])`, `cirq.CNOT(a, b)`), never by running, so it can be
fooled; what it takes for a gate need not be one. A mutant made by mistake is still a program.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from repair_bench.suites.mutations.edits import Items, bodies, slots
from repair_bench.suites.mutations.gate_table import by_name

CIRCUITS = {"QuantumCircuit", "Circuit", "FrozenCircuit"}
TRANSFORMS = {"adjoint", "ctrl", "pow", "cond"}

# methods of Qiskit's QuantumCircuit outside the table that act on qubits: how many arguments stand before the qubits
QISKIT_METHODS = {
    **dict.fromkeys(("append", "compose", "unitary", "initialize", "prepare_state", "diagonal", "pauli", "mcp"), 1),
    **dict.fromkeys(("mcrx", "mcry", "mcrz", "hamiltonian"), 1),
    **dict.fromkeys(("mcx", "reset"), 0),
}

_MEASURES = {
    "qiskit": {"measure", "measure_all", "measure_active"},
    "pennylane": {"probs", "sample", "counts", "expval", "var", "measure"},
    "cirq": {"measure", "measure_each"},
}

_NO_GATES = {
    *("QNode", "Circuit", "FrozenCircuit", "Moment", "LineQubit", "GridQubit", "NamedQubit", "LineQid", "Simulator"),
    *("DensityMatrixSimulator", "InsertStrategy", "Hamiltonian", "PauliString", "PauliSum", "CircuitOperation"),
}


class Program:
    """The tree of a program in one framework."""

    def __init__(self, tree: ast.Module, framework: str) -> None:
        self.tree = tree
        self.framework = framework
        self.table = by_name(framework)
        self.modules: set[str] = set()
        self.imported: dict[str, str] = {}
        nodes = list(ast.walk(tree))
        self.callables = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
        self.callables |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        for node in nodes:
            if isinstance(node, ast.Import):
                self.modules |= {name.asname or name.name for name in node.names if name.name == framework}
            elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == framework:
                self.imported |= {name.asname or name.name: name.name for name in node.names}
        self.circuits = set(_circuit_names(nodes))

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

    def is_measure(self, node: ast.AST) -> bool:
        """Whether the node is a call that measures."""
        if not isinstance(node, ast.Call):
            return False
        if self.framework == "qiskit":
            name = node.func.attr if isinstance(node.func, ast.Attribute) else None
        else:
            name = self.member(node.func)
        return name in _MEASURES[self.framework]

    def measures(self) -> list[ast.Call]:
        """Every call that measures, in the order of the text."""
        return [slot.node for slot in slots(self.tree) if self.is_measure(slot.node)]

    def places(self, *, measures: bool = False) -> list[tuple[Items, int]]:
        """Where a whole operation stands that can be dropped: a statement, or in Cirq an item among others.

        A list and an index each. `measures`: the measurements instead of the gates.
        """
        found: list[tuple[Items, int, ast.AST]] = []
        for body in bodies(self.tree):
            for index, statement in enumerate(body):
                operation = self._operation(statement)
                if operation is not None:
                    found.append((body, index, operation))
        if self.framework == "cirq":
            for items in self._lists_of_operations():
                found += [(items, index, item) for index, item in enumerate(items)]
        return [(items, index) for items, index, operation in found if self._only_measures(operation) == measures]

    def _only_measures(self, operation: ast.AST) -> bool:
        if isinstance(operation, ast.Call) and isinstance(operation.func, ast.Attribute) and len(operation.args) == 1:
            added = operation.args[0] if operation.func.attr in {"append", "insert"} else operation
            return self.is_measure(operation) or self.is_measure(added)
        return self.is_measure(operation)

    def _operation(self, statement: ast.stmt) -> ast.expr | None:
        """What a statement applies, when it does nothing else."""
        if isinstance(statement, ast.AugAssign):
            adds = self.framework == "cirq" and isinstance(statement.op, ast.Add)
            to_circuit = isinstance(statement.target, ast.Name) and statement.target.id in self.circuits
            return statement.value if adds and (to_circuit or self.holds_gate(statement.value)) else None
        if isinstance(statement, ast.Assign):
            return statement.value if self.framework == "qiskit" and _composes(statement) else None
        value = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(value, ast.Yield | ast.YieldFrom):
            return value.value if self.framework == "cirq" else None
        if not isinstance(value, ast.Call):
            return None
        if isinstance(value.func, ast.Name) and value.func.id in self.callables:
            return value
        return value if self.is_measure(value) or self._applies(value) else None

    def _applies(self, call: ast.Call) -> bool:
        if self.framework == "pennylane":
            return any(self.is_gate(node) or self.member(node) in TRANSFORMS for node in ast.walk(call.func))
        if not isinstance(call.func, ast.Attribute):
            return False
        name, owner = call.func.attr, call.func.value
        if self.framework == "cirq":
            to_circuit = isinstance(owner, ast.Name) and owner.id in self.circuits
            return name in {"append", "insert", "extend"} and (to_circuit or self.holds_gate(call))
        return is_qiskit_gate(call) or name in self.table

    def _lists_of_operations(self) -> Iterator[Items]:
        for slot in slots(self.tree):
            node = slot.node
            if isinstance(node, ast.Call) and self.member(node.func) in CIRCUITS:
                yield node.args
            elif isinstance(node, ast.List | ast.Tuple) and any(self._is_operation(item) for item in node.elts):
                yield node.elts

    def _is_operation(self, node: ast.AST) -> bool:
        made = (ast.Call, ast.BinOp, ast.List, ast.Tuple, ast.ListComp, ast.GeneratorExp, ast.Starred)
        return isinstance(node, made) and (self.holds_gate(node) or self.is_measure(node))


def is_qiskit_gate(call: ast.Call) -> bool:
    """Whether the call is a method outside the gate table that acts on qubits; a list's `append` is none."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    return name in QISKIT_METHODS and (name != "append" or len(call.args) + len(call.keywords) > 1)


def _circuit_names(nodes: list[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            made = node.value.func
            if (made.attr if isinstance(made, ast.Attribute) else getattr(made, "id", "")) in CIRCUITS:
                yield from (target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.arg) and node.annotation and ast.unparse(node.annotation).split(".")[-1] in CIRCUITS:
            yield node.arg


def _composes(statement: ast.Assign) -> bool:
    """`qc = qc.compose(other)`."""
    value, target = statement.value, statement.targets[0]
    return (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr == "compose"
        and isinstance(target, ast.Name)
        and isinstance(value.func.value, ast.Name)
        and value.func.value.id == target.id
    )
