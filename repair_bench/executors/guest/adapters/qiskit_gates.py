"""Operation counts of a Qiskit circuit."""

from __future__ import annotations

from typing import Any, Dict

from qiskit.circuit import ControlFlowOp, ControlledGate, Gate, Instruction, QuantumCircuit

from .qiskit_run import IGNORED

NOT_COUNTED = (*IGNORED, "id", "global_phase")
SAME = {"u1": "p", "u2": "u", "u3": "u", "U": "u", "CX": "cx", "cu1": "cp", "cu3": "cu", "cnot": "cx", "toffoli": "ccx"}


def count(circuit: QuantumCircuit) -> Dict[str, int]:
    """Return the number of operations per name. Each block of a control-flow operation counts once."""
    counts: Dict[str, int] = {}
    _add(circuit, counts)
    return counts


def _add(circuit: QuantumCircuit, counts: Dict[str, int]) -> None:
    for step in circuit.data:
        operation = step.operation
        if isinstance(operation, ControlFlowOp):
            counts[operation.name] = counts.get(operation.name, 0) + 1
            for block in operation.blocks:
                _add(block, counts)
        elif _is_custom(operation) and getattr(operation, "definition", None) is not None:
            _add(operation.definition, counts)
        elif operation.name not in NOT_COUNTED:
            name = "unitary" if _is_custom(operation) else SAME.get(operation.name, operation.name.lower())
            counts[name] = counts.get(name, 0) + 1


def _is_custom(operation: Any) -> bool:
    """Whether to count the parts of a gate instead of the gate itself, as for the candidate's own gates and for open
    controls.
    """
    kind = getattr(operation, "base_class", type(operation))  # each singleton gate has a separate class
    if kind in (Gate, Instruction, ControlledGate):
        return operation.name not in ("kraus", "superop")
    if isinstance(operation, ControlledGate) and operation.ctrl_state != 2**operation.num_ctrl_qubits - 1:
        return True
    return kind.__module__.split(".")[0] not in ("qiskit", "qiskit_aer")
