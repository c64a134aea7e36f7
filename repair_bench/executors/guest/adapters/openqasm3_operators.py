"""The operators and functions of OpenQASM 3 on typed values.

Integers and floats are converted as in C99, but are not promoted to `int`: an operation on two `uint[n]` values gives a
`uint[n]`. Bit registers and angles can only be combined with operands of the same size. All functions raise `Refused`.
"""

from __future__ import annotations

import math
import operator
from typing import Any, Callable, Dict, List, Tuple

from . import forms
from . import openqasm3_angles as angles
from . import openqasm3_values as values
from .openqasm3_errors import Refused
from .openqasm3_values import FLOAT, UINT, Type, Value, converted, integer, settled


def binary(name: str, left: Any, right: Any) -> Value:
    left, right = values.scalar(left), values.scalar(right)
    if name in _SHIFTS:
        return _shifted(name, left, right)
    if name in _BITWISE:
        return _bitwise(name, left, right)
    with_angle = "angle" in (left.type.kind, right.type.kind)
    if name in _COMPARISONS:
        return values.truth(_COMPARISONS[name](*(angles.compared if with_angle else _compared)(left, right)))
    if with_angle:
        return angles.binary(name, left, right)
    if name not in _ARITHMETIC:
        raise Refused("the operator {} is not supported".format(name))
    left, right = _number(left), _number(right)
    try:
        if "float" in (left.type.kind, right.type.kind):
            return _with_floats(name, left, right)
        return _power(left, right) if name == "**" else _with_integers(name, left, right)
    except ZeroDivisionError:
        raise Refused("division by zero") from None
    except OverflowError:
        raise Refused("the result is too large") from None


def unary(name: str, value: Any) -> Value:
    if name == "!":
        return values.truth(not values.is_true(value))
    value = values.scalar(value)
    kind = value.type
    if name == "~":
        if kind.kind == "bit":
            return Value(kind, value.raw ^ ((1 << kind.width) - 1))
        if kind.size is None or kind.kind == "float":
            raise Refused("~ requires bits, a sized integer or a sized angle, not {}".format(kind))
        return angles.steps(kind, ~value.raw) if kind.kind == "angle" else integer(kind, ~value.raw, loose=value.loose)
    if kind.kind == "angle":
        return angles.steps(kind, -value.raw)
    value = _number(value)
    if value.type.kind == "float":
        return Value(value.type, -value.raw)
    return integer(value.type, -value.raw, loose=value.loose)


def _number(value: Value) -> Value:
    """Convert a value to an arithmetic operand. A bool or an individual bit becomes an integer."""
    if value.type.register:
        raise Refused("{0} is not a number: cast it, as in uint[{1}](...)".format(value.type, value.type.size))
    return Value(values.INT, value.raw, loose=True) if value.type.single else value


def _common(left: Value, right: Value) -> Tuple[Type, bool]:
    """Return the type of the result of an operation on two integers, and whether the result is loose (see `Value`)."""
    one, other = left.type, right.type
    loose = left.loose or right.loose
    if one.size is None and other.size is None:
        return (one if one == other else UINT), left.loose and right.loose
    if one == other:
        return one, loose
    if one.size is None or other.size is None:
        free, sized = (left, other) if one.size is None else (right, one)
        return (sized, True) if free.loose or sized.width >= values.MACHINE_BITS else (free.type, False)
    if one.kind == other.kind:
        return max(one, other), loose
    signed, unsigned = (one, other) if one.kind == "int" else (other, one)
    return (signed, loose) if signed.width > unsigned.width else (unsigned, True)


def _exact(kind: Type, value: Value) -> int:
    return int((value if value.type == kind else settled(value)).raw)


def _certain(kind: Type, *operands: Value) -> Tuple[int, ...]:
    """Return the raw values of two operands. Raises `Refused` for a negative operand of an unsigned operation."""
    found = tuple(int(settled(operand).raw) for operand in operands)
    if kind.kind == "uint" and min(found) < 0:
        raise Refused("{} cannot be combined with {}: cast one of them".format(min(found), kind))
    return found


