"""Exact evolution of a PennyLane circuit: gates, channels, mid-circuit measurements and conditional operations."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, Optional, Set, Tuple

import numpy as np
import pennylane as qml

from . import exact
from .exact import Branches
from .forms import Unreadable

IGNORED = ("Barrier", "WireCut", "Snapshot", "Identity")


class Runner:
    """Executes the operations of a circuit. `axes`: the array axis of each wire."""

    def __init__(self, axes: Mapping[Any, int]) -> None:
        self._axes = axes
        self._touched: Set[Any] = set()
        self._slots: Dict[Any, int] = {}

    def run(self, operations: Iterable[Any], branches: Branches) -> Branches:
        with qml.QueuingManager.stop_recording():
            for operation in operations:
                branches = self._step(operation, branches)
        return branches

    def measure(self, wire: Any, branches: Branches) -> Tuple[int, Branches]:
        """Measure a wire into a new memory slot.

        Return the index of the memory slot, and the list of branches (see `exact`) after the measurement.
        """
        slot = self._slots.setdefault(object(), len(self._slots))
        return slot, exact.measure(branches, self._axes[wire], slot)

    def slots_of(self, value: Any) -> List[int]:
        """Return the memory slot of each mid-circuit measurement whose outcome affects a value."""
        try:
            return [self._slots[_identity(measurement)] for measurement in value.measurements]
        except KeyError:
            raise Unreadable("the circuit uses the result of a measurement that is not in the circuit") from None

    def _step(self, op: Any, branches: Branches) -> Branches:
        kind = type(op).__name__
        if kind in IGNORED or op.name in IGNORED:
            return branches
        if kind == "Conditional":
            return self._conditional(op, branches)
        if kind in ("MidMeasure", "MidMeasureMP"):
            return self._mid_measure(op, branches)
        fresh = not self._touched.intersection(op.wires)
        self._touched.update(op.wires)
        axes = [self._axes[wire] for wire in op.wires]
        small = len(axes) <= exact.MATRIX_QUBITS
        if fresh and axes and hasattr(op, "state_vector"):
            return exact.prepare(branches, _prepared(op), axes)
        if isinstance(op, qml.operation.Channel):
            return exact.channel(branches, [np.asarray(k, dtype=complex) for k in op.kraus_matrices()], axes)
        if small and op.has_matrix:
            return exact.apply(branches, _matrix(op), axes)
        if op.has_decomposition:
            return self.run(op.decomposition(), branches)
        raise Unreadable("the circuit contains an operation that cannot be simulated: {}".format(op.name))

    def _mid_measure(self, op: Any, branches: Branches) -> Branches:
        (wire,) = op.wires
        axis = self._axes[wire]
        self._touched.add(wire)
        if op.postselect is not None:
            branches = exact.project(branches, axis, int(op.postselect))
            if not branches:
                raise Unreadable("the postselected outcome has probability 0")
        branches = exact.measure(branches, axis, self._slots.setdefault(_identity(op), len(self._slots)))
        return exact.reset(branches, axis) if op.reset else branches

    def _conditional(self, op: Any, branches: Branches) -> Branches:
        slots = self.slots_of(op.meas_val)

        def is_met(branch: exact.Branch) -> bool:
            return bool(op.meas_val.processing_fn(*(branch.value(slot) or 0 for slot in slots)))

        hit, missed = exact.partition(branches, slots, is_met)
        return (self._step(op.base, hit) if hit else []) + missed


def wire_order(tape: Any, device: Any = None) -> List[Any]:
    """Return the wires in the order in which PennyLane prints a state: the device's order, or 0, 1, ... if possible."""
    wires = getattr(device, "wires", None)
    if wires:
        return list(wires) + [wire for wire in tape.wires if wire not in wires]
    present = list(tape.wires)
    return list(range(len(present))) if set(present) == set(range(len(present))) else present


def _identity(measurement: Any) -> Any:
    """Return an identifier that connects a mid-circuit measurement with its results.

    The name of the attribute that contains the identifier depends on the PennyLane release.
    """
    for name in ("meas_uid", "id"):
        label: Optional[Any] = getattr(measurement, name, None)
        if label is not None:
            return label
    return id(measurement)


def _matrix(op: Any) -> np.ndarray:
    matrix = np.asarray(op.matrix(), dtype=complex)
    if matrix.ndim != 2:
        raise Unreadable("the circuit has a batch of parameters; one circuit was expected")
    return matrix


def _prepared(op: Any) -> np.ndarray:
    vector = np.asarray(op.state_vector(wire_order=op.wires), dtype=complex).reshape(-1)
    if vector.size != 2 ** len(op.wires):
        raise Unreadable("the circuit has a batch of states; one circuit was expected")
    return vector
