"""Arithmetic on OpenQASM 3 angles. An angle is stored as an integer number of steps, modulo a full turn.

All functions raise `Refused`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Tuple

from .openqasm3_errors import Refused
from .openqasm3_values import NEAR, Type, Value, check_apart, converted, full_turn, settled

_ROUNDING = Fraction(1, 1 << 20)
"""The maximum rounding error, in steps, for a float to count as a whole number of steps."""


def steps(kind: Type, exact: int) -> Value:
    return Value(kind, exact % (1 << kind.width))


def binary(name: str, left: Value, right: Value) -> Value:
    """Apply the arithmetic operator `name` to two operands, at least one of which is an angle."""
    if name in ("+", "-") and left.type == right.type:
        return steps(left.type, left.raw + right.raw if name == "+" else left.raw - right.raw)
    if name == "*" and left.type.kind != "angle" and _is_factor(left):
        return steps(right.type, _factor(left) * right.raw)
    if name == "*" and _is_factor(right):
        return steps(left.type, left.raw * _factor(right))
    if name == "/" and left.type.kind == "angle" and (left.type == right.type or _is_factor(right)):
        return _divided(left, right)
    raise Refused(
        "{} {} {} is not defined. Only angles of the same size can be added, subtracted or divided. An angle can "
        "be multiplied or divided only by an integer. Cast a float to an angle, as in angle[8](pi / 4)".format(
            left.type, name, right.type
        )
    )


def _is_factor(value: Value) -> bool:
    return value.type.integral or value.type.single


def _factor(value: Value) -> int:
    factor = int(settled(value).raw)
    if factor < 0:
        raise Refused("an angle can be multiplied or divided only by a non-negative integer, not by {}".format(factor))
    return factor


def _divided(left: Value, right: Value) -> Value:
    if right.type.kind != "angle":
        by = _factor(right)
        if not by:
            raise Refused("division by zero")
        return Value(left.type, left.raw // by)
    if not right.raw:
        raise Refused("division by zero")
    quotient, rest = divmod(left.raw, right.raw)
    if left.type.size is None and 0 < min(rest, right.raw - rest) < NEAR:
        raise Refused("the quotient of these angles depends on their size: declare a size, as in angle[32]")
    return Value(Type("uint", left.type.size), quotient)


def compared(left: Value, right: Value) -> Tuple[int, int]:
    """Convert two values, at least one of which is an angle, to integers in units of the same angle step."""
    kind = left.type if left.type.kind == "angle" else right.type
    one, other = _as_steps(kind, left), _as_steps(kind, right)
    check_apart(kind, one - other)
    return one, other


def _as_steps(kind: Type, value: Value) -> int:
    if value.type.kind == "float" and kind.size is not None:
        exact = Fraction(value.raw) / Fraction(full_turn(value.type)) * (1 << kind.width)
        if not 0 <= exact < 1 << kind.width or abs(exact - round(exact)) > _ROUNDING:
            raise Refused("{0!r} cannot be converted exactly to {1}: cast it, as in {1}({0!r})".format(value.raw, kind))
    return int(converted(kind, value).raw)
