"""A parsed program: the meaning of its names, its gates and its measurements.

The analysis relies on names (`qc.cx(0, 1)`, `qml.CNOT(wires=[0, 1])`, `cirq.CNOT(a, b)`) and does not run programs. A
program with misleading names can be analysed incorrectly. If the analysis is incorrect, the only consequence is that an
unintended mutant is created.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from repair_bench.frameworks.gates import Gate
from repair_bench.frameworks.tree import Items, Slot, bodies, is_range, slots

if TYPE_CHECKING:
    from repair_bench.frameworks.base import Framework

_ANGLE_WORDS = {"theta", "phi", "lam", "gamma", "delta", "omega", "angle", "rads", "exponent", "phase_exponent"}


@dataclass(frozen=True, eq=False)
class Application:
    """A call that applies a gate to qubits, or a call that creates a gate with the angles that are passed as arguments.

    `gate`: None if the gate is not in the vocabulary. `qubits`: the slots of individual qubits; the first `controls` of
    them are control qubits. `groups`: slots with several qubits (`range(3)`, `*qubits`, `[0, 1]`). `named`: the
    attribute that names the gate.
    """

    call: ast.Call
    gate: Gate | None = None
    qubits: list[Slot] = field(default_factory=list)
    groups: list[Slot] = field(default_factory=list)
    angles: list[Slot] = field(default_factory=list)
    named: ast.Attribute | None = None
    controls: int = 0


class AddedLine(NamedTuple):
    """A line to insert before or after a statement of a program."""

    text: str
    statement: ast.stmt
    after: bool


class ParsedProgram:
    """A program in one framework.

    This base class supports callers that need only Python's grammar, and recognises no gates. Each framework has a
    subclass that finds the framework's gates and measurements.
    """

    circuit_classes: ClassVar[frozenset[str]] = frozenset()
    register_classes: ClassVar[frozenset[str]] = frozenset()
    sized: ClassVar[frozenset[str]] = frozenset()
    """The names of callables whose argument is a qubit count or a bit count."""
    measuring: ClassVar[frozenset[str]] = frozenset()
    """The names of functions and methods that perform measurements."""
    not_gates: ClassVar[frozenset[str]] = frozenset()
    """Capitalised names in the framework that are not gates."""
    makes_qubits: ClassVar[str | None] = None
    """The suffix of the names of functions that return a list of qubits."""
    names_bits: ClassVar[bool] = False
    """Whether a measurement names the qubit first, and then the bit that receives the result."""
    reversing: ClassVar[str | None] = None
    """The method that returns a circuit in which the order of the qubits and bits is reversed."""

    def __init__(self, tree: ast.Module, framework: Framework) -> None:
        self.tree = tree
        self.framework = framework
        self.gates = framework.gates_by_name
        self.modules: set[str] = set()
        """The names that the program gives to the framework's module."""
        self.imported: dict[str, str] = {}
        """The framework's names that the program imports, keyed by local name."""
        nodes = list(ast.walk(tree))
        self.callables = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
        self.callables |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        for node in nodes:
            if isinstance(node, ast.Import):
                self.modules |= {name.asname or name.name for name in node.names if name.name == framework.name}
            elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == framework.name:
                self.imported |= {name.asname or name.name: name.name for name in node.names}
        self.circuits = set(self._circuit_names(nodes))

    @property
    def module(self) -> str | None:
        """Return the local name of the framework's module, or None if only parts of the module are imported."""
        return min(self.modules, default=None)

    def member(self, node: ast.AST) -> str | None:
        """Return "X" for `cirq.X`, and for `X` if it is imported from the framework; otherwise None."""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in self.modules:
            return node.attr
        return self.imported.get(node.id) if isinstance(node, ast.Name) else None

    def is_gate(self, node: ast.AST) -> bool:
        name = self.member(node)
        return name is not None and (name in self.gates or (name[0].isupper() and name not in self.not_gates))

    def holds_gate(self, node: ast.AST) -> bool:
        return any(self.is_gate(inner) for inner in ast.walk(node))

    def is_measure(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and self.called(node) in self.measuring

    def called(self, call: ast.Call) -> str | None:
        return self.member(call.func)

    def measures(self) -> list[ast.Call]:
        return [slot.node for slot in slots(self.tree) if self.is_measure(slot.node)]

    def measured(self, call: ast.Call) -> list[Slot]:  # noqa: ARG002 - for subclasses
        """Return the slots of a measurement call that can hold a group of qubits or bits."""
        return []

    def measured_apart(self, call: ast.Call) -> Items:  # noqa: ARG002
        """Return the positional arguments of a measurement call if each argument is a measured qubit or a group of
        qubits.

        Returns an empty list if the framework's measurement calls may have positional arguments that are neither
        measured qubits nor groups of qubits.
        """
        return []

    def applications(self) -> list[Application]:
        read = (self.application(slot.node) for slot in slots(self.tree) if isinstance(slot.node, ast.Call))
        return [application for application in read if application is not None]

    def application(self, call: ast.Call) -> Application | None:  # noqa: ARG002
        """Return the gate that a call applies or creates, or None for any other call."""
        return None

    def broadcasts(self, application: Application) -> list[Items]:  # noqa: ARG002
        """Return the qubit lists of `application` if `application` applies a one-qubit gate to each listed qubit."""
        return []

    def exponents(self) -> list[Slot]:
        """Return the locations of all exponents of gates in the program, such as the location of 0.5 in `gate**0.5`.

        The exponents of gates are treated as angles.
        """
        powers = [
            slot.node
            for slot in slots(self.tree)
            if isinstance(slot.node, ast.BinOp) and isinstance(slot.node.op, ast.Pow)
        ]
        return [Slot(power, "right") for power in powers if self.holds_gate(power.left)]

    def places(self, *, measures: bool = False) -> list[tuple[Items, int]]:
        """Return the places of all removable gates, or of all removable measurements if `measures` is true.

        Each place is a list of nodes and the index of the gate or measurement in this list.
        """
        operations: list[tuple[Items, int, ast.AST]] = []
        for body in bodies(self.tree):
            for index, statement in enumerate(body):
                operation = self.operation(statement)
                if operation is not None:
                    operations.append((body, index, operation))
        for items in self.lists_of_operations():
            operations += [(items, index, item) for index, item in enumerate(items)]
        return [(items, index) for items, index, operation in operations if self._only_measures(operation) == measures]

    def operation(self, statement: ast.stmt) -> ast.expr | None:
        value = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(value, ast.Call):
            return None
        if isinstance(value.func, ast.Name) and value.func.id in self.callables:
            return value
        return value if self.is_measure(value) or self.applies(value) else None

    def applies(self, call: ast.Call) -> bool:  # noqa: ARG002
        """Whether a call acts on qubits, given that the call is a complete statement."""
        return False

    def lists_of_operations(self) -> Iterator[Items]:
        yield from ()

    def qubit_out_of_range(self, function: ast.FunctionDef, made: ast.Assign) -> AddedLine | None:  # noqa: ARG002
        """Return a line of code that uses a nonexistent qubit, so that the line can be added to a program.

        Return None if the assignment statement `made` does not create qubits.
        """
        return None

    def _only_measures(self, operation: ast.AST) -> bool:
        if isinstance(operation, ast.Call) and isinstance(operation.func, ast.Attribute) and len(operation.args) == 1:
            added = operation.args[0] if operation.func.attr in {"append", "insert"} else operation
            return self.is_measure(operation) or self.is_measure(added)
        return self.is_measure(operation)

    def _circuit_names(self, nodes: list[ast.AST]) -> Iterator[str]:
        for node in nodes:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                made = node.value.func
                name = made.attr if isinstance(made, ast.Attribute) else getattr(made, "id", "")
                if name in self.circuit_classes:
                    yield from (target.id for target in node.targets if isinstance(target, ast.Name))
            elif isinstance(node, ast.arg) and node.annotation is not None:
                yield from [node.arg] if ast.unparse(node.annotation).split(".")[-1] in self.circuit_classes else []


def angles(call: ast.Call, gate: Gate | None) -> list[Slot]:
    """Return the slots that contain a call's angles: the first positional arguments, and certain keyword arguments."""
    positional = [Slot(call.args, i) for i in range(min(gate.angles if gate else 0, len(call.args)))]
    return positional + [Slot(word, "value") for word in call.keywords if word.arg in _ANGLE_WORDS]


def qubits_and_groups(given: list[Slot], *, open_displays: bool = True) -> tuple[list[Slot], list[Slot]]:
    """Sort the slots in `given` into two lists: individual qubits and groups of qubits.

    `open_displays`: whether the returned list of individual qubits also contains the items of each list or tuple in
    `given`. The list or tuple itself is always added to the groups of qubits.
    """
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
