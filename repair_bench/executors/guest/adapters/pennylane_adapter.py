"""Convert the value that a PennyLane candidate returns to an observation (see `forms`).

Wires are in PennyLane's order. The first wire is the first character of a key, and the most significant bit of a state
or matrix index. A candidate may return a QNode, a QNode's result or a quantum tape. The candidate's entry point may
also be a quantum function itself. If a candidate returns the samples or counts of an executed circuit unchanged, the
observation contains the exact distribution of the circuit instead, and `shots` is None. A value that is computed from
samples is treated as samples.
"""

from __future__ import annotations

import inspect
from typing import Any, Callable, Deque, List, Optional, Tuple

import pennylane as qml
from pennylane.measurements import MeasurementProcess
from pennylane.operation import Operator
from pennylane.queuing import AnnotatedQueue
from pennylane.tape import QuantumScript

from . import forms, pennylane_gates, pennylane_measure, plain
from .forms import Observation, Unreadable
from .pennylane_record import Circuit, Execution, circuit_of, recorded

PRELOAD: Tuple[str, ...] = ("numpy", "pennylane", "pennylane.devices.default_qubit")

Executions = Deque[Execution]


def observe(call: Callable[[], Any], form: str, qubits: Optional[int] = None) -> Observation:
    """Observe an entry point. A quantum function is called a second time to record its gates.

    `qubits`: the number of wires (0, 1, ...) to include, or None for the wires in use.
    """
    with recorded() as executions:
        value = call()
    if _is_quantum(value) and not (value is None and executions):
        return forms.observed(value, lambda value: _read_function(call, value, form, qubits))
    return forms.observed(value, lambda value: _read(value, form, qubits, executions))


def _read(value: Any, form: str, qubits: Optional[int], executions: Executions) -> Observation:
    if value is None:
        raise Unreadable("returned None; the result of the circuit was expected")
    circuit = _circuit(value)
    if circuit is not None:
        return _read_circuit(circuit, form, qubits)
    for execution in reversed(executions):
        circuit = execution.returned(value)
        if circuit is not None:
            return _read_circuit(circuit, form, qubits)
    last = executions[-1] if executions else None
    return plain.read_any(
        value,
        form,
        lambda part: _read(part, form, qubits, executions),
        shots=last.shots if last else None,
        gates=pennylane_gates.count(last.tape.operations) if last else None,
    )


def _read_function(call: Callable[[], Any], value: Any, form: str, qubits: Optional[int]) -> Observation:
    circuit = _queued(call)
    if value is None and not circuit.tape.operations and form != "unitary":
        raise Unreadable("returned None and applied no gate; the result of the circuit was expected")
    return _read_circuit(circuit, form, qubits)


def _read_circuit(circuit: Circuit, form: str, qubits: Optional[int]) -> Observation:
    if circuit.tape.batch_size is not None:
        raise Unreadable("the circuit has a batch of parameters; one circuit was expected")
    if form == "distribution":
        return pennylane_measure.distribution(circuit)
    return pennylane_measure.evolved(circuit, form, qubits)


def _circuit(value: Any) -> Optional[Circuit]:
    """Return the circuit that a value represents or contains; None if the value is a result."""
    value_or_none = plain.the_one(value, (qml.QNode, QuantumScript), "circuit")
    if isinstance(value_or_none, QuantumScript):
        return Circuit(value_or_none, list(value_or_none.measurements))
    if value_or_none is not None:
        _check_no_arguments(value_or_none.func)
        return circuit_of(value_or_none, value_or_none.construct((), {}))
    if inspect.isroutine(value):
        _check_no_arguments(value)
        return _queued(value)
    return None


def _check_no_arguments(function: Any) -> None:
    needed = [p.name for p in inspect.signature(function).parameters.values() if p.default is p.empty and p.kind < 2]
    if needed:
        problem = "returned a circuit that still takes arguments ({}); the result of the circuit was expected"
        raise Unreadable(problem.format(", ".join(needed)))


def _is_quantum(value: Any) -> bool:
    """Whether a value can be the result of a quantum function that is called outside a QNode.

    A quantum function returns None, measurements or operators.
    """
    if value is None or isinstance(value, (MeasurementProcess, Operator)):
        return True
    parts = plain.parts(value)
    return bool(parts) and all(isinstance(part, (MeasurementProcess, Operator)) for part in parts)


def _queued(call: Callable[[], Any]) -> Circuit:
    with AnnotatedQueue() as queue:
        value = call()
    tape = QuantumScript.from_queue(queue)
    returned: List[Any] = [value] if isinstance(value, MeasurementProcess) else plain.parts(value)
    return Circuit(tape, [mp for mp in returned if isinstance(mp, MeasurementProcess)])
