"""Qiskit."""

from __future__ import annotations

import ast
import re
from typing import ClassVar

from repair_bench.frameworks.base import Framework, Mistakes, TrivialBaselines
from repair_bench.frameworks.parsed_program import AddedLine, Application, ParsedProgram, angles, qubits_and_groups
from repair_bench.frameworks.tree import Items, Slot

_QUBIT_WORDS = {"qubit", "qubits", "qargs", "qubit1", "qubit2", "control_qubit", "target_qubit", "control_qubits"}

_METHODS = {
    **dict.fromkeys(("append", "compose", "unitary", "initialize", "prepare_state", "diagonal", "pauli", "mcp"), 1),
    **dict.fromkeys(("mcrx", "mcry", "mcrz", "hamiltonian"), 1),
    **dict.fromkeys(("mcx", "reset"), 0),
}
"""Maps methods of QuantumCircuit that act on qubits, but are not in `frameworks.gates`, to the number of arguments that
precede the qubits."""

_GATES = (
    *("h", "x", "y", "z", "s", "sdg", "t", "tdg", "sx", "sxdg", "rx", "ry", "rz", "p", "u", "r"),
    *("cx", "cy", "cz", "ch", "cs", "csdg", "csx", "swap", "iswap", "ecr", "dcx", "crx", "cry", "crz", "cp", "cu"),
    *("rxx", "ryy", "rzz", "rzx", "ccx", "ccz", "cswap", "rccx"),
)

_BASELINE = """
from qiskit import QuantumCircuit


def {entry_point}(*args, **kwargs):
    circuit = QuantumCircuit({size})
    {gates}
    <end>
    return circuit
"""

_FORMED = """

def _circuit_like(wanted, given, name):
    from qiskit import QuantumCircuit
    from qiskit.circuit import Gate, Instruction

    size = wanted.num_qubits
    if isinstance(wanted, QuantumCircuit):
        blank = QuantumCircuit(wanted.qubits, wanted.clbits, *wanted.qregs, *wanted.cregs)
    else:
        blank = QuantumCircuit(size)
    starts = [value for value in given if isinstance(value, QuantumCircuit) and value.num_qubits <= size]
    if starts and name in ("hadamards", "reset"):
        blank.compose(starts[0], range(starts[0].num_qubits), range(starts[0].num_clbits), inplace=True)
    bits = min(size, blank.num_clbits)
    if name == "hadamards":
        blank.h(range(size))
    elif name == "reset":
        blank.reset(range(size))
    elif name == "measured" and bits:
        blank.measure(range(bits), range(bits))
    elif name == "measured":
        blank.measure_all()
    if isinstance(wanted, Gate):
        return blank.to_gate()
    if isinstance(wanted, Instruction):
        return blank.to_instruction()
    return blank if isinstance(wanted, QuantumCircuit) else type(wanted)(blank)


def _circuits_alike(wanted, found):
    from qiskit import QuantumCircuit
    from qiskit.circuit import Instruction
    from qiskit.exceptions import QiskitError
    from qiskit.quantum_info import DensityMatrix, Operator

    if isinstance(wanted, (QuantumCircuit, Instruction)) and wanted.num_qubits == found.num_qubits < 11:
        try:
            return Operator(wanted).equiv(Operator(found))
        except QiskitError:  # no unitary
            pass
        try:
            return DensityMatrix(wanted) == DensityMatrix(found)
        except QiskitError:  # measured
            pass
    return bool(wanted == found)
"""

_RANDOM_STATE = """

def _dressed_entry_point(*args):
    from qiskit import QuantumCircuit

    found = {entry_point}(*args)
    if not isinstance(found, QuantumCircuit):
        raise TypeError("no circuit")
    circuit = found.copy_empty_like()
    for qubit, (theta, phi) in zip(circuit.qubits, _random_angles(circuit.num_qubits)):
        circuit.ry(theta, qubit)
        circuit.rz(phi, qubit)
    circuit.compose(found, circuit.qubits, circuit.clbits, inplace=True)
    return circuit
"""


