"""PennyLane."""

from __future__ import annotations

import ast
import re
from typing import ClassVar

from repair_bench.frameworks.base import Framework, Mistakes, TrivialBaselines
from repair_bench.frameworks.parsed_program import AddedLine, Application, ParsedProgram, angles, qubits_and_groups
from repair_bench.frameworks.tree import Slot

_TRANSFORMS = {"adjoint", "ctrl", "pow", "cond"}

_GATES = (
    *("S", "T", "SX", "RX", "RY", "RZ", "U2", "CY", "CZ", "CH", "SWAP", "ISWAP", "ECR", "CRX", "CRY", "CRZ", "CRot"),
    *("IsingXY", "CCZ", "CSWAP", "MultiRZ", "GlobalPhase"),
)
"""The PennyLane gates whose names match the vocabulary, apart from letter case."""

_BASELINE = """
import pennylane as qml


def {entry_point}(*args, **kwargs):
    @qml.qnode(qml.device("default.qubit"<wires>))
    def circuit():
        {gates}
        return <end>

    return circuit()
"""

_BASELINE_UNITARY = """
import pennylane as qml


def {entry_point}(*args, **kwargs):
    {gates}
"""

_RANDOM_STATE = """

def _dressed_entry_point(*args):
    import pennylane as qml

    tapes = []
    call = qml.QNode.__call__

    def spied_on(self, *args, **kwargs):
        result = call(self, *args, **kwargs)
        tapes.append(self._tape)
        return result

    qml.QNode.__call__ = spied_on
    try:
        with qml.queuing.AnnotatedQueue() as queue:
            {entry_point}(*args)
    finally:
        qml.QNode.__call__ = call
    tape = tapes[-1] if tapes else qml.tape.QuantumScript.from_queue(queue)
    wires = range(1 + max(tape.wires))
    gates = [
        gate
        for wire, (theta, phi) in zip(wires, _random_angles(len(wires)))
        for gate in (qml.RY(theta, wire), qml.RZ(phi, wire))
    ]
    return qml.tape.QuantumScript(gates + tape.operations, <measurements>)
"""


class PennyLaneProgram(ParsedProgram):
    """A PennyLane program, in which creating a gate or a measurement also applies it: `qml.CNOT([0, 1])`."""

    sized: ClassVar = frozenset({"device"})
    measuring: ClassVar = frozenset({"probs", "sample", "counts", "expval", "var", "measure"})
    not_gates: ClassVar = frozenset({"QNode", "Hamiltonian"})

    def measured(self, call: ast.Call) -> list[Slot]:
        return [Slot(word, "value") for word in call.keywords if word.arg == "wires"]

    def application(self, call: ast.Call) -> Application | None:
        maker = call.func
        if self.member(maker) == "ctrl" and call.args and isinstance(call.args[0], ast.Call):
            # qml.ctrl(qml.X(1), control=0): the inner gate is a separate application
            inner = self.application(call.args[0])
            more, groups = qubits_and_groups(_controls(call))
            return Application(call, None, more + inner.qubits, groups, controls=len(more)) if inner else None
        named, more = maker, []
        if isinstance(maker, ast.Call) and self.member(maker.func) in _TRANSFORMS and maker.args:
            conditional = self.member(maker.func) == "cond" and len(maker.args) > 1
            named = maker.args[1 if conditional else 0]
            more = qubits_and_groups(_controls(maker))[0] if self.member(maker.func) == "ctrl" else []
        if not self.is_gate(named):
            return None
        gate = self.gates.get(self.member(named) or "")
        given = [Slot(word, "value") for word in call.keywords if word.arg == "wires"]
        if gate or not given:
            first = gate.angles if gate else max(0, len(call.args) - 1)
            given = [Slot(call.args, i) for i in range(first, len(call.args))] + given
        qubits, groups = qubits_and_groups(given)
        controls = len(more) + (gate.controls if gate else 0)
        attribute = named if isinstance(named, ast.Attribute) else None
        return Application(call, gate, more + qubits, groups, angles(call, gate), attribute, controls)

    def applies(self, call: ast.Call) -> bool:
        return any(self.is_gate(node) or self.member(node) in _TRANSFORMS for node in ast.walk(call.func))

    def qubit_out_of_range(self, function: ast.FunctionDef, made: ast.Assign) -> AddedLine | None:
        device = re.search(r"\bdevice\(.*wires=(\d+)\)", ast.unparse(made.value))
        nodes = [node for node in function.body if isinstance(node, ast.FunctionDef)]
        if device is None or self.module is None or len(nodes) != 1:
            return None
        if not any("qnode" in ast.unparse(decorator) for decorator in nodes[0].decorator_list[:1]):
            return None
        return AddedLine(f"{self.module}.Hadamard(wires={device[1]})", nodes[0].body[0], after=False)


