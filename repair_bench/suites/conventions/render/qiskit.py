"""Circuits in Qiskit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from repair_bench.frameworks import FRAMEWORKS
from repair_bench.suites.conventions.circuit import Circuit, Gate, Measure, Step
from repair_bench.suites.conventions.family import Family
from repair_bench.suites.conventions.render.text import INDENT, angle, function

_CLASSES = {name: f"{name.capitalize()}Gate" for name in ("x", "y", "z", "h", "s", "sdg", "t", "tdg", "swap")}
_CLASSES |= {"p": "PhaseGate", "rx": "RXGate", "ry": "RYGate", "rz": "RZGate"}


def program(family: Family, calls: Sequence[tuple[tuple[Any, ...], Circuit]]) -> str:
    text = function(family.entry_point, family.parameters, calls, _body)
    classes = sorted({name for name in _CLASSES.values() if f"{name}(" in text})
    imports = ["import numpy as np"] if "np." in text else []
    imports.append("from qiskit import QuantumCircuit")
    imports += [f"from qiskit.circuit.library import {', '.join(classes)}"] if classes else []
    return "\n".join([*imports, "", "", text])


def _body(circuit: Circuit) -> str:
    size = f"{circuit.qubits}, {len(circuit.measured)}" if circuit.measured else str(circuit.qubits)
    return "\n".join(
        [f"qc = QuantumCircuit({size})", *(line for step in circuit.steps for line in _step(step)), "return qc"]
    )


def _step(step: Step) -> list[str]:
    if isinstance(step, Measure):
        return [f"qc.measure({step.qubit}, {step.bit})"]
    line = _gate(step)
    lines = []
    for depth, (bit, value) in enumerate(step.conditions):
        lines.append(f"{INDENT * depth}with qc.if_test((qc.clbits[{bit}], {value})):")
    return [*lines, f"{INDENT * len(step.conditions)}{line}"]


def _gate(gate: Gate) -> str:
    angles = [] if gate.angle is None else [angle(gate.angle)]
    controls = [qubit for qubit, _ in gate.controls]
    qubits = [*controls, *gate.qubits]
    name = FRAMEWORKS["qiskit"].usual_name("c" * len(controls) + gate.name)
    # the first control is the last character of the state
    state = "".join(str(value) for _, value in reversed(gate.controls))
    if name is not None and "0" not in state:
        return f"qc.{name}({', '.join([*angles, *map(str, qubits)])})"
    made = f"{_CLASSES[gate.name]}({', '.join(angles)}).control({len(controls)}, ctrl_state={state!r})"
    return f"qc.append({made}, {qubits})"
