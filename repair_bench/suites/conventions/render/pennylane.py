"""Circuits in PennyLane."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from repair_bench.frameworks import FRAMEWORKS
from repair_bench.suites.conventions.circuit import Circuit, Gate
from repair_bench.suites.conventions.family import Family
from repair_bench.suites.conventions.render.text import angle, function, indented


def program(family: Family, calls: Sequence[tuple[tuple[Any, ...], Circuit]]) -> str:
    text = function(family.entry_point, family.parameters, calls, partial(_body, family.kind, bool(family.parameters)))
    imports = (["import numpy as np"] if "np." in text else []) + ["import pennylane as qml"]
    return "\n".join([*imports, "", "", text])


def _body(kind: str, branch: bool, circuit: Circuit) -> str:
    waits = any(isinstance(step, Gate) and step.conditions for step in circuit.steps)
    lines = []
    for step in circuit.steps:
        if isinstance(step, Gate):
            lines.append(_gate(step))
        elif waits:
            lines.append(f"m{step.bit} = qml.measure(wires={step.qubit})")
    if kind == "unitary":
        return "\n".join([*lines, *(["return None"] if branch or not lines else [])])
    if kind == "state":
        result = "qml.state()"
    elif waits:
        result = f"qml.probs(op=[{', '.join(f'm{bit}' for bit in range(len(circuit.measured)))}])"
    else:
        result = f"qml.probs(wires={list(circuit.measured)})"
    inner = indented("\n".join([*lines, f"return {result}"]), 1)
    # deferred measurements need additional wires, so the device determines their number
    wires = "" if waits else f", wires={circuit.qubits}"
    head = f'dev = qml.device("default.qubit"{wires})\n\n@qml.qnode(dev)\ndef circuit():\n'
    return f"{head}{inner}\nreturn circuit()"


def _gate(gate: Gate) -> str:
    if not gate.conditions:
        return _operation(gate)
    condition = " & ".join(f"m{bit}" if value else f"~m{bit}" for bit, value in gate.conditions)
    operation = _operation(gate)
    if gate.controls or gate.name.endswith("dg"):
        return f"qml.cond({condition}, lambda: {operation})()"
    name, _, given = operation.partition("(")
    return f"qml.cond({condition}, {name})({given}"


def _operation(gate: Gate) -> str:
    angles = "" if gate.angle is None else f"{angle(gate.angle)}, "
    controls = [qubit for qubit, _ in gate.controls]
    values = [value for _, value in gate.controls]
    name = FRAMEWORKS["pennylane"].usual_name("c" * len(controls) + gate.name)
    if controls and all(values) and name is not None:
        return f"qml.{name}({angles}wires={[*controls, *gate.qubits]})"
    plain = gate.name.removesuffix("dg")
    name = f"Pauli{plain.upper()}" if plain in "xyz" else FRAMEWORKS["pennylane"].usual_name(plain)
    wires = gate.qubits[0] if len(gate.qubits) == 1 else list(gate.qubits)
    made = f"qml.{name}({angles}wires={wires})"
    if gate.name.endswith("dg"):
        made = f"qml.adjoint({made})"
    if not controls:
        return made
    zeros = "" if all(values) else f", control_values={values}"
    return f"qml.ctrl({made}, control={controls}{zeros})"
