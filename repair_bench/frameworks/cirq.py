"""Cirq."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import ClassVar

from repair_bench.frameworks.base import Framework, Mistakes, TrivialBaselines
from repair_bench.frameworks.parsed_program import AddedLine, Application, ParsedProgram, angles, qubits_and_groups
from repair_bench.frameworks.tree import Items, Slot, slots

_ON_GATES = {"on", "on_each", "controlled"}
"""Methods that apply a gate or return a modified gate."""

_GATES = (*("H", "X", "Y", "Z", "S", "T", "rx", "ry", "rz", "CZ", "SWAP", "ISWAP", "XX", "YY", "ZZ", "CCZ"),)
"""Cirq's gates whose names match the vocabulary, ignoring letter case."""

_BASELINE = """
import cirq


def {entry_point}(*args, **kwargs):
    qubits = cirq.LineQubit.range({size})
    return cirq.Circuit({gates}<end>)
"""

_RANDOM_STATE = """

def _dressed_entry_point(*args):
    import cirq

    found = {entry_point}(*args)
    if not isinstance(found, cirq.AbstractCircuit):
        raise TypeError("no circuit")
    line = cirq.LineQubit.range(1 + max(qubit.x for qubit in found.all_qubits()))
    gates = [
        gate
        for qubit, (theta, phi) in zip(line, _random_angles(len(line)))
        for gate in (cirq.ry(theta)(qubit), cirq.rz(phi)(qubit))
    ]
    return cirq.Circuit(gates) + found
"""


class CirqProgram(ParsedProgram):
    """A Cirq program. A call of a gate, such as `cirq.CNOT(a, b)`, returns an operation that is added to a circuit or a
    list.
    """

    circuit_classes: ClassVar = frozenset({"Circuit", "FrozenCircuit"})
    sized: ClassVar = circuit_classes
    measuring: ClassVar = frozenset({"measure", "measure_each"})
    not_gates: ClassVar = frozenset(
        {
            *("Circuit", "FrozenCircuit", "Moment", "LineQubit", "GridQubit", "NamedQubit", "LineQid", "Simulator"),
            *("DensityMatrixSimulator", "InsertStrategy", "PauliString", "PauliSum", "CircuitOperation"),
        }
    )
    makes_qubits: ClassVar = "LineQubit.range"

    def measured(self, call: ast.Call) -> list[Slot]:
        starred = [Slot(arg, "value") for arg in call.args if isinstance(arg, ast.Starred)]
        return starred or ([Slot(call.args, 0)] if len(call.args) == 1 else [])

    def measured_apart(self, call: ast.Call) -> Items:
        return call.args

    def application(self, call: ast.Call) -> Application | None:
        named = _root(call)
        if named is None or not (self.is_gate(named) or self.member(named) == "qft"):
            return None
        name = self.member(named) or ""
        attribute = named if isinstance(named, ast.Attribute) else None
        gate = self.gates.get(name)
        makes = (gate is not None and gate.angles > 0) or name.endswith("Gate")
        if makes and call.func is named:
            return Application(call, gate, angles=angles(call, gate), named=attribute)
        if call.func is not named and isinstance(call.func, ast.Attribute) and call.func.attr == "controlled":
            return None
        qubits, groups = qubits_and_groups([Slot(call.args, i) for i in range(len(call.args))], open_displays=False)
        # the call with the angles names the gate
        called = None if makes else attribute
        controlled = any(isinstance(node, ast.Attribute) and node.attr == "controlled" for node in ast.walk(call.func))
        controls = max(0, len(qubits) - 1) if controlled else gate.controls if gate else 0
        return Application(call, gate, qubits, groups, named=called, controls=controls)

    def broadcasts(self, application: Application) -> list[Items]:
        made = application.call.func
        return [application.call.args] if isinstance(made, ast.Attribute) and made.attr == "on_each" else []

    def operation(self, statement: ast.stmt) -> ast.expr | None:
        if isinstance(statement, ast.AugAssign):
            to_circuit = isinstance(statement.target, ast.Name) and statement.target.id in self.circuits
            adds = isinstance(statement.op, ast.Add) and (to_circuit or self.holds_gate(statement.value))
            return statement.value if adds else None
        value = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(value, ast.Yield | ast.YieldFrom):
            return value.value
        return super().operation(statement)

    def applies(self, call: ast.Call) -> bool:
        if not isinstance(call.func, ast.Attribute):
            return False
        name, owner = call.func.attr, call.func.value
        to_circuit = isinstance(owner, ast.Name) and owner.id in self.circuits
        return name in {"append", "insert", "extend"} and (to_circuit or self.holds_gate(call))

    def lists_of_operations(self) -> Iterator[Items]:
        for slot in slots(self.tree):
            node = slot.node
            if isinstance(node, ast.Call) and self.member(node.func) in self.circuit_classes:
                yield node.args
            elif isinstance(node, ast.List | ast.Tuple) and any(self._is_operation(item) for item in node.elts):
                yield node.elts

    def qubit_out_of_range(self, function: ast.FunctionDef, made: ast.Assign) -> AddedLine | None:  # noqa: ARG002
        name = ast.unparse(made.targets[0])
        if not re.fullmatch(r"(\w+\.)*LineQubit\.range\(\w+\)", ast.unparse(made.value)):
            return None
        return AddedLine(f"last = {name}[len({name})]", made, after=True)

    def _is_operation(self, node: ast.AST) -> bool:
        made = (ast.Call, ast.BinOp, ast.List, ast.Tuple, ast.ListComp, ast.GeneratorExp, ast.Starred)
        return isinstance(node, made) and (self.holds_gate(node) or self.is_measure(node))