def _with_integers(name: str, left: Value, right: Value) -> Value:
    kind, loose = _common(left, right)
    if name in _RING:
        return integer(kind, _RING[name](_exact(kind, left), _exact(kind, right)), loose=loose)
    divided, by = _certain(kind, left, right)
    quotient = abs(divided) // abs(by) if (divided < 0) == (by < 0) else -(abs(divided) // abs(by))
    result = integer(kind, quotient if name == "/" else divided - by * quotient, loose=loose)
    return settled(result)


def _power(left: Value, right: Value) -> Value:
    kind, loose = _common(left, right)
    base, exponent = _exact(kind, left), int(settled(right).raw)
    if exponent < 0:
        raise Refused("an integer cannot have a negative exponent: write a float, as in 2.0 ** -1")
    if kind.kind == "uint" and kind.size is not None and not loose:
        return Value(kind, pow(base, exponent, 1 << kind.size))
    if abs(base) > 1 and exponent * (abs(base).bit_length() - 1) > values.MAX_INTEGER_BITS:
        raise OverflowError
    return integer(kind, base**exponent, loose=loose)


def _common_float(left: Type, right: Type) -> Type:
    sizes = [side.size for side in (left, right) if side.kind == "float"]
    return FLOAT if None in sizes else Type("float", max(size for size in sizes if size is not None))


def _with_floats(name: str, left: Value, right: Value) -> Value:
    kind = _common_float(left.type, right.type)
    if name == "%":
        raise Refused("% requires integers: use mod(..., ...) for floats")
    return values.floating(kind, _ARITHMETIC[name](converted(kind, left).raw, converted(kind, right).raw))


def _compared(left: Value, right: Value) -> Tuple[Any, Any]:
    """Convert two values to two numbers that can be compared with each other. Bits are read as unsigned integers."""
    if left.type.register or right.type.register:
        if left.type.kind == right.type.kind and left.type.width != right.type.width:
            raise Refused("{} cannot be compared with {}".format(left.type, right.type))
        long = any(side.type.width > 1 and side.type.register for side in (left, right))
        if long and any(side.type.single or side.type.kind == "float" for side in (left, right)):
            raise Refused("{} cannot be compared with {}: cast one of them".format(left.type, right.type))
        left, right = (Value(Type("uint", s.type.width), s.raw) if s.type.kind == "bit" else s for s in (left, right))
    left, right = _number(left), _number(right)
    if "float" in (left.type.kind, right.type.kind):
        kind = _common_float(left.type, right.type)
        return converted(kind, left).raw, converted(kind, right).raw
    return _certain(_common(left, right)[0], left, right)  # type: ignore[return-value]


def _bitwise(name: str, left: Value, right: Value) -> Value:
    one, other = left.type, right.type
    if {one.kind, other.kind} <= {"bit", "bool"} and one.width == other.width:
        kind = one if one.kind == "bit" else other
        return Value(kind, _BITWISE[name](left.raw, right.raw))
    if "angle" in (one.kind, other.kind) and (one != other or one.size is None):
        raise Refused("{} {} {} is not defined: both operands must be angles of the same size".format(one, name, other))
    if one.kind == "angle":
        return Value(one, _BITWISE[name](left.raw, right.raw))
    if one.register or other.register or "float" in (one.kind, other.kind):
        raise Refused("{} {} {} is not defined: cast one of them".format(one, name, other))
    left, right = _number(left), _number(right)
    kind, loose = _common(left, right)
    operands = [_exact(kind, side) for side in (left, right)]
    if min(operands) < 0 and not (kind.kind == "int" and kind.size is not None):
        raise Refused("the bits of {0} depend on its size: cast it, as in int[32]({0})".format(min(operands)))
    for side, operand in zip((left, right), operands):
        if kind.kind == "int" and side.type != kind:
            integer(kind, operand)
    return integer(kind, _BITWISE[name](*operands), loose=loose)