class QiskitProgram(ParsedProgram):
    """A Qiskit program, in which gates and measurements are methods of a circuit: `qc.cx(0, 1)`, `qc.measure(0, 0)`."""

    circuit_classes: ClassVar = frozenset({"QuantumCircuit"})
    register_classes: ClassVar = frozenset({"QuantumRegister", "ClassicalRegister"})
    sized: ClassVar = circuit_classes | register_classes
    measuring: ClassVar = frozenset({"measure", "measure_all", "measure_active"})
    names_bits: ClassVar = True
    reversing: ClassVar = "reverse_bits"

    def called(self, call: ast.Call) -> str | None:
        return call.func.attr if isinstance(call.func, ast.Attribute) else None

    def measured(self, call: ast.Call) -> list[Slot]:
        """Return all arguments of a measurement: first the qubits, then the bits."""
        return [Slot(call.args, i) for i in range(len(call.args))] + [Slot(word, "value") for word in call.keywords]

    def application(self, call: ast.Call) -> Application | None:
        if isinstance(call.func, ast.Name):
            gate = self.gates.get(_method_of(self.imported.get(call.func.id, "")))
            return Application(call, gate, angles=angles(call, gate)) if gate else None
        if not isinstance(call.func, ast.Attribute):
            return None
        gate = self.gates.get(call.func.attr)
        if gate is None and not _acts_on_qubits(call):
            return None
        first = gate.angles if gate else _METHODS[call.func.attr]
        given = [Slot(call.args, i) for i in range(first, len(call.args))]
        given += [Slot(word, "value") for word in call.keywords if word.arg in _QUBIT_WORDS]
        qubits, groups = qubits_and_groups(given, open_displays=gate is None)
        if gate is None:
            return Application(call, None, qubits, groups)
        return Application(call, gate, qubits, groups, angles(call, gate), call.func, gate.controls)

    def broadcasts(self, application: Application) -> list[Items]:
        if application.gate is None or application.qubits:
            return []
        return [slot.node.elts for slot in application.groups if isinstance(slot.node, ast.List | ast.Tuple)]

    def operation(self, statement: ast.stmt) -> ast.expr | None:
        if isinstance(statement, ast.Assign):
            return statement.value if _composes(statement) else None
        return super().operation(statement)

    def applies(self, call: ast.Call) -> bool:
        return isinstance(call.func, ast.Attribute) and (_acts_on_qubits(call) or call.func.attr in self.gates)

    def qubit_out_of_range(self, function: ast.FunctionDef, made: ast.Assign) -> AddedLine | None:  # noqa: ARG002
        name = ast.unparse(made.targets[0])
        if not re.match(r"(\w+\.)*QuantumCircuit\(", ast.unparse(made.value)):
            return None
        return AddedLine(f"{name}.h({name}.num_qubits)", made, after=True)


def _method_of(name: str) -> str:
    """Return `ry` for `RYGate`, `p` for `PhaseGate`."""
    stem = name.removesuffix("Gate").lower()
    return {"phase": "p"}.get(stem, stem) if name.endswith("Gate") else ""


def _acts_on_qubits(call: ast.Call) -> bool:
    """Whether the call is to a method in `_METHODS`, and not to a list's `append`."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    return name in _METHODS and (name != "append" or len(call.args) + len(call.keywords) > 1)


def _composes(statement: ast.Assign) -> bool:
    value, target = statement.value, statement.targets[0]
    return (
        isinstance(value, ast.Call)
        and isinstance(target, ast.Name)
        and ast.unparse(value.func) == f"{target.id}.compose"
    )


_RETURNED = """\
Return a QuantumCircuit on exactly {{ qubits }} qubit{{ "s" if qubits > 1 else "" }}, without measurement."""

_RETURNED_DISTRIBUTION = """\
Return a QuantumCircuit with {% if bits == 1 %}one classical bit. Measure the following into it: {{ measured }}.\
{% else %}{{ bits }} classical bits. Measure the following into them, starting with classical bit 0: {{ measured }}. \
(Qiskit prints classical bit 0 last.){% endif %}"""

FRAMEWORK = Framework(
    name="qiskit",
    title="Qiskit",
    import_line="from qiskit import QuantumCircuit",
    packages=("qiskit",),
    incidental=("qiskit_ibm_runtime", "matplotlib"),  # a client of a service, and drawing
    # the transpiler loads its plugins, and the vendor's client with them, if installed
    heavy_import_pattern=re.compile(
        r"\b(matplotlib|mpl|visualization|qiskit_ibm_runtime|transpile|generate_preset_pass_manager)\b"
    ),
    last_bit_first=True,
    # declared last and printed first: the usual place of a result after mid-circuit measurements, and the register
    # that the grader of QuanBench+ reads
    result_register=None,
    exact_answer="return the QuantumCircuit itself",
    annotations=dict.fromkeys(("distribution", "state", "unitary", "circuit"), "QuantumCircuit"),
    returned={"distribution": _RETURNED_DISTRIBUTION, **dict.fromkeys(("state", "unitary", "circuit"), _RETURNED)},
    empty_circuit="QuantumCircuit()",
    trivial_baselines=TrivialBaselines(
        programs={
            "distribution": _BASELINE.replace("<end>", "circuit.measure_all()"),
            **dict.fromkeys(("state", "unitary"), _BASELINE.replace("<end>", "pass")),
        },
        gates={
            "empty": "pass",
            "hadamards": "circuit.h(range({size}))",
            "measured": "circuit.measure_all()",
            "reset": "circuit.reset(range({size}))",
        },
        formed=_FORMED,
    ),
    random_state_wrapper=dict.fromkeys(("state", "distribution"), _RANDOM_STATE),
    gates={name: name for name in _GATES},
    program_class=QiskitProgram,
    mistakes=Mistakes(
        moved_imports=(
            "from qiskit import Aer, execute",
            "from qiskit.utils import QuantumInstance",
            "from qiskit.opflow import PauliSumOp",
            "from qiskit.algorithms import Grover",
            "from qiskit.providers.aer import AerSimulator",
        ),
        invented_imports=("from qiskit.circuits import QuantumCircuits", "from qiskit.gates import HGate, CXGate"),
        misspelt={"h": "hadamard", "x": "not_gate", "cx": "cnot_gate", "ccx": "toffoli_gate", "cp": "cphase_gate"},
        unknown_gate="{}.QuantumCircuit(2).cnot_gate(0, 1)",
        wrong_arguments="{}.QuantumCircuit(2).cx(0)",
        no_such_qubit="{}.QuantumCircuit(2).h(2)",
    ),
)
