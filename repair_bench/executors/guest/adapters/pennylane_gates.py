"""The operations of a PennyLane circuit and their counts, in the vocabulary that all frameworks share."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple

import pennylane as qml

from .forms import ROTATIONS, Operation

NAMES = {
    "Hadamard": "h",
    "PauliX": "x",
    "PauliY": "y",
    "PauliZ": "z",
    "PhaseShift": "p",
    "U1": "p",
    "U2": "u",
    "U3": "u",
    "CNOT": "cx",
    "Toffoli": "ccx",
    "ControlledPhaseShift": "cp",
    "QubitUnitary": "unitary",
    "StatePrep": "state_preparation",
}
"""Maps PennyLane's gate names to the names in the shared vocabulary, where the two names differ by more than letter
case."""
INVERSES = {"s": "sdg", "t": "tdg", "sx": "sxdg", "sdg": "s", "tdg": "t", "sxdg": "sx"}
OWN_INVERSES = ("h", "x", "y", "z", "cx", "cy", "cz", "ch", "swap", "ccx", "ccz", "cswap", "mcx")
PARAMETRIC = ("rx", "ry", "rz", "p", "u", "rot", "cp", "crx", "cry", "crz", "crot", "unitary")
"""Gates whose inverses have the same name but different parameters."""
ROOTS = {"z": {0.5: "s", -0.5: "sdg", 0.25: "t", -0.25: "tdg"}, "x": {0.5: "sx", -0.5: "sxdg"}}
POWERS = {"x": "rx", "y": "ry", "z": "p"}
NOT_COUNTED = ("Identity", "GlobalPhase", "Barrier", "WireCut", "Snapshot")
CONTROLLED = ("Controlled", "ControlledOp", "ControlledQubitUnitary", "MultiControlledX")
MID_MEASURES = ("MidMeasure", "MidMeasureMP", "PauliMeasure")


def count(operations: Iterable[Any]) -> Dict[str, int]:
    """Return the number of operations per name, including mid-circuit measurements but not the measurements that the
    circuit returns.
    """
    return dict(Counter(name for operation in operations for _, name in _parts(operation)))


def listed(operations: Iterable[Any], indices: Mapping[Any, int]) -> Iterator[Operation]:
    for operation in operations:
        for part, name in _parts(operation):
            yield name, [indices[wire] for wire in part.wires], _angle(part, name)


def _parts(op: Any) -> Iterator[Tuple[Any, str]]:
    """Yield each part of an operation that the operation counts include, together with the name of the part."""
    kind = type(op).__name__
    if kind in NOT_COUNTED or op.name in NOT_COUNTED:
        return
    if kind == "Conditional":
        yield from _parts(op.base)
    elif kind in MID_MEASURES:
        yield op, "measure"
        if getattr(op, "reset", False) is True:
            yield op, "reset"
    elif kind == "Prod":
        for part in op.operands[::-1]:
            yield from _parts(part)
    elif type(op).__module__.split(".")[0] != "pennylane":
        yield from _opened(op)
    else:
        with qml.QueuingManager.stop_recording():
            flips = [qml.PauliX(wire) for wire in _open_controls(op)]  # a control on 0 adds two X gates
        yield from [*((flip, "x") for flip in flips), (op, _name(op)), *((flip, "x") for flip in flips)]


def _opened(op: Any) -> Iterator[Tuple[Any, str]]:
    if op.has_decomposition:
        with qml.QueuingManager.stop_recording():
            parts = op.decomposition()
        for part in parts:
            yield from _parts(part)
    else:
        yield op, "unitary"


def _angle(op: Any, name: str) -> Optional[float]:
    if name not in ROTATIONS:
        return None
    sign = _sign(op)
    if sign:
        inner = _angle(op.base, name)
        return None if inner is None else sign * inner
    if type(op).__name__.startswith("Pow"):
        return float(op.z) * math.pi  # a power of a Pauli gate
    return float(op.parameters[0])


def _sign(op: Any) -> int:
    """Return -1 for the inverse of another operation, 1 for the first power, and 0 for all other operations."""
    kind = type(op).__name__
    power = -1.0 if kind.startswith("Adjoint") else float(op.z) if kind.startswith("Pow") else 0.0
    return int(power) if power in (1, -1) else 0


def _open_controls(op: Any) -> List[Any]:
    """Return the wires that must be 0 for a controlled gate to act."""
    found: List[Any] = []
    while True:
        kind = type(op).__name__
        if kind in CONTROLLED:
            found += [wire for wire, value in zip(op.control_wires, op.control_values) if not value]
        elif not kind.startswith(("Adjoint", "Pow")):
            return found
        op = op.base


def _name(op: Any) -> str:
    kind = type(op).__name__
    sign = _sign(op)
    if sign:
        inner = _name(op.base)
        if sign == 1 or inner in OWN_INVERSES + PARAMETRIC:
            return inner
        return INVERSES.get(inner) or (inner[:-3] if inner.endswith("_dg") else inner + "_dg")
    if kind.startswith("Pow"):
        inner = _name(op.base)
        return ROOTS.get(inner, {}).get(float(op.z), POWERS.get(inner, inner + "_pow"))
    if kind in CONTROLLED:
        inner = _name(op.base)
        controls = len(op.control_wires)
        return "mcx" if inner == "x" and controls > 2 else "c" * controls + inner
    return NAMES.get(op.name, str(op.name).lower())
