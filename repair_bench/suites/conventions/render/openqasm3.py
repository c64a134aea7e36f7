"""Circuits in OpenQASM 3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from repair_bench.frameworks import FRAMEWORKS
from repair_bench.suites import inputs
from repair_bench.suites.conventions.circuit import Circuit, Gate, Measure, Step
from repair_bench.suites.conventions.family import Family
from repair_bench.suites.conventions.render.text import angle, indented


def program(family: Family, calls: Sequence[tuple[tuple[Any, ...], Circuit]]) -> str:
    circuits = [circuit for _, circuit in calls]
    declared = inputs.declared(family.parameters, [args for args, _ in calls])
    bits = len(circuits[0].measured)
    head = [
        "OPENQASM 3.0;",
        'include "stdgates.inc";',
        *declared,
        f"qubit[{max(circuit.qubits for circuit in circuits)}] q;",
        *([f"bit[{bits}] result;"] if bits else []),
    ]
    body = ["\n".join(map(_step, circuit.steps)) for circuit in circuits]
    if declared:
        names = inputs.names(family.parameters)
        body = [
            f"if ({_is_called(names, args)}) {{\n{indented(lines, 1)}}}"
            for (args, _), lines in zip(calls, body, strict=True)
        ]
    return "\n".join([*head, "", *body, ""])


def _is_called(names: Sequence[str], args: Sequence[Any]) -> str:
    conditions = []
    for name, value in zip(names, args, strict=True):
        if isinstance(value, list):
            conditions += [f"{name}[{place}] == {item!r}" for place, item in enumerate(value)]
        else:  # bit 0, the first character of a string, is the last character of a literal
            conditions.append(f'{name} == "{value[::-1]}"' if isinstance(value, str) else f"{name} == {value!r}")
    return " && ".join(conditions)


def _step(step: Step) -> str:
    if isinstance(step, Measure):
        return f"result[{step.bit}] = measure q[{step.qubit}];"
    line = _gate(step)
    if not step.conditions:
        return line
    condition = " && ".join(f"result[{bit}] == {value}" for bit, value in step.conditions)
    return f"if ({condition}) {{ {line} }}"


def _gate(gate: Gate) -> str:
    angles = "" if gate.angle is None else f"({angle(gate.angle).replace('np.pi', 'pi')})"
    qubits = ", ".join(f"q[{qubit}]" for qubit in (*(qubit for qubit, _ in gate.controls), *gate.qubits))
    values = [value for _, value in gate.controls]
    name = FRAMEWORKS["openqasm3"].usual_name("c" * len(values) + gate.name)
    if name is None or not all(values):
        name = "".join("ctrl @ " if value else "negctrl @ " for value in values) + gate.name
    return f"{name}{angles} {qubits};"