def _controls(call: ast.Call) -> list[Slot]:
    named = [Slot(word, "value") for word in call.keywords if word.arg == "control"]
    return named or [Slot(call.args, i) for i in range(1, min(2, len(call.args)))]


_RETURNED = {
    "distribution": """\
Run a QNode on the device default.qubit without shots and return what it returns: qml.probs of \
{{ measured if bits == 1 else "these, in this order: " ~ measured }}.\
{{ " For results of qml.measure, use qml.probs(op=[...])." if "result" in measured else "" }} Qubit i is wire i.""",
    "state": """\
Run a QNode on the device default.qubit with {{ qubits }} wire{{ "s" if qubits > 1 else "" }} \
and return what it returns: qml.state(). Qubit i is wire i.""",
    "unitary": """\
The function only applies gates to the wires 0 to {{ qubits - 1 }}: \
it creates neither a device nor a QNode and returns nothing. Qubit i is wire i.""",
    "circuit": """\
Return a qml.tape.QuantumScript on the wires 0 to {{ qubits - 1 }}, without measurement. Qubit i is wire i.""",
}

FRAMEWORK = Framework(
    name="pennylane",
    title="PennyLane",
    import_line="import pennylane as qml",
    packages=("pennylane",),
    needs=("pennylane",),
    exact_answer="return the result of qml.probs from a QNode without shots",
    annotations={"unitary": "None", "circuit": "qml.tape.QuantumScript"},
    returned=_RETURNED,
    empty_circuit="qml.tape.QuantumScript()",
    trivial_baselines=TrivialBaselines(
        programs={
            # a device without fixed wires has spare wires for mid-circuit measurements
            "distribution": _BASELINE.replace("<wires>", "").replace("<end>", "qml.probs(wires=range({size}))"),
            "state": _BASELINE.replace("<wires>", ", wires={size}").replace("<end>", "qml.state()"),
            "unitary": _BASELINE_UNITARY,
        },
        gates={
            "empty": "pass",
            "hadamards": "[qml.Hadamard(wires=wire) for wire in range({size})]",
            "measured": "[qml.measure(wire) for wire in range({size})]",
            "reset": "[qml.measure(wire, reset=True) for wire in range({size})]",
        },
    ),
    random_state_wrapper={
        "state": _RANDOM_STATE.replace("<measurements>", "[]"),
        "distribution": _RANDOM_STATE.replace("<measurements>", "tape.measurements"),
    },
    gates={
        **dict.fromkeys(("Hadamard", "H"), "h"),
        **{name: name[-1].lower() for name in ("X", "PauliX", "Y", "PauliY", "Z", "PauliZ")},
        **{name: name.lower() for name in _GATES},
        **dict.fromkeys(("PhaseShift", "U1"), "p"),
        **dict.fromkeys(("U3", "Rot"), "u"),
        **dict.fromkeys(("ControlledPhaseShift", "CPhase"), "cp"),
        **{f"Ising{axes}": f"r{axes.lower()}" for axes in ("XX", "YY", "ZZ")},
        "CNOT": "cx",
        "Toffoli": "ccx",
    },
    program_class=PennyLaneProgram,
    mistakes=Mistakes(
        moved_imports=(
            "import pennylane.beta",
            "from pennylane.init import strong_ent_layers_uniform",
            "from pennylane.collections import QNodeCollection",
        ),
        invented_imports=(
            "from pennylane.gates import Hadamard, CNOT",
            "from pennylane.circuits import QuantumCircuit",
        ),
        misspelt={"Hadamard": "Hadamrd", "CNOT": "CNot", "RX": "Rx", "RY": "Ry", "RZ": "Rz", "X": "XGate"},
        unknown_gate="{}.CNot(wires=[0, 1])",
        wrong_arguments="{}.CNOT()",
        no_such_qubit="{}.Hadamard(wires=[0, 1][2])",
    ),
)
