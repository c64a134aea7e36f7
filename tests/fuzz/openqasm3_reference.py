"""A second, independent implementation of typed arithmetic in the OpenQASM 3 specification.

Bits are tuples, floats are NumPy's, angles are fractions of a turn. If the specification permits two readings, an
`Evaluation` selects one. A program has a definite result if both readings agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np


class Undefined(Exception):
    """The specification gives no result, or leaves it to the target machine."""


class IllTyped(Exception):
    """The specification does not allow this."""


class Kind(NamedTuple):
    name: str
    size: int | None = None

    def __str__(self) -> str:
        return self.name if self.size is None else f"{self.name}[{self.size}]"


class Typed(NamedTuple):
    kind: Kind
    value: Any
    literal: bool = False
    """Whether the value is an integer that consists of literals."""


INT, UINT, BOOL, BIT, FLOAT = Kind("int"), Kind("uint"), Kind("bool"), Kind("bit"), Kind("float")
FLOATS: dict[int | None, Any] = {None: np.float64, 64: np.float64, 32: np.float32, 16: np.float16}
COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
BITWISE: dict[str, Callable[[int, int], int]] = {
    "&": lambda a, b: a * b,
    "|": lambda a, b: a + b - a * b,
    "^": lambda a, b: (a + b) % 2,
}
FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "arcsin": math.asin,
    "arccos": math.acos,
    "arctan": math.atan,
    "exp": math.exp,
    "log": math.log,
    "sqrt": math.sqrt,
    "floor": math.floor,
    "ceiling": math.ceil,
}


def pattern(number: int, size: int) -> tuple[int, ...]:
    """Return the bits of a number in two's complement, bit 0 first."""
    return tuple(number // 2**place % 2 for place in range(size))


def unsigned(bits: Sequence[int]) -> int:
    return sum(bit * 2**place for place, bit in enumerate(bits))


def signed(bits: Sequence[int]) -> int:
    return unsigned(bits) - bits[-1] * 2 ** len(bits)


def is_bits(kind: Kind) -> bool:
    return kind.name == "bit" and kind.size is not None


def is_whole(kind: Kind) -> bool:
    return kind.name in {"int", "uint"}


@dataclass
class Evaluation:
    """A reading of the specification.

    `adapts`: a literal takes the type of the other operand if that type can represent it; otherwise C's conversions
    apply. `turn`: the number of bits of an angle without a size. `rounds`: whether an angle is rounded or truncated
    when it loses bits.
    """

    adapts: bool
    turn: int
    rounds: bool

    def bits_of(self, typed: Typed) -> tuple[int, ...]:
        """Return the representation of a value that has a size."""
        kind, value = typed.kind, typed.value
        if kind.name == "bit":
            return value if kind.size is not None else (value,)
        if kind.size is None:
            if not is_whole(kind) or value < 0:
                raise Undefined
            return pattern(value, 64)
        if kind.name == "angle":
            return pattern(int(value * 2**kind.size), kind.size)
        return pattern(value, kind.size)

    def of_bits(self, kind: Kind, bits: Sequence[int]) -> Typed:
        if kind.name == "bit":
            return Typed(kind, tuple(bits) if kind.size is not None else bits[0])
        if kind.name == "angle":
            assert kind.size is not None
            return Typed(kind, Fraction(unsigned(bits), 2**kind.size))
        return self.whole(kind, signed(bits) if kind.name == "int" and kind.size is not None else unsigned(bits))

    def whole(self, kind: Kind, exact: int, *, literal: bool = False) -> Typed:
        """Return the result of integer arithmetic."""
        size = kind.size or 64
        if kind.name == "uint" and kind.size is not None:
            return Typed(kind, exact % 2**size, literal)
        low, high = (-(2 ** (size - 1)), 2 ** (size - 1)) if kind.name == "int" else (0, 2**size)
        if not low <= exact < high:
            raise Undefined
        return Typed(kind, exact, literal)

    def real(self, kind: Kind, value: Any) -> Typed:
        with np.errstate(all="ignore"):
            rounded = FLOATS[kind.size](value)
        if not np.isfinite(rounded):
            raise Undefined
        return Typed(kind, rounded)

    # conversions

    def convert(self, kind: Kind, typed: Typed, *, cast: bool = False) -> Typed:
        source, value = typed.kind, typed.value
        if source == kind:
            return Typed(kind, value)
        if kind.name == "bool":
            return Typed(kind, int(any(value)) if is_bits(source) else int(value != 0))
        if kind.name == "bit":
            return self._to_bits(kind, typed, cast)
        if kind.name == "angle":
            return self._to_angle(kind, typed, cast)
        if source.name == "angle":
            raise IllTyped
        if kind.name == "float":
            if is_bits(source):
                raise IllTyped
            return self.real(kind, value)
        if source.name == "float":
            if value != np.trunc(value) and not cast:
                raise IllTyped  # a constant is not promoted in this way, and a variable loses its fraction
            exact = int(value)
            if kind.name == "uint" and not 0 <= exact < 2 ** (kind.size or 64):
                raise Undefined
            return self.whole(kind, exact)
        if is_bits(source):
            if kind.size not in {None, source.size}:
                raise IllTyped
            return self.whole(kind, unsigned(value)) if kind.size is None else self.of_bits(kind, value)
        if is_whole(source) and source.size == kind.size and kind.size is not None:
            return self.of_bits(kind, self.bits_of(typed))
        return self.whole(kind, int(value))

    def _to_bits(self, kind: Kind, typed: Typed, cast: bool) -> Typed:
        source, value = typed.kind, typed.value
        if source.name in {"bool", "bit"}:
            bits = value if is_bits(source) else (value,)
            size = kind.size or 1
            if len(bits) != size and not (cast and not is_bits(source)):
                raise IllTyped
            bits = (*bits, *(0,) * (size - len(bits)))
            return Typed(kind, bits if kind.size is not None else bits[0])
        if source.name == "float" or source.size is None or source.size != kind.size:
            raise IllTyped
        return Typed(kind, self.bits_of(typed))

    def _to_angle(self, kind: Kind, typed: Typed, cast: bool) -> Typed:
        source, value = typed.kind, typed.value
        size = kind.size or self.turn
        if source.name == "float":
            turn = Fraction(float(FLOATS[source.size](math.tau)))
            return Typed(kind, Fraction(round(Fraction(float(value)) / turn * 2**size), 2**size) % 1)
        if source.name == "angle" and cast and None not in {source.size, kind.size}:
            steps = value * 2**size
            return Typed(kind, Fraction(round(steps) if self.rounds else math.floor(steps), 2**size) % 1)
        if is_bits(source) and source.size == kind.size:
            return self.of_bits(kind, value)
        raise IllTyped

    # operators

    def unary(self, operator: str, typed: Typed) -> Typed:
        kind, value = typed.kind, typed.value
        if operator == "!":
            return Typed(BOOL, 1 - self.convert(BOOL, typed).value)
        if operator == "~":
            if kind.name in {"bool", "float"} or (kind.size is None and kind != BIT):
                raise IllTyped
            return self.of_bits(kind, [1 - bit for bit in self.bits_of(typed)])
        if kind.name == "float":
            return Typed(kind, -value)
        if kind.name == "angle":
            return Typed(kind, -value % 1)
        if not is_whole(kind):
            raise IllTyped
        return self.whole(kind, -value, literal=typed.literal)

    def binary(self, operator: str, left: Typed, right: Typed) -> Typed:
        if operator in {"&&", "||"}:
            truths = [self.convert(BOOL, side).value for side in (left, right)]
            return Typed(BOOL, min(truths) if operator == "&&" else max(truths))
        if operator in {"<<", ">>"}:
            return self._shift(operator, left, right)
        if "angle" in {left.kind.name, right.kind.name}:
            return self._with_angles(operator, left, right)
        if is_bits(left.kind) or is_bits(right.kind):
            return self._with_bits(operator, left, right)
        if left.kind == right.kind == BIT and operator in BITWISE:
            return Typed(BIT, BITWISE[operator](left.value, right.value))
        left, right = (
            Typed(INT, side.value, literal=True) if side.kind in {BOOL, BIT} else side for side in (left, right)
        )
        if "float" in {left.kind.name, right.kind.name}:
            return self._with_floats(operator, left, right)
        return self._with_integers(operator, left, right)

    def _shift(self, operator: str, left: Typed, right: Typed) -> Typed:
        if not is_whole(right.kind):
            raise IllTyped
        kind, places = left.kind, right.value
        if places < 0 or kind in {BOOL, BIT} or kind.name == "float":
            raise Undefined
        if is_whole(kind) and (kind.size is None or kind.name == "int"):
            if left.value < 0:
                raise Undefined
            shifted = left.value * 2**places if operator == "<<" else left.value // 2**places
            return self.whole(kind, shifted, literal=left.literal)
        if kind.size is None:
            raise IllTyped
        bits = self.bits_of(left)
        moved = ((0,) * places + bits)[: len(bits)] if operator == "<<" else (bits + (0,) * places)[places:]
        return self.of_bits(kind, moved[: len(bits)])

    def _with_bits(self, operator: str, left: Typed, right: Typed) -> Typed:
        if left.kind != right.kind:
            raise IllTyped
        if operator in BITWISE:
            return Typed(left.kind, tuple(map(BITWISE[operator], left.value, right.value)))
        if operator in COMPARED:
            return Typed(BOOL, int(COMPARED[operator](left.value[::-1], right.value[::-1])))
        raise IllTyped

    def _with_angles(self, operator: str, left: Typed, right: Typed) -> Typed:
        one, other = left.kind, right.kind
        if one == other and operator in BITWISE:
            if one.size is None:
                raise IllTyped
            return self.of_bits(one, list(map(BITWISE[operator], self.bits_of(left), self.bits_of(right))))
        if operator in COMPARED and {one.name, other.name} == {"angle", "float"}:
            left, right = (self.convert(one if one.name == "angle" else other, side) for side in (left, right))
            one = other = left.kind
        if one == other and operator in COMPARED:
            return Typed(BOOL, int(COMPARED[operator](left.value, right.value)))
        if one == other and operator in {"+", "-"}:
            return Typed(one, (left.value + right.value if operator == "+" else left.value - right.value) % 1)
        if one == other and operator == "/":
            if right.value == 0:
                raise Undefined
            return self.whole(Kind("uint", one.size), math.floor(left.value / right.value))
        if operator == "*" and is_whole(one):
            one, other, left, right = other, one, right, left
        if operator in {"*", "/"} and one.name == "angle" and is_whole(other) and right.value >= 0:
            if operator == "*":
                return Typed(one, left.value * right.value % 1)
            if right.value == 0:
                raise Undefined
            steps = 2 ** (one.size or self.turn)
            return Typed(one, Fraction(math.floor(left.value * steps / right.value), steps))
        raise IllTyped

    def _with_floats(self, operator: str, left: Typed, right: Typed) -> Typed:
        sizes = [
            64 if side.kind.size is None else side.kind.size for side in (left, right) if side.kind.name == "float"
        ]
        loose = any(side.kind == FLOAT for side in (left, right))
        kind = FLOAT if loose else Kind("float", max(sizes))
        a, b = (self.convert(kind, side).value for side in (left, right))
        with np.errstate(all="ignore"):
            if operator in COMPARED:
                return Typed(BOOL, int(COMPARED[operator](a, b)))
            if operator == "/" and b == 0:
                raise Undefined
            if operator == "**":
                return self.real(kind, self._power_of_floats(float(a), float(b)))
            found = {"+": a + b, "-": a - b, "*": a * b, "/": a / b if b else None}
        if operator not in found:
            raise IllTyped
        return self.real(kind, found[operator])

    def _power_of_floats(self, base: float, exponent: float) -> float:
        try:
            return math.pow(base, exponent)
        except (ValueError, OverflowError):
            raise Undefined from None

    def _common(self, left: Typed, right: Typed) -> Kind:
        if self.adapts and left.literal != right.literal:
            fixed, free = (right, left) if left.literal else (left, right)
            size = fixed.kind.size
            if size is not None:
                half = 2 ** (size - 1)
                low, high = (-half, half) if fixed.kind.name == "int" else (0, 2 * half)
                if low <= free.value < high:
                    return fixed.kind
        ranks = [(side.kind.size or 64, side.kind.size is None) for side in (left, right)]
        greater, lesser = (left.kind, right.kind) if ranks[0] >= ranks[1] else (right.kind, left.kind)
        return Kind("uint", greater.size) if ranks[0] == ranks[1] and greater.name != lesser.name else greater

    def _with_integers(self, operator: str, left: Typed, right: Typed) -> Typed:
        kind = self._common(left, right)
        literal = left.literal and right.literal
        if operator == "**":
            base, exponent = self.whole(kind, left.value).value, right.value
            if exponent < 0 or (abs(base) > 1 and exponent > 600):
                raise Undefined
            return self.whole(kind, base**exponent, literal=literal)
        if operator in {"+", "-", "*"}:  # modulo any power of two, so no operand needs a conversion
            a, b = left.value, right.value
            return self.whole(kind, {"+": a + b, "-": a - b, "*": a * b}[operator], literal=literal)
        a, b = (self.whole(kind, side.value).value for side in (left, right))
        if operator in COMPARED:
            return Typed(BOOL, int(COMPARED[operator](a, b)))
        if operator in BITWISE:
            size = kind.size or 64
            bits = list(map(BITWISE[operator], pattern(a, size), pattern(b, size)))
            return self.whole(kind, signed(bits) if kind.name == "int" else unsigned(bits), literal=literal)
        if b == 0:
            raise Undefined
        quotient = math.trunc(Fraction(a, b))
        return self.whole(kind, quotient if operator == "/" else a - b * quotient, literal=literal)

    # functions and parts

    def call(self, name: str, arguments: Sequence[Typed]) -> Typed:
        first = arguments[0]
        if name in {"rotl", "rotr"}:
            if first.kind.size is None or first.kind.name in {"int", "float"}:
                raise IllTyped
            bits = self.bits_of(first)
            places = arguments[1].value * (1 if name == "rotl" else -1)
            return self.of_bits(first.kind, [bits[(place - places) % len(bits)] for place in range(len(bits))])
        if name == "popcount":
            if first.kind.name == "float" or (is_whole(first.kind) and first.value < 0):
                raise Undefined
            return Typed(UINT, sum(self.bits_of(first)))
        if name == "mod":
            if "float" not in {side.kind.name for side in arguments}:
                return self.binary("%", *arguments)
            a, b = (self.convert(FLOAT, side).value for side in arguments)
            if b == 0:
                raise Undefined
            kind = self._with_floats("+", *arguments).kind
            return self.real(kind, math.fmod(float(a), float(b)))
        kind = first.kind if first.kind.name == "float" else FLOAT
        if first.kind.name == "angle":
            if name not in {"sin", "cos", "tan"}:
                raise IllTyped
            argument = float(first.value) * math.tau
        else:
            argument = float(self.convert(kind, first).value)
        try:
            return self.real(kind, FUNCTIONS[name](argument))
        except (ValueError, OverflowError):
            raise Undefined from None

    def part(self, typed: Typed, place: int, end: int | None = None) -> Typed:
        """Return one bit of a value, or the bits between two places."""
        if typed.kind.size is None or typed.kind.name == "float":
            raise IllTyped
        bits = self.bits_of(typed)
        return Typed(BIT, bits[place]) if end is None else Typed(Kind("bit", end - place + 1), bits[place : end + 1])
