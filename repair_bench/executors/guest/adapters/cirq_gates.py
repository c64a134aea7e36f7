"""Operation counts of a Cirq circuit, in the vocabulary that all frameworks share."""

from __future__ import annotations

from typing import Any, Dict, Iterable, Optional

import cirq

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
"""Names of gate powers that `KNOWN` does not contain. Powers of X and Y are rotations, up to a phase."""
NOT_COUNTED = (cirq.IdentityGate, cirq.WaitGate, cirq.GlobalPhaseGate)
SAME = {"quantumfouriertransform": "qft"}


def count(operations: Iterable[Any]) -> Dict[str, int]:
    """Return the number of operations per name.

    A measurement counts once per qubit, and a repeated subcircuit counts once.
    """
    counts: Dict[str, int] = {}
    for operation in operations:
        _add(operation.untagged, counts)
    return counts


def _add(operation: Any, counts: Dict[str, int]) -> None:
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
            _add(part.untagged, counts)
    elif not isinstance(gate, NOT_COUNTED):
        name = type(operation).__name__.lower() if gate is None else _name(gate, counts)
        times = len(operation.qubits) if isinstance(gate, cirq.MeasurementGate) else 1
        counts[name] = counts.get(name, 0) + times


def _name(gate: Any, counts: Dict[str, int]) -> str:
    if isinstance(gate, cirq.ControlledGate):
        return _controlled(gate, counts)
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


def _controlled(gate: Any, counts: Dict[str, int]) -> str:
    """Return the gate's name with one prefix "c" per control.

    Each control on the value 0 adds two X gates to the counts.
    """
    for values in gate.control_values:
        if tuple(values) == (0,):
            counts["x"] = counts.get("x", 0) + 2
    controls, inner = gate.num_controls(), _name(gate.sub_gate, counts)
    return "mcx" if inner == "x" and controls > 2 else "c" * controls + inner


def _of_cirq(thing: Any) -> bool:
    return type(thing).__module__.split(".")[0].startswith("cirq")
