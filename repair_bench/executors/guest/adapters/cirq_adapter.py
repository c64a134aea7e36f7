"""Observe the value that a Cirq candidate returns.

Qubits are in Cirq's order. The first qubit is the first character of a key, and the most significant bit of a state or
matrix index. The bits of all measurement keys are concatenated. The keys of mid-circuit measurements come first, in
order of appearance. The keys of final measurements come after the keys of mid-circuit measurements, and are ordered by
qubit. The records of a repeated key are adjacent. If a circuit has no measurements, all its qubits are measured, in
sorted order. The keys of a `cirq.Result` are sorted, as in Cirq's printed form.
"""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Tuple

import cirq
import numpy as np

from . import cirq_gates, exact, forms, observed, plain
from .cirq_run import Runner
from .forms import Observation, Unreadable

PRELOAD: Tuple[str, ...] = ("numpy", "sympy", "cirq")


def observe(call: Callable[[], Any], form: str, qubits: Optional[int] = None) -> Observation:
    """Observe an entry point.

    `qubits`: the number of `LineQubit`s (0, 1, ...) to include, or None for the qubits in use.
    """
    return forms.observed(call(), lambda value: _read(value, form, qubits))


def _read(value: Any, form: str, qubits: Optional[int]) -> Observation:
    circuit = _circuit(value)
    if circuit is not None:
        return _read_circuit(circuit, form, qubits)
    if value is None:
        raise Unreadable("returned None; a cirq.Circuit was expected")
    if isinstance(value, cirq.Result) and form == "distribution":
        return _samples(value)
    if isinstance(value, cirq.SimulationTrialResult):
        return _simulated(value, form)
    return plain.read_any(value, form, lambda part: _read(part, form, qubits))


def _circuit(value: Any) -> Optional[Any]:
    """Return the circuit that a value represents, or None.

    The value may be a circuit, a container, operations or a gate.
    """
    if isinstance(value, cirq.Gate):
        return cirq.Circuit(value.on(*cirq.LineQubit.range(value.num_qubits())))
    if isinstance(value, (cirq.Operation, cirq.Moment)):
        return cirq.Circuit(value)
    if isinstance(value, (list, tuple)) and value and all(isinstance(v, (cirq.Operation, cirq.Moment)) for v in value):
        return cirq.Circuit(value)
    return plain.the_one(value, cirq.AbstractCircuit, "circuit")


def _read_circuit(circuit: Any, form: str, qubits: Optional[int]) -> Observation:
    if cirq.is_parameterized(circuit):
        names = ", ".join(sorted(cirq.parameter_names(circuit)))
        raise Unreadable("the circuit has unresolved parameters: {}".format(names))
    if any(qubit.dimension != 2 for qubit in circuit.all_qubits()):
        raise Unreadable("the circuit uses qudits; only qubits can be simulated")
    order = sorted(circuit.all_qubits())
    if form != "distribution":
        order = _register(order, qubits)
    if form == "circuit":
        indices = {qubit: i for i, qubit in enumerate(order)}
        return forms.circuit(len(order), cirq_gates.listed(circuit.all_operations(), indices))
    forms.check_size(len(order))
    gates = cirq_gates.count(circuit.all_operations())
    runner = Runner({qubit: axis for axis, qubit in enumerate(order)})
    if form == "distribution":
        return _distribution(circuit, order, runner, gates)
    return observed.evolved(lambda branches: runner.run(circuit.all_operations(), branches), form, len(order), gates)


def _register(present: Sequence[Any], expected: Optional[int]) -> List[Any]:
    if expected is not None:
        line = cirq.LineQubit.range(expected)
        if set(present) <= set(line):
            return list(line)
    forms.check_width(len(present), expected)
    return list(present)


def _distribution(circuit: Any, order: Sequence[Any], runner: Runner, gates: forms.Gates) -> Observation:
    branches = runner.run(circuit.all_operations(), exact.start(len(order)))
    records = runner.in_order(branches)
    slots = [slot for _, record in records for slot in record]
    if not slots:
        slots = list(range(len(order)))
        for axis in slots:
            branches = exact.measure(branches, axis, axis)
    observation = observed.distribution(branches, slots, gates)
    if records:
        observation["registers"] = [[str(key), len(record)] for key, record in records]
    return observation


def _samples(result: Any) -> Observation:
    if not result.records:
        raise Unreadable("returned a result without measurements")
    records = sorted(result.records.items())
    columns = [np.asarray(record).reshape(len(record), -1) for _, record in records]
    rows = np.concatenate(columns, axis=1).astype(int)
    observation = plain.samples("".join(map(str, row)) for row in rows.tolist())
    observation["registers"] = [
        [str(key), bits] for key, record in records for bits in [record.shape[2]] * record.shape[1]
    ]
    return observation


def _simulated(result: Any, form: str) -> Observation:
    """Convert a result of `simulate` to an observation.

    All measurements in the result together form one shot. If the result contains no measurements, the final state is
    used.
    """
    if form == "distribution" and result.measurements:
        bits = np.concatenate([np.asarray(bits).reshape(-1) for bits in result.measurements.values()])
        return plain.samples(["".join(map(str, bits.astype(int).tolist()))])
    if hasattr(result, "final_state_vector"):
        if form == "distribution":
            return plain.state_distribution(result.final_state_vector)
        return plain.read(np.asarray(result.final_state_vector, dtype=complex), form)
    if form == "distribution" and hasattr(result, "final_density_matrix"):
        return plain.read(np.real(np.diag(result.final_density_matrix)).astype(float), form)
    raise Unreadable("returned {}; a cirq.Circuit was expected".format(forms.a(result)))
