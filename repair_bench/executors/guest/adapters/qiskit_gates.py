"""The operations of a Qiskit circuit, and their counts."""

from __future__ import annotations

from collections import Counter
from typing import Any, Dict, Iterator, List, Mapping, Tuple

from qiskit.circuit import ControlFlowOp, ControlledGate, Gate, Instruction, QuantumCircuit

from .forms import ROTATIONS, Operation
from .qiskit_run import IGNORED

NOT_COUNTED = (*IGNORED, "id", "global_phase")
SAME = {"u1": "p", "u2": "u", "u3": "u", "U": "u", "CX": "cx", "cu1": "cp", "cu3": "cu", "cnot": "cx", "toffoli": "ccx"}


def count(circuit: QuantumCircuit) -> Dict[str, int]:
    """Return the number of operations per name. Each block of a control-flow operation counts once."""
    return dict(Counter(name for name, _, _ in _parts(circuit, {qubit: i for i, qubit in enumerate(circuit.qubits)})))


def listed(circuit: QuantumCircuit) -> Iterator[Operation]:
    for name, qubits, operation in _parts(circuit, {qubit: i for i, qubit in enumerate(circuit.qubits)}):
        yield name, qubits, float(operation.params[0]) if name in ROTATIONS else None


def _parts(circuit: QuantumCircuit, indices: Mapping[Any, int]) -> Iterator[Tuple[str, List[int], Any]]:
    """Yield each counted operation with its name and the indices of its qubits."""
    for step in circuit.data:
        operation, qubits = step.operation, [indices[qubit] for qubit in step.qubits]
        if isinstance(operation, ControlFlowOp):
            yield operation.name, qubits, operation
            for block in operation.blocks:
                yield from _parts(block, dict(zip(block.qubits, qubits)))
        elif _is_custom(operation) and getattr(operation, "definition", None) is not None:
            definition = operation.definition
            yield from _parts(definition, dict(zip(definition.qubits, qubits)))
        elif operation.name not in NOT_COUNTED:
            name = "unitary" if _is_custom(operation) else SAME.get(operation.name, operation.name.lower())
            yield name, qubits, operation


def _is_custom(operation: Any) -> bool:
    """Whether to count the parts of a gate instead of the gate itself, for example, because the candidate defines the
    gate or because the gate has open controls.
    """
    kind = getattr(operation, "base_class", type(operation))  # each singleton gate has a separate class
    if kind in (Gate, Instruction, ControlledGate):
        return operation.name not in ("kraus", "superop")
    if isinstance(operation, ControlledGate) and operation.ctrl_state != 2**operation.num_ctrl_qubits - 1:
        return True
    return kind.__module__.split(".")[0] not in ("qiskit", "qiskit_aer")
