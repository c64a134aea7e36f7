"""Check circuits that another process sent.

In an accepted circuit, all gates are unitary, all channels preserve the trace, and all numbers are bounded. A gate has
the name of a library gate only if both gates perform the same operation. Without these checks, a circuit could produce
arbitrary amplitudes: Qiskit checks neither matrices nor names, and simulators apply instructions by name.
"""

from __future__ import annotations

import math
from typing import Any, Callable, List

import numpy as np
from qiskit.circuit import (
    AnnotatedOperation,
    ControlledGate,
    Gate,
    Instruction,
    Operation,
    ParameterExpression,
    PowerModifier,
)
from qiskit.circuit.library import SwapGate, SXGate, XGate, YGate, ZGate, get_standard_gate_name_mapping
from qiskit.exceptions import QiskitError
from qiskit.quantum_info import Operator

from ..codec import bounded
from ..kinds import CannotCross

MAX_GATE_DEVIATION = 1e-5
"""The maximum deviation of a gate's matrix from a unitary matrix."""
MAX_CIRCUIT_DEVIATION = 1e-3
"""The maximum total deviation of a circuit's gates from unitary matrices. The total is limited, too, because many small
deviations add up."""
ROUNDING = 1e-12
"""Deviations below this value (about 100 times the rounding error) count as zero."""
MAX_CHECKED_QUBITS = 12
"""The maximum number of qubits of a gate whose matrix is checked."""
MAX_COMPARED_QUBITS = 8
"""The maximum number of qubits of a gate whose matrix is compared with another matrix."""
BY_DEFINITION = (Gate, Instruction, ControlledGate)
"""General classes of gates and instructions. Only the definition of an instance describes what the instance does."""
CHANNEL, SAVING = "kraus", "save_"
"""The name of a Kraus channel, and the prefix of instructions that save a simulator's state. An instruction of a class
in `BY_DEFINITION` must have a definition, unless the instruction is a channel or saves a state."""
OWN_PREFIX = "own_"
"""The prefix that is added to a gate's name if the library gate of that name performs a different operation."""
STANDARD = get_standard_gate_name_mapping()
CONTROLLED = {"mcx": XGate, "mcx_gray": XGate, "mcy": YGate, "mcz": ZGate, "mcsx": SXGate, "mcswap": SwapGate}
"""Controlled gates that can have any number of qubits. Simulators apply these gates by name, like the gates in
`STANDARD`."""
BY_NUMBERS = frozenset(
    [
        *("cu2", "diagonal", "initialize", "jump", "kraus", "mark", "mcp", "mcphase", "mcr", "mcrx", "mcry", "mcrz"),
        *("mcu", "mcu1", "mcu2", "mcu3", "multiplexer", "pauli", "qerror_loc", "quantum_channel", "roerror"),
        *("superop", "unitary"),
    ]
)
"""The names of operations whose effect simulators compute from the operation's parameters, not from its definition."""
NO_GATES = frozenset(
    ["barrier", "box", "break_loop", "continue_loop", "for_loop", "if_else", "store", "switch_case", "while_loop"]
)
NO_GATES_PREFIXES = (SAVING, "set_")


def accepted(circuit: Any) -> Any:
    """Check a received circuit, and return it with corrected names for misnamed gates. Raises CannotCross."""
    if _distance(circuit) > MAX_CIRCUIT_DEVIATION:
        raise CannotCross("the circuit is not unitary")
    return with_operations(circuit, _named)


def with_operations(circuit: Any, change: Callable[[Any], Any]) -> Any:
    """Apply `change` to each operation of a circuit. Returns `circuit` itself if `change` alters no operation."""
    operations = [one.operation for one in circuit.data]
    changed = [change(operation) for operation in operations]
    if all(new is old for new, old in zip(changed, operations)):
        return circuit
    found = circuit.copy_empty_like()
    for one, operation in zip(circuit.data, changed):
        found.append(one.replace(operation=operation), copy=False)
    return found


def is_standard(operation: Any) -> bool:
    return getattr(operation, "_standard_gate", None) is not None


def by_definition(operation: Any, name: str, params: List[Any], definition: Any) -> Any:
    """Return a plain gate or instruction with the given name, parameters and definition.

    The numbers of qubits and bits are those of `operation`.
    """
    kind = Gate if isinstance(operation, Gate) else Instruction
    sizes = [operation.num_qubits] if kind is Gate else [operation.num_qubits, operation.num_clbits]
    found = kind(name, *sizes, params, label=operation.label)
    found.definition = definition
    return found


def _distance(circuit: Any) -> float:
    """Return the total amount by which the gate matrices of a circuit deviate from unitarity.

    Raises CannotCross if a gate's matrix is not nearly unitary, a channel is invalid, an instruction is unknown, or a
    number is too large.
    """
    operations = [one.operation for one in circuit.data]
    for number in (circuit.global_phase, *(number for one in operations for number in getattr(one, "params", ()))):
        _check_number(number)
    own = [operation for operation in operations if not is_standard(operation)]
    known = {name: _distance_of(operation) for name, operation in {id(one): one for one in own}.items()}
    return math.fsum(known[id(operation)] for operation in own)


def _check_number(value: Any) -> None:
    if isinstance(value, ParameterExpression):
        if value.parameters:
            return
        value = complex(value)
    bounded(value)