def _shifted(name: str, left: Value, right: Value) -> Value:
    if right.type.kind in ("float", "angle"):
        raise Refused("the shift distance must be an integer")
    places = settled(right).raw
    if not 0 <= places <= values.MAX_INTEGER_BITS:
        raise Refused("cannot shift by {} places".format(places))
    kind = left.type
    if kind.kind == "float" or (kind.kind == "angle" and kind.size is None):
        raise Refused("{} has no bits to shift".format(kind))
    if kind.kind == "angle" or kind.register:
        shifted = left.raw << places if name == "<<" else left.raw >> places
        return Value(kind, shifted & ((1 << kind.width) - 1))
    if kind.single and name == "<<" and left.raw and places:
        raise Refused("a single bit cannot be shifted: cast it to int first")
    if left.raw < 0:
        raise Refused("{} is negative and cannot be shifted: cast it to uint with a size".format(left.raw))
    if name == ">>":
        return Value(kind, settled(left).raw >> places, left.loose)
    return Value(kind, left.raw) if kind.single else integer(kind, left.raw << places, loose=left.loose)


_SHIFTS = ("<<", ">>")
_COMPARISONS: Dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_BITWISE: Dict[str, Callable[[int, int], int]] = {"&": operator.and_, "|": operator.or_, "^": operator.xor}
_RING: Dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
_ARITHMETIC: Dict[str, Callable[[Any, Any], Any]] = {
    **_RING,
    "/": operator.truediv,
    "%": operator.mod,
    "**": operator.pow,
}


def call(name: str, arguments: List[Any]) -> Value:
    count, function = FUNCTIONS[name]
    if len(arguments) != count:
        raise Refused("{} takes {}, not {}".format(name, forms.count(count, "argument"), len(arguments)))
    try:
        return function(*map(values.scalar, arguments))
    except (ValueError, ZeroDivisionError, OverflowError):
        raise Refused("{} is not defined for this value".format(name)) from None


def _of_float(function: Callable[[float], float], *, of_angles: bool = False) -> Callable[[Value], Value]:
    """Convert a function of a Python float to a function of a `Value`. The result has the type of the argument if the
    argument is a float, otherwise the type `FLOAT`.

    `of_angles`: also accept angles.
    """

    def of(value: Value) -> Value:
        if of_angles and value.type.kind == "angle":
            return values.floating(FLOAT, function(values.radians(value)))
        kind = value.type if value.type.kind == "float" else FLOAT
        return values.floating(kind, function(converted(kind, value).raw))

    return of


def _modulus(left: Value, right: Value) -> Value:
    if "float" not in (left.type.kind, right.type.kind):
        return binary("%", left, right)
    kind = _common_float(left.type, right.type)
    return values.floating(kind, math.fmod(converted(kind, left).raw, converted(kind, right).raw))


def _popcount(value: Value) -> Value:
    if value.type.kind == "float" or value.type == Type("angle") or settled(value).raw < 0:
        raise Refused("popcount requires bits or unsigned integers, not {}".format(values.described(value)))
    return integer(UINT, bin(value.raw).count("1"))  # noqa: FURB161 - bit_count needs Python 3.10


def _rotated(sign: int) -> Callable[[Value, Value], Value]:
    def rotate(value: Value, by: Value) -> Value:
        kind = value.type
        if kind.size is None or kind.kind not in ("bit", "uint", "angle"):
            raise Refused("only bits, sized uints and sized angles can be rotated, not {}".format(kind))
        raw, width = settled(value).raw, kind.size
        places = sign * values.as_integer(by) % width
        return Value(Type(kind.kind, width), (raw << places | raw >> (width - places)) & ((1 << width) - 1))

    return rotate


FUNCTIONS: Dict[str, Tuple[int, Callable[..., Value]]] = {
    **{name: (1, _of_float(getattr(math, name), of_angles=True)) for name in ("cos", "sin", "tan")},
    **{"arc" + name: (1, _of_float(getattr(math, "a" + name))) for name in ("cos", "sin", "tan")},
    **{name: (1, _of_float(getattr(math, name))) for name in ("exp", "floor", "log", "sqrt")},
    "ceiling": (1, _of_float(math.ceil)),
    "mod": (2, _modulus),
    "popcount": (1, _popcount),
    "rotl": (2, _rotated(1)),
    "rotr": (2, _rotated(-1)),
}
