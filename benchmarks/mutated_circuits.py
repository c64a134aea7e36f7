"""Incorrect circuits made from correct ones. Each method of `Circuits` is one change, named after its result."""

# ruff: noqa: SLF001 - some of these circuits cannot be made in another way

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
from qiskit import ClassicalRegister, QuantumCircuit, QuantumRegister
from qiskit.circuit import ControlledGate, Gate, Instruction
from qiskit.circuit.library import UnitaryGate, XGate, ZGate

HUGE = 1.7e308


class Circuits:
    def __init__(self, choose: random.Random) -> None:
        self._choose = choose

    def without_a_gate(self, circuit: Any) -> Any:
        del circuit.data[self._choose.randrange(len(circuit.data))]
        return circuit

    def without_any_gate(self, circuit: Any) -> Any:
        circuit.data = []
        return circuit

    def with_a_gate(self, circuit: Any) -> Any:
        place = self._choose.randrange(len(circuit.data) + 1)
        return self._inserted(circuit, place, self._gate())

    def with_a_gate_at_its_end(self, circuit: Any) -> Any:
        return self._inserted(circuit, len(circuit.data), self._gate())

    def with_a_gate_in_front(self, circuit: Any) -> Any:
        return self._inserted(circuit, 0, self._gate())

    def with_one_gate_twice(self, circuit: Any) -> Any:
        circuit.data.append(self._choose.choice(list(circuit.data)))
        return circuit

    def with_two_gates_swapped(self, circuit: Any) -> Any:
        one, other = (self._choose.randrange(len(circuit.data)) for _ in range(2))
        steps = list(circuit.data)
        steps[one], steps[other] = steps[other], steps[one]
        circuit.data = steps
        return circuit

    def with_another_angle(self, circuit: Any) -> Any:
        places = [place for place, one in enumerate(circuit.data) if one.params]
        place = self._choose.choice(places)
        operation = circuit.data[place].operation.to_mutable()
        number = self._choose.randrange(len(operation.params))
        delta = self._choose.choice([0.1, math.pi, math.pi / 2, -2 * operation.params[number], 1e-3, math.nan, 1e200])
        operation.params[number] += delta
        circuit.data[place] = circuit.data[place].replace(operation=operation, params=operation.params)
        return circuit

    def on_other_qubits(self, circuit: Any) -> Any:
        place = self._choose.randrange(len(circuit.data))
        one = circuit.data[place]
        circuit.data[place] = one.replace(qubits=self._choose.sample(circuit.qubits, len(one.qubits)))
        return circuit

    def with_its_qubits_reversed(self, circuit: Any) -> Any:
        return circuit.reverse_bits()

    def with_its_order_reversed(self, circuit: Any) -> Any:
        circuit.data = list(circuit.data)[::-1]
        return circuit

    def inverted(self, circuit: Any) -> Any:
        return circuit.inverse()

    def of_another_phase(self, circuit: Any) -> Any:
        circuit.global_phase += self._choose.choice([0.3, math.pi, math.nan, math.inf, 1e200])
        return circuit

    def with_a_qubit_more(self, circuit: Any) -> Any:
        circuit.add_register(QuantumRegister(1, "more"))
        return circuit

    def with_a_bit_more(self, circuit: Any) -> Any:
        circuit.add_register(ClassicalRegister(1, "bits"))
        return circuit

    def with_other_registers(self, circuit: Any) -> Any:
        found = QuantumCircuit(
            QuantumRegister(circuit.num_qubits, "other"),
            *([ClassicalRegister(circuit.num_clbits, "c9")] if circuit.num_clbits else []),
        )
        return found.compose(circuit, found.qubits, found.clbits)

    def measured(self, circuit: Any) -> Any:
        circuit.measure_all()
        return circuit

    def with_a_reset(self, circuit: Any) -> Any:
        circuit.reset(self._choose.choice(circuit.qubits))
        return circuit

    def without_measurements(self, circuit: Any) -> Any:
        circuit.data = [one for one in circuit.data if one.operation.name != "measure"]
        return circuit

    def with_its_bits_reversed(self, circuit: Any) -> Any:
        last = dict(zip(circuit.clbits, reversed(circuit.clbits), strict=True))
        circuit.data = [one.replace(clbits=[last[bit] for bit in one.clbits]) for one in circuit.data]
        return circuit

    def of_a_matrix_not_unitary(self, circuit: Any) -> Any:
        matrix = np.diag([1, self._choose.choice([0, 1 + 1e-4, 1 - 1e-6, HUGE])]).astype(complex)
        gate = UnitaryGate(matrix, check_input=False)
        return self._inserted(circuit, self._choose.randrange(len(circuit.data) + 1), gate)

    def many_times_nearly_unitary(self, circuit: Any) -> Any:
        gate = UnitaryGate(np.diag([1, 1 - 1e-6]).astype(complex), check_input=False)
        for _ in range(1100):
            circuit.append(gate, [0], copy=False)
        return circuit

    def of_an_instruction_without_a_class(self, circuit: Any) -> Any:
        """An instruction that simulators apply by name and that prepares one or a few basis states."""
        amplitudes = np.zeros(2 ** min(circuit.num_qubits, 10))
        amplitudes[self._choose.randrange(len(amplitudes))] = 1
        name = self._choose.choice(
            ["diagonal", "set_statevector", "initialize", "unitary", "superop", "kraus", "multiplexer"]
        )
        shape = self._choose.choice(
            [amplitudes.tolist(), [amplitudes.astype(complex)], [tuple(amplitudes)], [np.diag(amplitudes)]]
        )
        kind = self._choose.choice([Instruction, Gate])
        gate = (
            Instruction(name, circuit.num_qubits, 0, []) if kind is Instruction else Gate(name, circuit.num_qubits, [])
        )
        gate._params = list(shape)
        if self._choose.random() < 0.3:
            gate.definition = QuantumCircuit(circuit.num_qubits)
        circuit._append(gate, circuit.qubits, [])
        return circuit

    def of_a_gate_by_its_name_alone(self, circuit: Any) -> Any:
        gate = Gate(self._choose.choice(["h", "x", "z", "cx", "reset", "oracle"]), 1, [])
        return self._inserted(circuit, len(circuit.data), gate)

    def under_another_name(self, circuit: Any) -> Any:
        """The whole circuit as one gate with the name of another gate."""
        return as_one(circuit, self._choose.choice(["x", "h", "cx", "u", "t", "barrier", "measure", "cz", "swap"]))

    def two_faced(self, circuit: Any) -> Any:
        """A gate that claims to control another operation than it does."""
        other = QuantumCircuit(2)
        other.h(0)
        gate = ControlledGate("cx", 2, [], num_ctrl_qubits=1, definition=other, base_gate=ZGate())
        return self._inserted(circuit, len(circuit.data), gate)

    def of_a_named_gate_that_does_nothing(self, circuit: Any) -> Any:
        gate = Gate(self._choose.choice(["x", "h", "z", "s"]), 1, [])
        gate.definition = QuantumCircuit(1)
        places = [place for place, one in enumerate(circuit.data) if one.operation.num_qubits == 1]
        place = self._choose.choice(places)
        circuit.data[place] = circuit.data[place].replace(operation=gate)
        return circuit

    def with_annotations_and_labels(self, circuit: Any) -> Any:
        circuit.name, circuit.metadata = "other", {"shots": 0}
        return self._inserted(circuit, len(circuit.data), XGate(label="id"))

    def mixed(self, circuit: Any) -> Any:
        """A trace-preserving noise channel on one qubit."""
        gate = Instruction("kraus", 1, 0, [np.eye(2) * 0.5**0.5 + 0j, np.array([[0, 1], [1, 0]]) * 0.5**0.5 + 0j])
        return self._inserted(circuit, len(circuit.data), gate)

    def _gate(self) -> Any:
        made = QuantumCircuit(3)
        for name in ("x", "z", "h", "s", "t", "y"):
            getattr(made, name)(0)
        made.rx(0.1, 0)
        made.rz(0.1, 0)
        made.cx(0, 1)
        made.cz(0, 1)
        made.swap(0, 1)
        made.ccx(0, 1, 2)
        return self._choose.choice(list(made.data)).operation

    def _inserted(self, circuit: Any, place: int, gate: Any) -> Any:
        one = QuantumCircuit(circuit.qubits)
        one.append(gate, self._choose.sample(circuit.qubits, gate.num_qubits), copy=False)
        steps = list(circuit.data)
        circuit.data = [*steps[:place], one.data[0], *steps[place:]]
        return circuit


def as_one(circuit: Any, name: str = "whole") -> Any:
    """Return the whole circuit as one instruction with this name."""
    made = circuit.copy_empty_like()
    operation = circuit.to_instruction()
    operation.name = name
    made.append(operation, circuit.qubits, circuit.clbits)
    return made
