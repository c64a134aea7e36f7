"""The arguments of a call as input declarations of an OpenQASM 3 program.

A float is declared as `float`, an int as `int`, and a list of floats or ints as `array[float, n]` or `array[int, n]`. A
string of zeros and ones is declared as `bit[n]`; bit i is character i. Arguments of other types are not supported. A
list or string that is passed for a parameter must have the same length in every call. In an OpenQASM 3 literal such as
"011", bit 0 is the last character. To avoid this reversed order, prompts show a string of zeros and ones as a list of
bits.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from repair_bench.syntax_tree import parsed

TAKEN = frozenset(
    {
        *("p", "x", "y", "z", "h", "s", "sdg", "t", "tdg", "sx", "rx", "ry", "rz", "cx", "cy", "cz", "cp", "ch", "cu"),
        *("crx", "cry", "crz", "swap", "ccx", "cswap", "phase", "cphase", "id", "u1", "u2", "u3", "pi", "tau", "euler"),
        *("angle", "array", "bit", "bool", "box", "const", "def", "duration", "end", "float", "for", "gate", "if"),
        *("in", "input", "int", "let", "measure", "output", "qubit", "reset", "return", "switch", "uint", "while"),
    }
)
"""Names that cannot be declared in a program with the standard gates."""


class Inexpressible(Exception):  # noqa: N818 - an expected case, for which the task file gives a reason
    """Raised for arguments that cannot be expressed as inputs; the message states the reason."""


def names(parameters: str) -> list[str]:
    """Return the names of the inputs.

    An underscore is appended to a name that programs cannot declare; for example, `h` becomes `h_`.
    """
    return [f"{name}_" if name in TAKEN else name for name in parameter_names(parameters)]


def declared(parameters: str, args: Sequence[Sequence[Any]]) -> list[str]:
    """Return one declaration per argument. `args`: the arguments of each call. Raises `Inexpressible`."""
    columns = list(zip(*args, strict=True))
    lines = []
    for name, own, column in zip(parameter_names(parameters), names(parameters), columns, strict=True):
        lines.append(f"input {_kind(name, column)} {own};" + (f"  // {name}" if own != name else ""))
    return lines


class Text(NamedTuple):
    """A string argument, declared as a bit register.

    `name`: the argument's name in the problem. `own`: the argument's name in the program.
    """

    name: str
    own: str
    size: int


def texts(parameters: str, args: Sequence[Sequence[Any]]) -> list[Text]:
    """Return the arguments that are strings of zeros and ones. `args`: the arguments of each call."""
    columns = zip(*args, strict=True)
    named = zip(parameter_names(parameters), names(parameters), columns, strict=True)
    return [Text(name, own, len(column[0])) for name, own, column in named if isinstance(column[0], str)]


def written(value: Any) -> str:
    """Return an argument as JSON text for a prompt. A string of zeros and ones becomes a list of bits, bit 0 first."""
    return json.dumps([int(character) for character in value] if isinstance(value, str) else value)


def setup(parameters: str) -> str:
    """Return source code that defines `inputs`, which maps input names to arguments (`executors.program.Call`)."""
    own = names(parameters)
    return f"def inputs(*given):\n    return [dict(zip({own!r}, given))]\n" if own else ""


def parameter_names(parameters: str) -> list[str]:
    """Return the names of the parameters in the text of a signature."""
    (function,) = parsed(f"def function({parameters}): ...").body
    assert isinstance(function, ast.FunctionDef)
    return [argument.arg for argument in function.args.args]


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
    raise Inexpressible(f"OpenQASM 3 has no input type for {name}")


def _number(values: Sequence[Any]) -> str | None:
    kinds = {type(value) for value in values}
    return "int" if kinds == {int} else "float" if kinds <= {int, float} else None
