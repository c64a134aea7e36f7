"""The functions of OpenQASM 3 on typed values."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, Tuple

from . import forms
from . import openqasm3_operators as operators
from .openqasm3_errors import Refused
from .openqasm3_values import (
    FLOAT,
    UINT,
    Type,
    Value,
    converted,
    described,
    floating,
    integer,
    radians,
    scalar,
    settled,
    whole,
)


def call(name: str, arguments: List[Any]) -> Value:
    count, function = FUNCTIONS[name]
    if len(arguments) != count:
        raise Refused("{} takes {}, not {}".format(name, forms.count(count, "argument"), len(arguments)))
    try:
        return function(*map(scalar, arguments))
    except (ValueError, ZeroDivisionError, OverflowError):
        raise Refused("{} has no value there".format(name)) from None


def _of_float(function: Callable[[float], float], *, angles: bool = False) -> Callable[[Value], Value]:
    """A function of a float, whose result has the type of its argument. `angles`: or of an angle."""

    def of(value: Value) -> Value:
        if angles and value.type.kind == "angle":
            return floating(FLOAT, function(radians(value)))
        kind = value.type if value.type.kind == "float" else FLOAT
        return floating(kind, function(converted(kind, value).raw))

    return of


def _modulus(left: Value, right: Value) -> Value:
    if "float" not in (left.type.kind, right.type.kind):
        return operators.binary("%", left, right)
    kind = operators.common_float(left.type, right.type)
    return floating(kind, math.fmod(converted(kind, left).raw, converted(kind, right).raw))


def _popcount(value: Value) -> Value:
    if value.type.kind == "float" or value.type == Type("angle") or settled(value).raw < 0:
        raise Refused("popcount is for bits and unsigned integers, not for {}".format(described(value)))
    return integer(UINT, bin(value.raw).count("1"))  # noqa: FURB161 - bit_count is younger than Python 3.8


def _rotated(sign: int) -> Callable[[Value, Value], Value]:
    def rotate(value: Value, by: Value) -> Value:
        kind = value.type
        if kind.size is None or kind.kind not in ("bit", "uint", "angle"):
            raise Refused("only bits, and a uint or an angle with a size, can be rotated, not {}".format(kind))
        raw, width = settled(value).raw, kind.size
        places = sign * whole(by) % width
        return Value(Type(kind.kind, width), (raw << places | raw >> (width - places)) & ((1 << width) - 1))

    return rotate


FUNCTIONS: Dict[str, Tuple[int, Callable[..., Value]]] = {
    **{name: (1, _of_float(getattr(math, name), angles=True)) for name in ("cos", "sin", "tan")},
    **{"arc" + name: (1, _of_float(getattr(math, "a" + name))) for name in ("cos", "sin", "tan")},
    **{name: (1, _of_float(getattr(math, name))) for name in ("exp", "floor", "log", "sqrt")},
    "ceiling": (1, _of_float(math.ceil)),
    "mod": (2, _modulus),
    "popcount": (1, _popcount),
    "rotl": (2, _rotated(1)),
    "rotr": (2, _rotated(-1)),
}