def _distance_of(operation: Any) -> float:
    base = getattr(operation, "base_gate", None)
    distance = _distance_of(base) if isinstance(base, Operation) else 0.0
    # a block may be repeated any number of times
    distance += sum(math.inf for block in getattr(operation, "blocks", ()) if _distance(block) > 0)
    if isinstance(operation, AnnotatedOperation):
        inner = _distance_of(operation.base_op)
        modified = operation.modifiers if isinstance(operation.modifiers, list) else [operation.modifiers]
        # a power increases a deviation
        return distance + (
            _from_unitary(operation) if any(isinstance(one, PowerModifier) for one in modified) else inner
        )
    if type(operation) in BY_DEFINITION:
        definition = operation.definition
        return distance + (_from_channel(operation) if definition is None else _distance(definition))
    arrays = any(isinstance(one, (np.ndarray, complex)) for one in getattr(operation, "params", ()))
    return distance + (_from_unitary(operation) if arrays and isinstance(operation, Gate) else 0.0)


def _from_unitary(operation: Any) -> float:
    """Return the amount by which a gate's matrix deviates from unitarity, or 0 if the gate provides no matrix."""
    if not isinstance(operation, AnnotatedOperation) and not hasattr(operation, "__array__"):
        return 0.0
    if operation.num_qubits > MAX_CHECKED_QUBITS:
        raise CannotCross("a gate with a matrix has too many qubits: %d" % operation.num_qubits)
    try:
        matrix = np.asarray(operation.to_matrix())
    except QiskitError:
        if isinstance(operation, AnnotatedOperation):
            raise CannotCross("the matrix of a gate cannot be determined") from None
        return 0.0
    return _from_identity(matrix.conj().T @ matrix, len(matrix), "a gate is not unitary")


def _from_channel(operation: Any) -> float:
    """Return the amount by which a channel fails to preserve the trace. Raises CannotCross for other instructions."""
    if operation.name.startswith(SAVING):
        return 0.0
    matrices, size = operation.params, 2**operation.num_qubits
    square = all(isinstance(one, np.ndarray) and one.shape == (size, size) for one in matrices)
    if operation.name != CHANNEL or not matrices or not square:
        raise CannotCross("the instruction %s has no definition" % operation.name[:99])
    total = sum(one.conj().T @ one for one in matrices)
    return _from_identity(total, size, "a Kraus instruction does not preserve the trace")


def _from_identity(matrix: Any, size: int, otherwise: str) -> float:
    distance = float(np.abs(matrix - np.eye(size)).max())
    if not distance <= MAX_GATE_DEVIATION:
        raise CannotCross(otherwise)
    return 0.0 if distance < ROUNDING else distance


def _named(operation: Any) -> Any:
    """Rename an operation if it is misnamed, and rename each misnamed operation in its definition.

    Returns `operation` itself if no name changes.
    """
    if is_standard(operation):
        return operation
    if isinstance(operation, AnnotatedOperation):
        base = _named(operation.base_op)
        return operation if base is operation.base_op else AnnotatedOperation(base, operation.modifiers)
    before = getattr(operation, "blocks", ())
    blocks = [with_operations(block, _named) for block in before]
    if any(block is not other for block, other in zip(blocks, before)):
        return operation.replace_blocks(blocks)
    definition = operation.definition if type(operation) in BY_DEFINITION else None
    if definition is None:
        return operation
    named, misnamed = with_operations(definition, _named), _is_misnamed(operation)
    if named is definition and not misnamed and not _has_other_definition(operation):
        return operation
    return by_definition(operation, OWN_PREFIX * misnamed + operation.name, list(operation.params), named)


def _is_misnamed(operation: Any) -> bool:
    """Whether the name of an operation would make a simulator apply a different operation."""
    name = operation.name
    if name in NO_GATES or name.startswith(NO_GATES_PREFIXES):
        return True
    if name in BY_NUMBERS:
        return bool(operation.params)
    if name not in STANDARD and name not in CONTROLLED:
        return False
    if operation.num_qubits > MAX_COMPARED_QUBITS:
        return True
    try:
        return not _is_close(Operator(_library_gate(operation)).data, Operator(operation.definition).data)
    except Exception:  # different parameters, or not a gate: the operation differs from the library gate
        return True


def _library_gate(operation: Any) -> Any:
    if operation.name in STANDARD:
        return type(STANDARD[operation.name])(*operation.params)
    base = CONTROLLED[operation.name]()
    return base.control(operation.num_qubits - base.num_qubits)


def _has_other_definition(operation: Any) -> bool:
    """Whether the definition of a controlled gate contradicts its base gate.

    Qiskit computes inverses and powers of a controlled gate from the base gate.
    """
    if type(operation) is not ControlledGate:
        return False
    base = operation.base_gate
    if type(base) in BY_DEFINITION and _is_misnamed(base):
        return True
    try:
        made = base.control(operation.num_ctrl_qubits, ctrl_state=operation.ctrl_state).definition
        if made == operation.definition:
            return False
        few = operation.num_qubits <= MAX_COMPARED_QUBITS
        return not (few and _is_close(Operator(made).data, Operator(operation.definition).data))
    except Exception:  # no controlled version of the base gate exists
        return True


def _is_close(matrix: Any, other: Any) -> bool:
    return matrix.shape == other.shape and bool(np.allclose(matrix, other, rtol=0, atol=1e-8))
