"""Exact evolution of a Cirq circuit: unitaries, channels, measurements, classical controls and subcircuits."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, Tuple

import cirq
import numpy as np

from . import exact
from .exact import Branch, Branches, Deferred
from .forms import MAX_QUBITS, Unreadable

MAX_ITERATIONS = 1000
"""The maximum number of repetitions of a subcircuit that repeats until a condition holds."""

Record = Tuple[Any, int]
"""A measurement key, and the number of earlier measurements with this key."""


class Runner:
    """Executes the operations of a circuit. `axes`: the array axis of each simulated qubit."""

    def __init__(self, axes: Mapping[Any, int]) -> None:
        self._axes = axes
        self.records: Dict[Record, List[int]] = {}
        """The memory slots of each record, with one slot per measured qubit."""
        self._qubits: Dict[Record, Tuple[Any, ...]] = {}
        self._used = 0

    def run(self, operations: Iterable[Any], branches: Branches) -> Branches:
        for operation in operations:
            branches = self._step(operation.untagged, branches)
        return branches

    def in_order(self, branches: Branches) -> List[Tuple[Any, List[int]]]:
        """Return the key and the memory slots of each measurement record, in the order of the printed results.

        Keys are sorted by their first appearance. Records of the same key are sorted by their repetition number. Final
        measurements come last, ordered by qubit, because their moments are arbitrary. Raises `Unreadable` if the number
        of measurements of a key differs between branches.
        """
        for (key, _), slots in self.records.items():
            if not all(_has_values(branch, slots) for branch in branches):
                raise Unreadable("key '{}' is not measured the same number of times in every run".format(key))
        keys = list(dict.fromkeys(key for key, _ in self.records))
        first: Dict[Any, int] = {}
        for (key, _), slots in self.records.items():
            entries = [branch.memory[slot] for branch in branches for slot in slots]
            qubits = [entry.qubit if isinstance(entry, Deferred) else -1 for entry in entries]
            first[key] = min([*qubits, first.get(key, MAX_QUBITS)])
        keys.sort(key=lambda key: first[key])
        ordered = sorted(self.records, key=lambda record: (keys.index(record[0]), record[1]))
        return [(record[0], self.records[record]) for record in ordered]

    def _step(self, operation: Any, branches: Branches) -> Branches:
        if isinstance(operation, cirq.ClassicallyControlledOperation):
            hit, missed = self._where(operation.classical_controls, branches)
            return self._step(operation.without_classical_controls().untagged, hit) + missed if hit else missed
        if isinstance(operation, cirq.CircuitOperation) and operation.repeat_until is not None:
            return self._repeat(operation, branches)
        gate = operation.gate
        if isinstance(gate, cirq.MeasurementGate):
            return self._measure(operation, gate, branches)
        axes = [self._axes[q] for q in operation.qubits]
        if isinstance(gate, cirq.ResetChannel):
            return exact.reset(branches, axes[0])
        small = len(axes) <= exact.MATRIX_QUBITS
        if small and cirq.has_unitary(operation):
            return exact.apply(branches, cirq.unitary(operation), axes)
        if small and not cirq.is_measurement(operation) and cirq.has_kraus(operation):
            return exact.channel(branches, [np.asarray(k, dtype=complex) for k in cirq.kraus(operation)], axes)
        inner = cirq.decompose_once(operation, None)
        if inner is None:
            raise Unreadable("the circuit contains an operation that cannot be simulated: {}".format(operation))
        return self.run(inner, branches)

    def _measure(self, operation: Any, gate: Any, branches: Branches) -> Branches:
        if getattr(gate, "confusion_map", None):
            raise Unreadable("the circuit contains a measurement with a confusion map, which is not supported")
        key = cirq.measurement_key_obj(operation)
        out: Branches = []
        todo = list(branches)
        times = 0
        while todo:  # branches that left a repeated subcircuit early have measured a key fewer times
            again = [b for b in todo if _has_values(b, self._record((key, times), operation.qubits))]
            now = [b for b in todo if not any(b is other for other in again)]
            for qubit, slot, flip in zip(operation.qubits, self.records[key, times], gate.full_invert_mask()):
                now = exact.measure(now, self._axes[qubit], slot, flip=flip)
            out += now
            todo = again
            times += 1
        return out

    def _record(self, record: Record, qubits: Tuple[Any, ...]) -> List[int]:
        if record not in self.records:
            self.records[record] = list(range(self._used, self._used + len(qubits)))
            self._qubits[record] = qubits
            self._used += len(qubits)
        return self.records[record]

    def _repeat(self, operation: Any, branches: Branches) -> Branches:
        condition = cirq.with_measurement_key_mapping(operation.repeat_until, dict(operation.measurement_key_map))
        body = list(operation.replace(repeat_until=None).mapped_circuit().all_operations())
        done: Branches = []
        for _ in range(MAX_ITERATIONS):
            branches = self.run(body, branches)
            ended, branches = self._where([condition], branches)
            done += ended
            if not branches:
                return done
        raise Unreadable("a repeated subcircuit does not end within {} repetitions".format(MAX_ITERATIONS))

    def _where(self, conditions: Iterable[Any], branches: Branches) -> Tuple[Branches, Branches]:
        keys = {key for condition in conditions for key in condition.keys}
        missing = keys - {key for key, _ in self.records}
        if missing:
            raise Unreadable("an operation is controlled by key '{}' before it is measured".format(missing.pop()))
        slots = [slot for (key, _), found in self.records.items() if key in keys for slot in found]

        def is_met(branch: Branch) -> bool:
            data = self._data(branch, keys)
            return all(condition.resolve(data) for condition in conditions)

        return exact.partition(branches, slots, is_met)

    def _data(self, branch: Branch, keys: Any) -> Any:
        data = cirq.ClassicalDataDictionaryStore()
        for record, slots in sorted(self.records.items(), key=lambda item: item[0][1]):
            if record[0] in keys and _has_values(branch, slots):
                data.record_measurement(record[0], [branch.value(slot) or 0 for slot in slots], self._qubits[record])
        return data


def _has_values(branch: Branch, slots: List[int]) -> bool:
    return all(branch.has_value(slot) for slot in slots)
