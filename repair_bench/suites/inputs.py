"""The arguments of a call as the inputs of a program that is no function, declared as OpenQASM 3 does.

A float is `float`, an int `int`, a list of them of one length `array[float, n]` or `array[int, n]`, a text of 0 and 1
of one length `bit[n]`, whose bit i is its character i. Anything else, and what has another length in another call, is
no input. A bit literal of the language has bit 0 last, so a text is never shown as one: its bits are listed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

TAKEN = frozenset(
    {
        *("p", "x", "y", "z", "h", "s", "sdg", "t", "tdg", "sx", "rx", "ry", "rz", "cx", "cy", "cz", "cp", "ch", "cu"),
        *("crx", "cry", "crz", "swap", "ccx", "cswap", "phase", "cphase", "id", "u1", "u2", "u3", "pi", "tau", "euler"),
        *("angle", "array", "bit", "bool", "box", "const", "def", "duration", "end", "float", "for", "gate", "if"),
        *("in", "input", "int", "let", "measure", "output", "qubit", "reset", "return", "switch", "uint", "while"),
    }
)
"""What a name may not be in a program with the standard gates."""


class Inexpressible(Exception):  # noqa: N818 - an answer, which the task file gives a reason for
    """What cannot be an input, in words."""


def names(parameters: str) -> list[str]:
    """The names in a signature: `["alpha", "h_"]` for `alpha: float, h: float`, since h is the name of a gate."""
    return [f"{name}_" if name in TAKEN else name for name in _names(parameters)]


def declared(parameters: str, args: Sequence[Sequence[Any]]) -> list[str]:
    """The declarations, one an argument. `args`: the arguments of each call. Raises `Inexpressible`."""
    columns = list(zip(*args, strict=True))
    lines = []
    for name, own, column in zip(_names(parameters), names(parameters), columns, strict=True):
        lines.append(f"input {_kind(name, column)} {own};" + (f"  // {name}" if own != name else ""))
    return lines


class Text(NamedTuple):
    """A text that comes as a register of bits."""

    name: str
    """In the problem."""
    own: str
    """In the program."""
    size: int


def texts(parameters: str, args: Sequence[Sequence[Any]]) -> list[Text]:
    """The arguments that are texts of 0 and 1. `args`: the arguments of each call."""
    columns = zip(*args, strict=True)
    named = zip(_names(parameters), names(parameters), columns, strict=True)
    return [Text(name, own, len(column[0])) for name, own, column in named if isinstance(column[0], str)]


def written(value: Any) -> str:
    """A value as a model is shown it: a list begins with its item 0, and so do the bits of a text."""
    return json.dumps([int(character) for character in value] if isinstance(value, str) else value)


def setup(parameters: str) -> str:
    """Source whose `inputs` gives a program its arguments by name (`executors.program.Call`)."""
    own = names(parameters)
    return f"def inputs(*given):\n    return [dict(zip({own!r}, given))]\n" if own else ""


def _names(parameters: str) -> list[str]:
    return [part.partition(":")[0].partition("=")[0].strip() for part in _parts(parameters)]


def _parts(parameters: str) -> list[str]:
    """Split at the commas between parameters, not at those within brackets."""
    parts, depth = [""], 0
    for sign in parameters:
        depth += (sign in "[(") - (sign in "])")
        if sign == "," and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return [part for part in parts if part.strip()]


def _kind(name: str, column: Sequence[Any]) -> str:
    if (number := _number(column)) is not None:
        return number
    size = len(column[0]) if isinstance(column[0], str | list) else 0
    if size and all(isinstance(value, str) and len(value) == size and set(value) <= {"0", "1"} for value in column):
        return f"bit[{size}]"
    if size and all(isinstance(value, list) and len(value) == size for value in column):
        number = _number([item for value in column for item in value])
    if number is not None:
        return f"array[{number}, {size}]"
    raise Inexpressible(f"{name} has no type that OpenQASM 3 programs can be given")


def _number(values: Sequence[Any]) -> str | None:
    kinds = {type(value) for value in values}
    return "int" if kinds == {int} else "float" if kinds <= {int, float} else None
