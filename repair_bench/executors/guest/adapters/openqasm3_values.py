"""Classical types of OpenQASM 3, their values, and conversions in assignments, arguments and casts.

The raw value of a bool, a bit or bits is an integer whose bit 0 is the least significant. The raw value of an n-bit
angle is the angle divided by 2 pi / 2^n. The target machine determines the width of an `int`, a `uint` or an `angle`
without a size. In this interpreter, integers and angles without a size have 64 bits. An operation is refused if its
result depends on the width of a type that is declared without a size. Examples of refused operations are integer
arithmetic that overflows, reading a bit of a negative number, and comparing nearly equal angles.
"""

from __future__ import annotations

import math
import struct
from fractions import Fraction
from typing import Any, Callable, Dict, NamedTuple, Optional, Tuple

from .forms import count
from .openqasm3_errors import Refused

MACHINE_BITS = 64
MAX_INTEGER_BITS = 256
FLOAT_SIZES = (16, 32, 64)
NEAR = 1 << (MACHINE_BITS // 2)
"""If two unequal angles are declared without a size, they can be compared only if they differ by at least this number
of units of 2 pi / 2^64. Two angles that differ by less may be equal on a machine that stores angles with fewer than 64
bits."""
_PACKED = {16: "<e", 32: "<f"}


class Type(NamedTuple):
    """A scalar type.

    `kind`: bool, bit, int, uint, float or angle. `size`: the number of bits, or None for a type without a size.
    """

    kind: str
    size: Optional[int] = None

    def __str__(self) -> str:
        return self.kind if self.size is None else "{}[{}]".format(self.kind, self.size)

    @property
    def width(self) -> int:
        if self.size is None:
            return 1 if self.kind in ("bit", "bool") else MACHINE_BITS
        return self.size

    @property
    def integral(self) -> bool:
        return self.kind in ("int", "uint")

    @property
    def single(self) -> bool:
        """Whether the type is `bool`, or `bit` without a size. Expressions may use `bool` and `bit` interchangeably."""
        return self.kind == "bool" or self == BIT

    @property
    def register(self) -> bool:
        return self.kind == "bit" and self.size is not None


class Value(NamedTuple):
    """A value and its type.

    `loose`: whether the value is an integer whose type OpenQASM 3 leaves open. For example, the sum of a `uint[4]` and
    a literal may be a `uint[4]` or an `int`, because the language does not define whether a literal takes the type of
    the other operand. The raw value of a `loose` integer is the exact result of the operation, even if it does not fit
    into `uint[4]`. An operation on a `loose` integer must give the same result for each type that the integer may have.
    """

    type: Type
    raw: Any
    loose: bool = False


BOOL = Type("bool")
BIT = Type("bit")
INT = Type("int")
UINT = Type("uint")
FLOAT = Type("float")
DOUBLE = Type("float", 64)
CONSTANTS = {
    "pi": Value(DOUBLE, math.pi),
    "\u03c0": Value(DOUBLE, math.pi),
    "tau": Value(DOUBLE, math.tau),
    "\u03c4": Value(DOUBLE, math.tau),
    "euler": Value(DOUBLE, math.e),
    "\u2107": Value(DOUBLE, math.e),
}


def bounds(kind: Type) -> Tuple[int, int]:
    if kind.kind == "int":
        return -(1 << (kind.width - 1)), (1 << (kind.width - 1)) - 1
    return 0, (1 << kind.width) - 1


def integer(kind: Type, exact: int, *, loose: bool = False) -> Value:
    """Return a `Value` of type `kind` for an integer. A `uint[n]` wraps around. Raises `Refused` if any other type
    overflows.
    """
    low, high = bounds(kind)
    if low <= exact <= high:
        return Value(kind, exact, loose)
    if kind.kind == "uint" and kind.size is not None and exact.bit_length() <= 2 * MAX_INTEGER_BITS:
        return Value(kind, exact, loose=True) if loose else Value(kind, exact & high)
    if exact.bit_length() > MAX_INTEGER_BITS:
        raise Refused("the result is too large for {}".format(kind))
    raise Refused("{} is too {} for {}".format(exact, "small" if exact < low else "large", kind))


def literal(exact: int) -> Value:
    return integer(INT if exact <= bounds(INT)[1] else UINT, exact, loose=True)


def given(raw: Any) -> Value:
    if isinstance(raw, bool):
        return Value(BOOL, int(raw))
    return literal(raw) if isinstance(raw, int) else floating(FLOAT, raw)


def truth(value: bool) -> Value:
    return Value(BOOL, int(value))


def floating(kind: Type, result: Any) -> Value:
    """Return a result rounded to a floating-point type. Raises `Refused` unless the result is finite and real."""
    try:
        rounded = result if isinstance(result, complex) else _rounded(kind, float(result))
    except OverflowError:
        raise Refused("the result is too large for {}".format(kind)) from None
    if isinstance(rounded, complex) or not math.isfinite(rounded):
        raise Refused("the result is not a finite real number")
    return Value(kind, rounded)


def full_turn(kind: Type) -> float:
    return _rounded(kind, math.tau)


def _rounded(kind: Type, result: float) -> float:
    packed = None if kind.size is None else _PACKED.get(kind.size)
    return result if packed is None else float(struct.unpack(packed, struct.pack(packed, result))[0])


def settled(value: Value) -> Value:
    """Return the value unchanged.

    Raises `Refused` if the value is an integer with the flag `loose` (see `Value`) and is outside the range of
    `value.type`.
    """
    if value.loose:
        low, high = bounds(value.type)
        if not low <= value.raw <= high:
            raise Refused(
                "{} does not fit into {}, and wrapping is not defined for operands of different types: "
                "cast them to the same type".format(value.raw, value.type)
            )
    return value


def check_apart(kind: Type, steps: int) -> None:
    """Raise `Refused` if two angles are nearly equal and their type does not declare a number of bits. `steps`: the
    difference between the two angles, in units of the smallest angle.
    """
    distance = steps % (1 << kind.width)
    if kind.size is None and 0 < min(distance, (1 << kind.width) - distance) < NEAR:
        raise Refused("these angles are too close to compare: declare a size, as in angle[32]")


def is_true(value: Any) -> bool:
    value = settled(scalar(value))
    if value.type.kind == "angle":
        check_apart(value.type, value.raw)
    return bool(value.raw)


def scalar(value: Any) -> Value:
    """Return the value unchanged, for use as a scalar operand. Raises `Refused` if the value is not a scalar."""
    if not isinstance(value, Value):
        raise Refused(
            "arithmetic is not defined for {}".format("an array" if isinstance(value, list) else "this operand")
        )
    return value


def as_integer(value: Any) -> int:
    """Return the integer that a value contains, for use as an index or a size.

    Bits are read as an unsigned integer. Raises `Refused`.
    """
    value = settled(scalar(value))
    if value.type.kind in ("float", "angle"):
        raise Refused("expected an integer, got {}".format(described(value)))
    return int(value.raw)


def radians(value: Any) -> float:
    """Convert a value to a parameter of a gate, in radians. Raises `Refused`."""
    value = settled(scalar(value))
    if value.type.kind == "angle":
        return float(value.raw / (1 << value.type.width) * math.tau)
    if value.type.register:
        raise Refused("{} is not a number: cast it, as in uint[{}](...)".format(value.type, value.type.size))
    return float(value.raw)


def described(value: Value) -> str:
    return "an angle" if value.type.kind == "angle" else repr(value.raw)


def converted(kind: Type, value: Any, *, cast: bool = False) -> Value:
    """Convert a value to a value of type `kind`. Raises `Refused` if OpenQASM 3 does not define the conversion, or if
    the result depends on choices that OpenQASM 3 leaves open.
    """
    operand = scalar(value)
    if operand.type == kind and not operand.loose:
        return operand
    return _INTO[kind.kind](kind, operand, cast)


def _to_bool(kind: Type, value: Value, _: bool) -> Value:
    return Value(kind, int(is_true(value)))


def _to_bits(kind: Type, value: Value, cast: bool) -> Value:
    source, value = value.type, settled(value)
    bits = count(kind.width, "bit")
    if source.kind in {"bit", "bool"}:
        if source.width != kind.width and not (cast and source.single):
            raise Refused("{} cannot be converted to {}".format(count(source.width, "bit"), bits))
        return Value(kind, value.raw)
    if source.size == kind.size and source.kind != "float" and source.size is not None and not value.loose:
        return Value(kind, value.raw & ((1 << kind.width) - 1))
    if not source.integral:
        raise Refused("{} cannot be converted to {}".format(source, bits))
    if value.raw < 0 or value.raw >> kind.width:
        raise Refused("{} does not fit into {}".format(value.raw, bits))
    return Value(kind, value.raw)


def _to_integer(kind: Type, value: Value, cast: bool) -> Value:
    source = value.type
    if source.kind == "angle":
        raise Refused("an angle cannot be converted to {}: cast it to bits first".format(kind))
    if source.kind == "float":
        if value.raw != int(value.raw) and not cast:
            raise Refused("{} is not an integer".format(described(value)))
        return _in_range(kind, int(value.raw))
    if source.register:
        return _of_bits(kind, value)
    if not (kind.kind == "uint" and kind.size is not None and source.size is not None and kind.size <= source.size):
        value = settled(value)  # in all other cases, the wrapped and the exact value give different results
    if kind.kind == "int" and source == Type("uint", kind.size) and kind.size is not None:
        return _of_pattern(kind, value.raw)
    return integer(kind, value.raw)


def _in_range(kind: Type, exact: int) -> Value:
    low, high = bounds(kind)
    if not low <= exact <= high:
        raise Refused("{} is out of range for {}".format(exact, kind))
    return Value(kind, exact)


def _of_bits(kind: Type, value: Value) -> Value:
    """Convert bits to an integer. Raises `Refused` if the result depends on sign extension or truncation."""
    source = value.type
    if source.size == kind.size:
        return _of_pattern(kind, value.raw)
    certain = min(source.width, kind.width) - 1 if kind.kind == "int" and kind.size is not None else kind.width
    if value.raw >> certain:
        raise Refused(
            "{0} cannot be converted to {1}: first convert {0} to a type of the same size".format(source, kind)
        )
    return _in_range(kind, value.raw)


def _of_pattern(kind: Type, pattern: int) -> Value:
    """Return the integer with this bit pattern, in two's complement."""
    negative = kind.kind == "int" and pattern >> (kind.width - 1)
    return Value(kind, pattern - (1 << kind.width) if negative else pattern)


def _to_float(kind: Type, value: Value, _: bool) -> Value:
    value = settled(value)
    if value.type.kind == "angle" or value.type.register:
        raise Refused("{} cannot be converted to {}".format(value.type, kind))
    return floating(kind, value.raw)


def _to_angle(kind: Type, value: Value, cast: bool) -> Value:
    source = value.type
    if source.kind == "float":
        steps = Fraction(value.raw) / Fraction(full_turn(source)) * (1 << kind.width)
        return Value(kind, round(steps) % (1 << kind.width))  # ties are rounded to the even number
    if source.kind == "angle" and cast and source.size is not None and kind.size is not None:
        return _resized(kind, value)
    if source.register and source.size == kind.size:
        return Value(kind, value.raw)
    if source.integral and settled(value).raw == 0:
        return Value(kind, 0)
    hint = ": write a float, such as 1.0" if source.integral else ""
    raise Refused("{} cannot be converted to {}{}".format(source, kind, hint))


def _resized(kind: Type, value: Value) -> Value:
    more = kind.width - value.type.width
    if more >= 0:
        return Value(kind, value.raw << more)
    if value.raw & ((1 << -more) - 1):
        raise Refused(
            "this {} is not a multiple of 2 pi / 2^{}: the rounding of a conversion to {} is undefined".format(
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
