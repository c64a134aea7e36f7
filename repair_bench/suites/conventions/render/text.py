"""What the renderers share: angles, and a function that has a circuit for each of its calls."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from repair_bench.suites.conventions.circuit import Circuit

INDENT = "    "
_LARGEST_DENOMINATOR = 128


def angle(radians: float) -> str:
    """An angle as a program writes it: `3 * np.pi / 4`, or a number where it is no simple part of pi."""
    part = Fraction(radians / math.pi).limit_denominator(_LARGEST_DENOMINATOR)
    if abs(float(part) * math.pi - radians) > 1e-12 or part == 0:
        return repr(float(radians))
    sign = "-" if part < 0 else ""
    above = "np.pi" if abs(part.numerator) == 1 else f"{abs(part.numerator)} * np.pi"
    return f"{sign}{above}" if part.denominator == 1 else f"{sign}{above} / {part.denominator}"


def function(
    entry_point: str, parameters: str, calls: Sequence[tuple[tuple[Any, ...], Circuit]], body: Callable[[Circuit], str]
) -> str:
    """A function that for the arguments of each call does what `body` makes of its circuit, lines without indent."""
    head = f"def {entry_point}({parameters}):\n"
    if not parameters:
        return head + indented(body(calls[0][1]), 1)
    names = [name.split(":")[0].split("=")[0].strip() for name in parameters.split(",")]
    lines = []
    for args, circuit in calls:
        told = [f"{name} == {value!r}" for name, value in zip(names, args, strict=True)]
        lines.append(f"{INDENT}if {' and '.join(told)}:\n" + indented(body(circuit), 2))
    return head + "".join(lines) + f'{INDENT}raise ValueError("not one of the inputs that were asked for")\n'


def indented(lines: str, levels: int) -> str:
    """Lines of source, so many levels in."""
    return "".join(f"{INDENT * levels}{line}\n" if line else "\n" for line in lines.splitlines())
