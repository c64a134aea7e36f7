"""Conversions between types of OpenQASM 3: in assignments, for arguments and in casts."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Callable, Dict

from . import forms
from .openqasm3_errors import Refused
from .openqasm3_values import Type, Value, bounds, described, floating, full_turn, integer, is_true, scalar, settled


def converted(kind: Type, value: Any, *, cast: bool = False) -> Value:
    """The value as one of a type. `cast`: the program asks for it by the name of the type.

    Raises `Refused` for what the language does not convert, and where implementations may differ.
    """
    operand = scalar(value)
    if operand.type == kind and not operand.loose:
        return operand
    return _INTO[kind.kind](kind, operand, cast)


def _to_bool(kind: Type, value: Value, _: bool) -> Value:
    return Value(kind, int(is_true(value)))


def _to_bits(kind: Type, value: Value, cast: bool) -> Value:
    source, value = value.type, settled(value)
    bits = forms.count(kind.width, "bit")
    if source.kind in {"bit", "bool"}:
        if source.width != kind.width and not (cast and source.single):
            raise Refused("{} cannot be put into {}".format(forms.count(source.width, "bit"), bits))
        return Value(kind, value.raw)
    if source.size == kind.size and source.kind != "float" and source.size is not None and not value.loose:
        return Value(kind, value.raw & ((1 << kind.width) - 1))
    if not source.whole:
        raise Refused("{} cannot be put into {}".format(source, bits))
    if value.raw < 0 or value.raw >> kind.width:
        raise Refused("{} does not fit into {}".format(value.raw, bits))
    return Value(kind, value.raw)


def _to_integer(kind: Type, value: Value, cast: bool) -> Value:
    source = value.type
    if source.kind == "angle":
        raise Refused("an angle is not converted to {}: cast it to bits first".format(kind))
    if source.kind == "float":
        if value.raw != int(value.raw) and not cast:
            raise Refused("{} is no whole number".format(described(value)))
        return _in_range(kind, int(value.raw))
    if source.register:
        return _of_bits(kind, value)
    if not (kind.kind == "uint" and kind.size is not None and source.size is not None and kind.size <= source.size):
        value = settled(value)  # in all other cases a wrapped value and an exact one give different results
    if kind.kind == "int" and source == Type("uint", kind.size) and kind.size is not None:
        return _of_pattern(kind, value.raw)
    return integer(kind, value.raw)


def _in_range(kind: Type, exact: int) -> Value:
    low, high = bounds(kind)
    if not low <= exact <= high:
        raise Refused("{} is outside of the range of {}".format(exact, kind))
    return Value(kind, exact)


def _of_bits(kind: Type, value: Value) -> Value:
    """The integer of a type that bits are: of another size only what is the same however they are extended or cut."""
    source = value.type
    if source.size == kind.size:
        return _of_pattern(kind, value.raw)
    certain = min(source.width, kind.width) - 1 if kind.kind == "int" and kind.size is not None else kind.width
    if value.raw >> certain:
        raise Refused("{0} is not converted to {1}: take {0} to a type of its own size first".format(source, kind))
    return _in_range(kind, value.raw)


def _of_pattern(kind: Type, pattern: int) -> Value:
    """The integer of a type that these bits are, in two's complement."""
    negative = kind.kind == "int" and pattern >> (kind.width - 1)
    return Value(kind, pattern - (1 << kind.width) if negative else pattern)


def _to_float(kind: Type, value: Value, _: bool) -> Value:
    value = settled(value)
    if value.type.kind == "angle" or value.type.register:
        raise Refused("{} is not converted to {}".format(value.type, kind))
    return floating(kind, value.raw)


def _to_angle(kind: Type, value: Value, cast: bool) -> Value:
    source = value.type
    if source.kind == "float":
        steps = Fraction(value.raw) / Fraction(full_turn(source)) * (1 << kind.width)
        return Value(kind, round(steps) % (1 << kind.width))  # a tie goes to the even number
    if source.kind == "angle" and cast and source.size is not None and kind.size is not None:
        return _resized(kind, value)
    if source.register and source.size == kind.size:
        return Value(kind, value.raw)
    if source.whole and settled(value).raw == 0:
        return Value(kind, 0)
    hint = ": write a float, such as 1.0" if source.whole else ""
    raise Refused("{} is not converted to {}{}".format(source, kind, hint))


def _resized(kind: Type, value: Value) -> Value:
    """An angle of another size."""
    more = kind.width - value.type.width
    if more >= 0:
        return Value(kind, value.raw << more)
    if value.raw & ((1 << -more) - 1):
        raise Refused(
            "this {} is no multiple of 2 pi / 2^{}: whether {} rounds or truncates it is open".format(
                value.type, kind.width, kind
            )
        )
    return Value(kind, value.raw >> -more)


_INTO: Dict[str, Callable[[Type, Value, bool], Value]] = {
    "bool": _to_bool,
    "bit": _to_bits,
    "int": _to_integer,
    "uint": _to_integer,
    "float": _to_float,
    "angle": _to_angle,
}
