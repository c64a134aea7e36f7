"""Helpers for the renderers: angles, indentation, and functions that return a separate circuit for each call."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from repair_bench.suites.conventions.circuit import Circuit
from repair_bench.suites.inputs import parameter_names

INDENT = "    "
_MAX_DENOMINATOR = 128


def angle(radians: float) -> str:
    """Return an angle as source code: `3 * np.pi / 4` for a simple fraction of pi, otherwise a decimal number."""
    part = Fraction(radians / math.pi).limit_denominator(_MAX_DENOMINATOR)
    if abs(float(part) * math.pi - radians) > 1e-12 or part == 0:
        return repr(float(radians))
    sign = "-" if part < 0 else ""
    above = "np.pi" if abs(part.numerator) == 1 else f"{abs(part.numerator)} * np.pi"
    return f"{sign}{above}" if part.denominator == 1 else f"{sign}{above} / {part.denominator}"


def function(
    entry_point: str, parameters: str, calls: Sequence[tuple[tuple[Any, ...], Circuit]], body: Callable[[Circuit], str]
) -> str:
    """Return the source code of the function `entry_point`, which takes the arguments of a call and returns the circuit
    for this call.

    `body` returns the source code of a circuit.
    """
    head = f"def {entry_point}({parameters}):\n"
    if not parameters:
        return head + indented(body(calls[0][1]), 1)
    names = parameter_names(parameters)
    lines = []
    for args, circuit in calls:
        conditions = [f"{name} == {value!r}" for name, value in zip(names, args, strict=True)]
        lines.append(f"{INDENT}if {' and '.join(conditions)}:\n" + indented(body(circuit), 2))
    return head + "".join(lines) + f'{INDENT}raise ValueError("not one of the requested inputs")\n'


def indented(lines: str, levels: int) -> str:
    return "".join(f"{INDENT * levels}{line}\n" if line else "\n" for line in lines.splitlines())
