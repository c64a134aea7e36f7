"""The matrices of Qiskit's gates and channels.

In matrix indices, the first qubit is the least significant bit, as in Qiskit.
"""

from __future__ import annotations

from typing import Any, List, Optional

import numpy as np
from qiskit.circuit import ControlledGate
from qiskit.exceptions import QiskitError
from qiskit.quantum_info import Kraus, Operator, SuperOp

from .exact import MATRIX_QUBITS
from .forms import Unreadable


def matrix_of(operation: Any) -> Optional[np.ndarray]:
    """Return a gate's matrix, or None to decompose the gate. Raises `Unreadable` if the gate cannot be simulated."""
    small = operation.num_qubits <= MATRIX_QUBITS or operation.name == "unitary"
    if small and hasattr(operation, "to_matrix"):
        try:
            return np.asarray(operation.to_matrix())
        except (QiskitError, NotImplementedError):
            if isinstance(operation, ControlledGate) and _is_of_the_library(operation):
                return _controlled(operation)
    if getattr(operation, "definition", None) is not None:  # last, because deriving it from a matrix takes seconds
        return None
    if small and not operation.num_clbits:
        try:
            return np.asarray(Operator(operation).data)
        except (QiskitError, TypeError, ValueError):
            pass
    raise Unreadable("the circuit contains an instruction that cannot be simulated: {}".format(operation.name))


def _is_of_the_library(gate: Any) -> bool:
    return type(gate) is not ControlledGate and type(gate).__module__.startswith("qiskit.circuit.library.")


def _controlled(gate: ControlledGate) -> Optional[np.ndarray]:
    """Return the matrix of a controlled gate, or None if its base gate has no matrix.

    The controls are the least significant qubits.
    """
    base = gate.base_gate
    step = 2**gate.num_ctrl_qubits
    if gate.num_qubits != gate.num_ctrl_qubits + base.num_qubits:
        return None
    try:
        inner = base.to_matrix()
    except (QiskitError, NotImplementedError):
        return None
    matrix = np.eye(2**gate.num_qubits, dtype=complex)
    matrix[gate.ctrl_state :: step, gate.ctrl_state :: step] = inner
    return matrix


def kraus_operators(operation: Any) -> List[np.ndarray]:
    """Return the Kraus operators of a channel. Raises `Unreadable` for a map that is not a channel."""
    if operation.name == "kraus":
        return [np.asarray(matrix) for matrix in operation.params]
    channel = SuperOp(np.asarray(operation.params[0])) if operation.name == "superop" else operation
    left, right = Kraus(channel)._data  # noqa: SLF001 - the two lists differ for maps other than channels
    if right is not None:
        raise Unreadable("the circuit contains a map that is not a quantum channel")
    return list(left)
