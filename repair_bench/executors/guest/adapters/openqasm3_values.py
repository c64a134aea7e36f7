"""Classical values of OpenQASM 3: what operators and functions make of them, and what a type makes of a value.

Integers are Python's, of at most 256 bits; `int` and `uint` of a size wrap around at it. An angle is a number of
radians, not reduced modulo 2 pi. `Word`: bits as a whole number, bit 0 the least significant, of a known width.
"""

from __future__ import annotations

import math
import operator
from typing import Any, Callable, Dict, List, Optional, Tuple

from . import forms
from .openqasm3_errors import Refused

MAX_INTEGER_BITS = 256
CONSTANTS = {
    "pi": math.pi,
    "\u03c0": math.pi,
    "tau": math.tau,
    "\u03c4": math.tau,
    "euler": math.e,
    "\u2107": math.e,
}


class Word(int):
    """Bits as a number."""

    width: int

    def __new__(cls, value: int, width: int) -> Word:  # noqa: PYI034 - Self is younger than Python 3.8
        made = super().__new__(cls, value & ((1 << width) - 1))
        made.width = width
        return made


def checked(value: Any) -> Any:
    """The value itself. Raises `Refused` for one that is too large, or no number."""
    if isinstance(value, int):
        if value.bit_length() > MAX_INTEGER_BITS:
            raise Refused("an integer of more than {} bits is too large".format(MAX_INTEGER_BITS))
    elif isinstance(value, complex) or (isinstance(value, float) and not math.isfinite(value)):
        raise Refused("the result is not a finite real number")
    return value


def number(value: Any) -> Any:
    """The value as an operand. Raises `Refused` for what is no number."""
    if not isinstance(value, (int, float)):
        raise Refused("{} cannot be calculated with".format(described(value)))
    return value


def whole(value: Any) -> int:
    if isinstance(value, float) or not isinstance(value, int):
        raise Refused("a whole number is needed, not {}".format(described(value)))
    return int(value)


def described(value: Any) -> str:
    if isinstance(value, list):
        return "an array"
    return repr(int(value) if isinstance(value, Word) else value)


def binary(name: str, left: Any, right: Any) -> Any:
    """`left name right`. Raises `Refused`."""
    left, right = number(left), number(right)
    if name in _COMPARISONS:
        return _COMPARISONS[name](left, right)
    if name in _BITWISE:
        value = _BITWISE[name](whole(left), whole(right))
        widths = [side.width for side in (left, right) if isinstance(side, Word)]
        return Word(value, max(widths)) if widths else value
    if name in ("<<", ">>"):
        places = whole(right)
        if not 0 <= places <= MAX_INTEGER_BITS:
            raise Refused("cannot shift by {} places".format(places))
        value = whole(left) << places if name == "<<" else whole(left) >> places
        return Word(value, left.width) if isinstance(left, Word) else checked(value)
    if name not in _ARITHMETIC:
        raise Refused("the operator {} is not supported".format(name))
    try:
        return checked(_ARITHMETIC[name](_plain(left), _plain(right)))
    except ZeroDivisionError:
        raise Refused("division by zero") from None
    except OverflowError:
        raise Refused("the result is too large") from None


def unary(name: str, value: Any) -> Any:
    if name == "!":
        return not number(value)
    if name == "~":
        return Word(~whole(value), value.width) if isinstance(value, Word) else ~whole(value)
    return -_plain(number(value))


def call(name: str, arguments: List[Any]) -> Any:
    """A function of the language. Raises `Refused`."""
    count, function = FUNCTIONS[name]
    if len(arguments) != count:
        raise Refused("{} takes {}, not {}".format(name, forms.count(count, "argument"), len(arguments)))
    try:
        return checked(function(*map(number, arguments)))
    except (ValueError, ZeroDivisionError, OverflowError):
        raise Refused("{} has no value there".format(name)) from None


def converted(kind: str, size: Optional[int], value: Any) -> Any:
    """What a variable of a type holds once it is given a value. `kind`: int, uint, float, angle, bool or bit."""
    value = number(value)
    if kind == "bool":
        return bool(value)
    if kind in ("float", "angle"):
        return float(value)
    if kind == "bit":
        width = 1 if size is None else size
        if isinstance(value, Word) and value.width != width:
            raise Refused("{} cannot be put into {}".format(forms.count(value.width, "bit"), forms.count(width, "bit")))
        return Word(whole(value), width)
    if isinstance(value, float) and value != int(value):
        raise Refused("{} is no whole number".format(value))
    value = int(value)
    if size is None:
        return value
    value &= (1 << size) - 1
    return value - (1 << size) if kind == "int" and value >> (size - 1) else value


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, (Word, bool)) else value


def _divided(left: Any, right: Any) -> Any:
    """Of two integers the quotient towards zero, as in C."""
    if isinstance(left, int) and isinstance(right, int):
        quotient = abs(left) // abs(right)
        return quotient if (left < 0) == (right < 0) else -quotient
    return left / right


def _remainder(left: Any, right: Any) -> Any:
    if isinstance(left, int) and isinstance(right, int):
        return left - right * _divided(left, right)
    return math.fmod(left, right)


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(base, int) and isinstance(exponent, int) and exponent >= 0:
        if abs(base) > 1 and exponent * (abs(base).bit_length() - 1) > MAX_INTEGER_BITS:
            raise OverflowError
        return base**exponent
    return base**exponent


def _rotated(places: int) -> Callable[[Any, Any], Any]:
    def rotate(value: Any, by: Any) -> Any:
        if not isinstance(value, Word):
            raise Refused("only bits can be rotated")
        by = places * whole(by) % value.width
        return Word((value << by) | (value >> (value.width - by)), value.width)

    return rotate


_COMPARISONS: Dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_BITWISE: Dict[str, Callable[[int, int], int]] = {"&": operator.and_, "|": operator.or_, "^": operator.xor}
_ARITHMETIC: Dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divided,
    "%": _remainder,
    "**": _power,
}
FUNCTIONS: Dict[str, Tuple[int, Callable[..., Any]]] = {
    "arccos": (1, math.acos),
    "arcsin": (1, math.asin),
    "arctan": (1, math.atan),
    "ceiling": (1, math.ceil),
    "cos": (1, math.cos),
    "exp": (1, math.exp),
    "floor": (1, math.floor),
    "log": (1, math.log),
    "mod": (2, _remainder),
    "popcount": (1, lambda bits: bin(whole(bits)).count("1")),  # noqa: FURB161 - bit_count is younger than Python 3.8
    "rotl": (2, _rotated(1)),
    "rotr": (2, _rotated(-1)),
    "sin": (1, math.sin),
    "sqrt": (1, math.sqrt),
    "tan": (1, math.tan),
}
