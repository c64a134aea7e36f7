"""Which circuits of another process are taken: their gates are unitary together, their channels keep the trace, their
numbers are no larger than others that cross, and a gate has a library's name only where it does what that one does.

The library reads matrices and names unseen, and simulators apply an instruction that they know by its name: it would
give a state any amplitudes.
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

from ..codec import CannotCross, bounded

ROUGHLY = 1e-5
"""How far from unitary a gate's matrix may be."""
ALTOGETHER = 1e-3
"""How far from unitary a circuit may be, its gates' distances summed: what is nearly nothing can be done a million
times."""
EXACTLY = 1e-12
"""A distance that is none: two times more than the numbers' own digits."""
WIDEST = 12
"""Qubits of a gate whose matrix is looked at."""
FEW = 8
"""Qubits of a gate whose matrix is compared with another one."""
BY_DEFINITION = (Gate, Instruction, ControlledGate)
"""The classes of gates of no library's, which are what their definition says."""
CHANNEL, SAVING = "kraus", "save_"
"""The name of a Kraus channel, and what the names of instructions begin with that only save a simulator's state: those
without a class and without a definition that are taken.
"""
OWN = "own_"
"""What goes before the name of a gate that does something else than the library's gate of that name."""
STANDARD = get_standard_gate_name_mapping()
CONTROLLED = {"mcx": XGate, "mcx_gray": XGate, "mcy": YGate, "mcz": ZGate, "mcsx": SXGate, "mcswap": SwapGate}
"""What else than the standard gates simulators apply by its name, on any number of qubits."""
BY_NUMBERS = frozenset(
    [
        *("cu2", "diagonal", "initialize", "jump", "kraus", "mark", "mcp", "mcphase", "mcr", "mcrx", "mcry", "mcrz"),
        *("mcu", "mcu1", "mcu2", "mcu3", "multiplexer", "pauli", "qerror_loc", "quantum_channel", "roerror"),
        *("superop", "unitary"),
    ]
)
"""The names of what simulators apply as its parameters say."""
NO_GATES = frozenset(
    ["barrier", "box", "break_loop", "continue_loop", "for_loop", "if_else", "store", "switch_case", "while_loop"]
)
NO_GATES_PREFIXES = (SAVING, "set_")


def accepted(circuit: Any) -> Any:
    """A circuit that was read, its gates named for what they do. Raises CannotCross."""
    if _distance(circuit) > ALTOGETHER:
        raise CannotCross("a circuit that is not unitary")
    return with_operations(circuit, _named)


def with_operations(circuit: Any, change: Callable[[Any], Any]) -> Any:
    """The circuit with its operations changed, or the very one where none is."""
    changed = {
        place: other
        for place, one in enumerate(circuit.data)
        for operation in [one.operation]
        for other in [change(operation)]
        if other is not operation
    }
    if not changed:
        return circuit
    found = circuit.copy_empty_like()
    for place, one in enumerate(circuit.data):
        found.append(one.replace(operation=changed.get(place, one.operation)), copy=False)
    return found


def is_standard(operation: Any) -> bool:
    return getattr(operation, "_standard_gate", None) is not None


def by_definition(operation: Any, name: str, params: List[Any], definition: Any) -> Any:
    """A gate or an instruction of no class of its own, like this one but for what is given."""
    kind = Gate if isinstance(operation, Gate) else Instruction
    sizes = [operation.num_qubits] if kind is Gate else [operation.num_qubits, operation.num_clbits]
    found = kind(name, *sizes, params, label=operation.label)
    found.definition = definition
    return found


