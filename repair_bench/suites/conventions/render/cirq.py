"""Circuits in Cirq."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from repair_bench.suites.conventions.circuit import Circuit, Gate
from repair_bench.suites.conventions.family import Family
from repair_bench.suites.conventions.render.text import INDENT, angle, function

_CONTROLLED = {("x", 1): "cirq.CNOT", ("z", 1): "cirq.CZ", ("swap", 1): "cirq.CSWAP", ("x", 2): "cirq.TOFFOLI"}


def program(family: Family, calls: Sequence[tuple[tuple[Any, ...], Circuit]]) -> str:
    text = function(family.entry_point, family.parameters, calls, _body)
    imports = ["import cirq"] + (["import numpy as np"] if "np." in text else [])
    imports += ["import sympy"] if "sympy." in text else []
    return "\n".join([*imports, "", "", text])


def _body(circuit: Circuit) -> str:
    waited = {bit for step in circuit.steps if isinstance(step, Gate) for bit, _ in step.conditions}
    lines = [f"q = cirq.LineQubit.range({circuit.qubits})", "circuit = cirq.Circuit("]
    for step in circuit.steps:
        if isinstance(step, Gate):
            lines.append(f"{INDENT}{_gate(step)},")
        elif step.bit in waited:
            lines.append(f"{INDENT}cirq.measure(q[{step.qubit}], key='m{step.bit}'),")
    if not any(isinstance(step, Gate) and not step.conditions for step in circuit.steps) and not circuit.measured:
        lines.append(f"{INDENT}[cirq.I(qubit) for qubit in q],")
    if circuit.measured:
        # equivalent because a measured qubit is only used as a control
        lines.append(f"{INDENT}cirq.measure({', '.join(f'q[{qubit}]' for qubit in circuit.measured)}, key='result'),")
    return "\n".join([*lines, ")", "return circuit"])


def _gate(gate: Gate) -> str:
    controls = [qubit for qubit, _ in gate.controls]
    own = ", ".join(f"q[{qubit}]" for qubit in gate.qubits)
    plain = all(value == 1 for _, value in gate.controls)
    if controls and plain and (gate.name, len(controls)) in _CONTROLLED:
        made = f"{_CONTROLLED[gate.name, len(controls)]}({', '.join(f'q[{qubit}]' for qubit in controls)}, {own})"
    else:
        made = f"{_operation(gate)}({own})"
        if controls:
            values = "" if plain else f", control_values={[value for _, value in gate.controls]}"
            made += f".controlled_by({', '.join(f'q[{qubit}]' for qubit in controls)}{values})"
    for bit, value in gate.conditions:
        condition = f"'m{bit}'" if value else f"sympy.Eq(sympy.Symbol('m{bit}'), 0)"
        made += f".with_classical_controls({condition})"
    return made


def _operation(gate: Gate) -> str:
    if gate.angle is None:
        name = f"cirq.{gate.name.removesuffix('dg').upper()}"
        return f"({name}**-1)" if gate.name.endswith("dg") else name
    if gate.name == "p":
        return f"cirq.ZPowGate(exponent=({angle(gate.angle)}) / np.pi)"
    return f"cirq.{gate.name}({angle(gate.angle)})"