def _root(call: ast.Call) -> ast.expr | None:
    """Return the node that names the gate, after removing `.on(...)`, `.controlled()`, powers and constructor calls."""
    node: ast.expr = call.func
    while True:
        if isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            node = node.left
        elif isinstance(node, ast.Attribute) and node.attr in _ON_GATES:
            node = node.value
        else:
            return node if isinstance(node, ast.Attribute | ast.Name) else None


_RETURNED = "Return a cirq.Circuit on cirq.LineQubit.range({{ qubits }}), without measurement."

_RETURNED_DISTRIBUTION = """\
Return a cirq.Circuit on cirq.LineQubits whose measurements of key 'result' give \
{{ measured if bits == 1 else "these, in this order: " ~ measured }}. \
Use a different key for any measurement that is not part of the result."""

FRAMEWORK = Framework(
    name="cirq",
    title="Cirq",
    import_line="import cirq",
    packages=("cirq",),
    needs=("cirq",),
    exact_answer="return the cirq.Circuit itself",
    annotations=dict.fromkeys(("distribution", "state", "unitary", "circuit"), "cirq.Circuit"),
    returned={"distribution": _RETURNED_DISTRIBUTION, **dict.fromkeys(("state", "unitary", "circuit"), _RETURNED)},
    empty_circuit="cirq.Circuit()",
    trivial_baselines=TrivialBaselines(
        programs={
            "distribution": _BASELINE.replace("<end>", "cirq.measure(*qubits, key='result')"),
            # an identity gate makes a qubit part of a circuit
            **dict.fromkeys(("state", "unitary"), _BASELINE.replace("<end>", "cirq.I.on_each(*qubits)")),
        },
        gates={
            "empty": "",
            "hadamards": "cirq.H.on_each(*qubits), ",
            "measured": "cirq.measure_each(*qubits), ",
            "reset": "cirq.reset_each(*qubits), ",
        },
    ),
    random_state_wrapper=dict.fromkeys(("state", "distribution"), _RANDOM_STATE),
    gates={
        **{name: name.lower() for name in _GATES},
        **dict.fromkeys(("CNOT", "CX"), "cx"),
        **dict.fromkeys(("CZPowGate", "cphase"), "czpow"),
        **dict.fromkeys(("CCX", "CCNOT", "TOFFOLI"), "ccx"),
        **dict.fromkeys(("CSWAP", "FREDKIN"), "cswap"),
        **{f"{name.upper()}PowGate": f"{name}pow" for name in ("x", "y", "z", "h", "cx")},
        "PhasedXPowGate": "r",
    },
    program_class=CirqProgram,
    mistakes=Mistakes(
        moved_imports=(
            "from cirq.google import Foxtail",
            "import cirq.google",
            "from cirq.contrib.paulistring import PauliStringPhasor",
        ),
        invented_imports=("from cirq.gates import H, CNOT", "from cirq.circuit import QuantumCircuit"),
        misspelt={"H": "HADAMARD", "X": "PAULI_X", "CNOT": "CNOTGate", "CZ": "CZGate"},
        unknown_gate="{}.HADAMARD",
        wrong_arguments="{}.CNOT({}.LineQubit(0))",
        no_such_qubit="last = {}.LineQubit.range(2)[2]",
    ),
)