def _distance(circuit: Any) -> float:
    """How far from unitary a circuit may be: the sum over its gates that have a matrix of their own.

    Raises CannotCross for a gate that alone is too far, a channel that is none, an instruction of which nobody knows
    what it does, and for numbers that are too large.
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
    # a block may run any number of times
    distance += sum(math.inf for block in getattr(operation, "blocks", ()) if _distance(block) > 0)
    if isinstance(operation, AnnotatedOperation):
        inner = _distance_of(operation.base_op)
        modified = operation.modifiers if isinstance(operation.modifiers, list) else [operation.modifiers]
        # a power makes much of little
        return distance + (
            _from_unitary(operation) if any(isinstance(one, PowerModifier) for one in modified) else inner
        )
    if type(operation) in BY_DEFINITION:
        definition = operation.definition
        return distance + (_from_channel(operation) if definition is None else _distance(definition))
    arrays = any(isinstance(one, (np.ndarray, complex)) for one in getattr(operation, "params", ()))
    return distance + (_from_unitary(operation) if arrays and isinstance(operation, Gate) else 0.0)


def _from_unitary(operation: Any) -> float:
    """How far the matrix that a gate gives itself is from unitary; 0 where it has none but that of its definition."""
    if not isinstance(operation, AnnotatedOperation) and not hasattr(operation, "__array__"):
        return 0.0
    if operation.num_qubits > WIDEST:
        raise CannotCross("a matrix on %d qubits" % operation.num_qubits)
    try:
        matrix = np.asarray(operation.to_matrix())
    except QiskitError:
        if isinstance(operation, AnnotatedOperation):
            raise CannotCross("a gate whose matrix cannot be known") from None
        return 0.0
    return _from_identity(matrix.conj().T @ matrix, len(matrix), "a gate that is not unitary")


def _from_channel(operation: Any) -> float:
    """How far an instruction that has no definition is from a Kraus channel that keeps the trace; 0 for one that saves
    a state. Raises CannotCross for any other.
    """
    if operation.name.startswith(SAVING):
        return 0.0
    matrices, size = operation.params, 2**operation.num_qubits
    square = all(isinstance(one, np.ndarray) and one.shape == (size, size) for one in matrices)
    if operation.name != CHANNEL or not matrices or not square:
        raise CannotCross("an instruction %s without a definition" % operation.name[:99])
    total = sum(one.conj().T @ one for one in matrices)
    return _from_identity(total, size, "an instruction kraus that is no channel")


def _from_identity(matrix: Any, size: int, otherwise: str) -> float:
    distance = float(np.abs(matrix - np.eye(size)).max())
    if not distance <= ROUGHLY:
        raise CannotCross(otherwise)
    return 0.0 if distance < EXACTLY else distance


def _named(operation: Any) -> Any:
    """The operation, under another name where it does something else than what is known by its own; the very one
    where there is nothing to change.
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
    if named is definition and not misnamed and not _is_two_faced(operation):
        return operation
    return by_definition(operation, OWN * misnamed + operation.name, list(operation.params), named)


def _is_misnamed(operation: Any) -> bool:
    """Whether an operation of no library's class has the name of something else, by which it would be applied."""
    name = operation.name
    if name in NO_GATES or name.startswith(NO_GATES_PREFIXES):
        return True
    if name in BY_NUMBERS:
        return bool(operation.params)
    if name not in STANDARD and name not in CONTROLLED:
        return False
    if operation.num_qubits > FEW:
        return True
    try:
        return not _alike(Operator(_library_gate(operation)).data, Operator(operation.definition).data)
    except Exception:  # it takes other parameters, or is no gate: it cannot be the one that is known
        return True


def _library_gate(operation: Any) -> Any:
    """The library's gate with the name, the parameters and the number of qubits of an operation."""
    if operation.name in STANDARD:
        return type(STANDARD[operation.name])(*operation.params)
    base = CONTROLLED[operation.name]()
    return base.control(operation.num_qubits - base.num_qubits)


def _is_two_faced(operation: Any) -> bool:
    """Whether a controlled gate of no library's class does something else than what it says that it controls, of which
    its inverse and its powers are made.
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
        few = operation.num_qubits <= FEW
        return not (few and _alike(Operator(made).data, Operator(operation.definition).data))
    except Exception:  # it says nothing that can be made
        return True


def _alike(matrix: Any, other: Any) -> bool:
    return matrix.shape == other.shape and bool(np.allclose(matrix, other, rtol=0, atol=1e-8))
