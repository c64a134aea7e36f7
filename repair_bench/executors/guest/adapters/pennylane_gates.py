"""Operation counts of a PennyLane circuit, in the vocabulary that all frameworks share."""

from __future__ import annotations

from typing import Any, Dict, Iterable

import pennylane as qml

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
"""The names in the shared vocabulary that differ from PennyLane's names in more than letter case."""
INVERSES = {"s": "sdg", "t": "tdg", "sx": "sxdg", "sdg": "s", "tdg": "t", "sxdg": "sx"}
OWN_INVERSES = ("h", "x", "y", "z", "cx", "cy", "cz", "ch", "swap", "ccx", "ccz", "cswap", "mcx")
ROTATIONS = ("rx", "ry", "rz", "p", "u", "rot", "cp", "crx", "cry", "crz", "crot", "unitary")
"""Gates whose inverses have the same name but different parameters."""
ROOTS = {"z": {0.5: "s", -0.5: "sdg", 0.25: "t", -0.25: "tdg"}, "x": {0.5: "sx", -0.5: "sxdg"}}
POWERS = {"x": "rx", "y": "ry", "z": "p"}
NOT_COUNTED = ("Identity", "GlobalPhase", "Barrier", "WireCut", "Snapshot")
MID_MEASURES = ("MidMeasure", "MidMeasureMP", "PauliMeasure")


def count(operations: Iterable[Any]) -> Dict[str, int]:
    """Return the number of operations per name, including mid-circuit measurements but not the measurements that the
    circuit returns.
    """
    counts: Dict[str, int] = {}
    for operation in operations:
        _add(operation, counts)
    return counts


def _add(op: Any, counts: Dict[str, int]) -> None:
    kind = type(op).__name__
    if kind in NOT_COUNTED or op.name in NOT_COUNTED:
        return
    if kind == "Conditional":
        _add(op.base, counts)
    elif kind in MID_MEASURES:
        names = ["measure", "reset"] if getattr(op, "reset", False) is True else ["measure"]
        for name in names:
            counts[name] = counts.get(name, 0) + 1
    elif kind == "Prod":
        for part in op.operands[::-1]:
            _add(part, counts)
    elif type(op).__module__.split(".")[0] != "pennylane":
        _open(op, counts)
    else:
        name = _name(op, counts)
        counts[name] = counts.get(name, 0) + 1


def _open(op: Any, counts: Dict[str, int]) -> None:
    if op.has_decomposition:
        with qml.QueuingManager.stop_recording():
            parts = op.decomposition()
        for part in parts:
            _add(part, counts)
    else:
        counts["unitary"] = counts.get("unitary", 0) + 1


def _name(op: Any, counts: Dict[str, int]) -> str:
    kind = type(op).__name__
    if kind.startswith("Adjoint"):
        inner = _name(op.base, counts)
        if inner in OWN_INVERSES + ROTATIONS:
            return inner
        return INVERSES.get(inner) or (inner[:-3] if inner.endswith("_dg") else inner + "_dg")
    if kind.startswith("Pow"):
        inner = _name(op.base, counts)
        return ROOTS.get(inner, {}).get(float(op.z), POWERS.get(inner, inner + "_pow"))
    if kind in ("Controlled", "ControlledOp", "ControlledQubitUnitary", "MultiControlledX"):
        counts_of_x = 2 * sum(not value for value in op.control_values)
        if counts_of_x:  # a control on 0 adds two X gates
            counts["x"] = counts.get("x", 0) + counts_of_x
        inner = _name(op.base, counts)
        controls = len(op.control_wires)
        return "mcx" if inner == "x" and controls > 2 else "c" * controls + inner
    return NAMES.get(op.name, str(op.name).lower())
