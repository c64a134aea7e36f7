"""Comparison of two answers by their values and the behaviour of their circuits, independently of any test.

Numbers may differ by rounding errors; states, operators and circuits by a global phase; counts by sampling. Circuits
are compared by the state prepared from zeros, or by exact measurement probabilities. Additional qubits and bits are
allowed if they stay 0.
"""

from __future__ import annotations

import importlib
import json
from typing import Any

import numpy as np
from qiskit import QuantumCircuit
from qiskit.circuit import Clbit, Operation, Qubit
from qiskit.quantum_info import DensityMatrix, Operator, Statevector

from repair_bench.executors.guest import codec

ROUNDING = 1e-4
WIDEST = 12
"""The maximum number of simulated qubits. Wider circuits count as equal only if they are identical."""
DRAWN = 0.15
"""The maximum total variation distance between the frequencies of equal counts."""
OBSERVER = "repair_bench.executors.guest.adapters.qiskit_adapter"


class _Known(codec.Link):
    """An object that stays on the candidate's side, represented by its description in the message."""

    tags = frozenset({"function", "iterator", "object", "instance", "yours"})
    trusts = True

    def arrive(self, tag: str, data: Any, decode: Any) -> Any:  # noqa: ARG002
        return (tag, repr(data))


def given(call: dict[str, Any]) -> list[Any]:
    """Return the JSON forms of a call's arguments."""
    return [*call["arguments"], *call["keywords"].values()]


def question(call: dict[str, Any]) -> str:
    """Return the content of a call, without the names of circuits."""
    return json.dumps([call["call"], _unnamed(call["arguments"]), _unnamed(call["keywords"])])


def _unnamed(data: Any) -> Any:
    if isinstance(data, list):
        return [_unnamed(item) for item in data]
    if not isinstance(data, dict):
        return data
    if set(data) & {"circuit", "gate"}:
        circuit = _around(codec.decode(data, _Known()))
        steps = [
            [one.operation.name, str(one.params), [circuit.find_bit(bit).index for bit in one.qubits]]
            for one in circuit
        ]
        return [circuit.num_qubits, circuit.num_clbits, steps]
    return {key: _unnamed(value) for key, value in data.items()}


def same_answer(messages: list[Any], others: list[Any], calls: dict[int, list[Any]]) -> bool:
    """Whether two candidates gave the same answer: the returned value, or the changed arguments if there is none."""
    return all(
        one == other or ("value" in one and "value" in other and _same_reply(one, other, calls.get(place, [])))
        for place, (one, other) in enumerate(zip(messages, others, strict=True))
    )


def _same_reply(one: dict[str, Any], other: dict[str, Any], given: list[Any]) -> bool:
    changed, others = dict(map(tuple, one["changed"])), dict(map(tuple, other["changed"]))
    if one["value"] is not None or one["same"] is not None:
        return same_form(_returned(one, changed, given), _returned(other, others, given))
    return all(same_form(now, others.get(place, given[place])) for place, now in changed.items())


def _returned(reply: dict[str, Any], changed: dict[int, Any], given: list[Any]) -> Any:
    """Return the JSON form of the returned value."""
    place = reply["same"]
    return reply["value"] if place is None else changed.get(place, given[place])


def same_form(one: Any, other: Any) -> bool:
    """Whether two JSON forms represent equal values."""
    if one == other:
        return True
    try:
        return same(codec.decode(one, _Known()), codec.decode(other, _Known()))
    except codec.CannotCross:
        return False


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal."""
    if isinstance(one, QuantumCircuit) and isinstance(other, QuantumCircuit):
        return _same_circuit(one, other)
    if isinstance(one, Operation) and isinstance(other, Operation):
        return _same_circuit(_around(one), _around(other))
    if isinstance(one, str | bytes) or isinstance(other, str | bytes):
        return bool(type(one) is type(other) and one == other)
    if isinstance(one, dict) and isinstance(other, dict):
        return _same_dict(one, other)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, set | frozenset) and isinstance(other, set | frozenset):
        return one == other
    if isinstance(one, Operator | Statevector | DensityMatrix):
        return type(one) is type(other) and _same_up_to_a_phase(one.data, other.data)
    if _is_number(one) and _is_number(other):
        return _same_numbers(np.asarray(one), np.asarray(other))
    try:
        return bool(one == other)
    except Exception:  # noqa: BLE001 - they cannot be compared
        return False


def _is_number(value: Any) -> bool:
    return isinstance(value, bool | int | float | complex | np.ndarray | np.generic)


def _same_numbers(one: Any, other: Any) -> bool:
    if one.size == other.size == 1:
        one, other = one.reshape(()), other.reshape(())
    if one.shape != other.shape:
        return False
    try:
        one, other = one.astype(np.clongdouble), other.astype(np.clongdouble)  # including numbers as text
    except (ValueError, OverflowError):
        return bool(np.array_equal(one, other))
    return bool(np.all(np.abs(one - other) <= ROUNDING * np.maximum(1, np.abs(one))))


def _same_up_to_a_phase(one: Any, other: Any) -> bool:
    if one.shape != other.shape or not np.isfinite(other).all():
        return False
    overlap = np.vdot(one, other)
    phase = overlap / abs(overlap) if abs(overlap) > ROUNDING else 1
    return _same_numbers(one * phase, other)


def _same_dict(one: dict[Any, Any], other: dict[Any, Any]) -> bool:
    values = [*one.values(), *other.values()]
    if values and all(isinstance(key, str) and set(key) <= set("01 ") for key in one) and all(map(_is_count, values)):
        total, others = sum(one.values()), sum(other.values())
        keys = one.keys() | other.keys()
        if total <= 0 or others != total:
            return False
        return sum(abs(one.get(key, 0) - other.get(key, 0)) for key in keys) / total / 2 <= DRAWN
    return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _same_circuit(one: QuantumCircuit, other: QuantumCircuit) -> bool:
    if one == other:
        return True
    qubits = other.num_qubits - one.num_qubits
    bits = other.num_clbits - one.num_clbits
    if qubits < 0 or bits < 0:
        return False
    if other.num_qubits > WIDEST:
        return False
    one = one.copy()
    one.add_bits([*(Qubit() for _ in range(qubits)), *(Clbit() for _ in range(bits))])
    try:
        if one.num_clbits == 0:
            return _same_up_to_a_phase(Statevector(one).data, Statevector(other).data)
        return _same_distribution(one, other)
    except Exception:  # noqa: BLE001 - it cannot be simulated
        return False


def _same_distribution(one: QuantumCircuit, other: QuantumCircuit) -> bool:
    adapter = importlib.import_module(OBSERVER)
    seen = [adapter.observe(lambda circuit=circuit: circuit, "distribution") for circuit in (one, other)]
    if any(found["kind"] != "distribution" for found in seen):  # no measurements
        bare = [circuit.remove_final_measurements(inplace=False) for circuit in (one, other)]
        return _same_up_to_a_phase(Statevector(bare[0]).data, Statevector(bare[1]).data)
    first, second = (found["probabilities"] for found in seen)
    return all(abs(first.get(key, 0) - second.get(key, 0)) <= ROUNDING for key in first.keys() | second.keys())


def _around(operation: Any) -> QuantumCircuit:
    if isinstance(operation, QuantumCircuit):
        return operation
    circuit = QuantumCircuit(operation.num_qubits, operation.num_clbits)
    circuit.append(operation, circuit.qubits, circuit.clbits)
    return circuit
