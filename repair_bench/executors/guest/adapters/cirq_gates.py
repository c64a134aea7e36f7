"""The operations of a Cirq circuit and their counts, in the vocabulary that all frameworks share."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple

import cirq

from .forms import ROTATIONS, Operation

KNOWN = (
    *((getattr(cirq, name.upper()), name) for name in ("x", "y", "z", "h", "s", "t", "cz", "swap", "iswap")),
    *((getattr(cirq, name.upper()), name) for name in ("ccx", "ccz", "cswap")),
    *((cirq.CNOT, "cx"), (cirq.S**-1, "sdg"), (cirq.T**-1, "tdg"), (cirq.X**0.5, "sx"), (cirq.X**-0.5, "sxdg")),
)
FAMILIES = (
    *((cirq.Rx, "rx"), (cirq.Ry, "ry"), (cirq.Rz, "rz"), (cirq.MatrixGate, "unitary"), (cirq.ResetChannel, "reset")),
    *((cirq.MeasurementGate, "measure"), (cirq.PauliMeasurementGate, "measure")),
)
POWERS = ((cirq.XPowGate, "rx"), (cirq.YPowGate, "ry"), (cirq.ZPowGate, "p"), (cirq.CZPowGate, "cp"))
"""The names of gates that are powers of X, Y, Z or CZ, such as X**0.3. A name in `KNOWN` takes precedence. Powers of X
and Y are rotations, up to a phase."""
NOT_COUNTED = (cirq.IdentityGate, cirq.WaitGate, cirq.GlobalPhaseGate)
SAME = {"quantumfouriertransform": "qft"}


def count(operations: Iterable[Any]) -> Dict[str, int]:
    """Count the operations by name.

    A measurement counts once per qubit, and a repeated subcircuit counts once.
    """
    counts: Dict[str, int] = Counter()
    for operation in operations:
        for part, name in _parts(operation.untagged):
            counts[name] += len(part.qubits) if isinstance(part.gate, cirq.MeasurementGate) else 1
    return dict(counts)


def listed(operations: Iterable[Any], indices: Mapping[Any, int]) -> Iterator[Operation]:
    for operation in operations:
        for part, name in _parts(operation.untagged):
            yield name, [indices[qubit] for qubit in part.qubits], _angle(part.gate, name)


def _parts(operation: Any) -> Iterator[Tuple[Any, str]]:
    """Yield the parts of an operation that are to be counted, each with its name."""
    while isinstance(operation, cirq.ClassicallyControlledOperation):
        operation = operation.without_classical_controls().untagged
    gate = operation.gate
    inner: Optional[Iterable[Any]] = None
    if isinstance(operation, cirq.CircuitOperation):
        once = operation if operation.repeat_until is None else operation.replace(repeat_until=None)
        inner = once.mapped_circuit(deep=False).all_operations()
    elif not _of_cirq(operation if gate is None else gate) or type(gate).__name__ == "_InverseCompositeGate":
        inner = cirq.decompose_once(operation, None)
    if inner is not None:
        for part in inner:
            yield from _parts(part.untagged)
    elif not isinstance(gate, NOT_COUNTED):
        flips = [cirq.X(qubit) for qubit in _open_controls(operation)]  # a control on 0 adds two X gates
        name = type(operation).__name__.lower() if gate is None else _name(gate)
        yield from [*((flip, "x") for flip in flips), (operation, name), *((flip, "x") for flip in flips)]


def _angle(gate: Any, name: str) -> Optional[float]:
    return float(gate.exponent) * math.pi if name in ROTATIONS and hasattr(gate, "exponent") else None


def _open_controls(operation: Any) -> List[Any]:
    """Return the qubits that must be 0 for a controlled gate to act."""
    gate, qubits, found = operation.gate, operation.qubits, []
    while isinstance(gate, cirq.ControlledGate):
        controls = zip(qubits, gate.control_values)
        found += [qubit for qubit, values in controls if tuple(values) == (0,)]
        gate, qubits = gate.sub_gate, qubits[gate.num_controls() :]
    return found


def _name(gate: Any) -> str:
    if isinstance(gate, cirq.ControlledGate):
        controls, inner = gate.num_controls(), _name(gate.sub_gate)
        return "mcx" if inner == "x" and controls > 2 else "c" * controls + inner
    for family, name in FAMILIES:
        if isinstance(gate, family):
            return name
    for known, name in KNOWN:
        if gate == known:
            return name
    if type(gate) is cirq.ZPowGate and gate.global_shift == -0.5:
        return "rz"
    for power, name in POWERS:
        if type(gate) is power:
            return name
    if not _of_cirq(gate):
        return "unitary"
    name = type(gate).__name__.lower()
    for ending in ("powgate", "gate", "channel"):
        if name.endswith(ending) and name != ending:
            name = name[: -len(ending)]
            break
    return SAME.get(name, name)


def _of_cirq(thing: Any) -> bool:
    return type(thing).__module__.split(".")[0].startswith("cirq")
