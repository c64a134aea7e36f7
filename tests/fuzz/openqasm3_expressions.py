"""Generated, mostly well-typed OpenQASM 3 expressions, with their text and their values."""

from __future__ import annotations

import random
from typing import Any

from openqasm3_reference import (
    BIT,
    BITWISE,
    BOOL,
    COMPARED,
    FLOAT,
    INT,
    UINT,
    Evaluation,
    Kind,
    Typed,
    is_bits,
    is_whole,
)

READINGS = (
    Evaluation(adapts=True, turn=40, rounds=True),
    Evaluation(adapts=False, turn=64, rounds=False),
)
"""Two readings that the specification permits."""
KINDS = [
    *(INT, INT, UINT, FLOAT, BOOL, BIT, Kind("angle")),
    *(Kind(name, size) for name in ("int", "uint", "uint", "bit", "angle", "angle") for size in (3, 4, 8)),
    *(Kind("float", size) for size in (32, 32, 64)),
]
ARITHMETIC = ("+", "+", "-", "*", "/", "%", "**", "&", "|", "^", "<<", ">>")
Expression = tuple[Any, ...]
"""("literal", text, Typed), ("name", name), ("unary", op, x), ("binary", op, x, y), ("cast", kind, x), ("call", name,
x, ...) or ("part", x, place, end or None)."""


def text(node: Expression) -> str:
    form, *parts = node
    if form in {"literal", "name"}:
        return str(parts[0])
    if form == "unary":
        return f"({parts[0]}{text(parts[1])})"
    if form == "binary":
        return f"({text(parts[1])} {parts[0]} {text(parts[2])})"
    if form == "cast":
        return f"{parts[0]}({text(parts[1])})"
    if form == "call":
        return f"{parts[0]}({', '.join(map(text, parts[1:]))})"
    place = str(parts[1]) if parts[2] is None else f"{parts[1]}:{parts[2]}"
    return f"{text(parts[0])}[{place}]"


def value(node: Expression, names: dict[str, Typed], reading: Evaluation) -> Typed:
    form, *parts = node
    if form == "literal":
        found: Typed = parts[1]
        return found
    if form == "name":
        return names[parts[0]]
    if form == "unary":
        return reading.unary(parts[0], value(parts[1], names, reading))
    if form == "binary":
        return reading.binary(parts[0], value(parts[1], names, reading), value(parts[2], names, reading))
    if form == "cast":
        return reading.convert(parts[0], value(parts[1], names, reading), cast=True)
    if form == "call":
        return reading.call(parts[0], [value(part, names, reading) for part in parts[1:]])
    return reading.part(value(parts[0], names, reading), parts[1], parts[2])


class Generator:
    """A generator of expressions over variables of declared types."""

    def __init__(self, random_: random.Random) -> None:
        self.random = random_
        self.kinds: dict[str, Kind] = {}

    def name(self, *, like: Any = None) -> Expression | None:
        found = [name for name, kind in self.kinds.items() if like is None or like(kind)]
        return ("name", self.random.choice(found)) if found else None

    def literal(self, kind: Kind) -> Expression:
        if kind.name == "bit" and kind.size is not None:
            bits = tuple(self.random.choices((0, 1), k=kind.size))
            return ("literal", '"{}"'.format("".join(map(str, bits[::-1]))), Typed(kind, bits))
        if kind.name in {"float", "angle"}:
            number = self.random.choice(("0.0", "0.5", "1.5", "0.1", "2.75", "6.5", "9.25", "100.0", "3.0", "1e-3"))
            return ("literal", number, READINGS[0].real(FLOAT, float(number)))
        if kind == BOOL:
            truth = self.random.randrange(2)
            return ("literal", ("false", "true")[truth], Typed(BOOL, truth))
        size = kind.size or 5
        near = (2**size // 2 - 1, 2**size // 2, 2**size - 1, 2**size)
        number = self.random.choice(near if self.random.random() < 0.06 else (0, 1, 1, 2, 2, 3))
        return ("literal", str(number), Typed(INT, number, literal=True))

    def expression(self, kind: Kind, depth: int) -> Expression:
        """Return an expression of this type or, for a number, of a convertible type."""
        roll = self.random.random()
        if depth == 0 or roll < 0.2:
            name = self.name(like=lambda other: other == kind)
            return name if name is not None and self.random.random() < 0.75 else self.literal(kind)
        if kind in {BOOL, BIT}:
            return self._truth(kind, depth - 1)
        if is_whole(kind):
            return self._integer(kind, depth - 1)
        if kind.name == "float":
            return self._float(kind, depth - 1)
        return self._bits(kind, depth - 1) if kind.name == "bit" else self._angle(kind, depth - 1)

    def _truth(self, kind: Kind, depth: int) -> Expression:
        roll = self.random.random()
        if kind == BIT and roll < 0.4:
            source = self.name(like=lambda other: other.size is not None and other.name != "float")
            if source is not None:
                return ("part", source, self.random.randrange(self.kinds[source[1]].size or 1), None)
        if kind == BIT and roll < 0.6:
            return ("binary", self.random.choice("&|^"), self.expression(BIT, depth), self.expression(BIT, depth))
        if roll < 0.7:
            inner = self.random.choice([*self.kinds.values()] or [INT])
            other = self.expression(inner, depth)
            return ("binary", self.random.choice([*COMPARED]), self.expression(inner, depth), other)
        if roll < 0.8:
            return ("unary", "!", self.expression(BOOL, depth))
        return ("binary", self.random.choice(("&&", "||")), self.expression(BOOL, depth), self.expression(kind, depth))

    def _integer(self, kind: Kind, depth: int) -> Expression:
        roll = self.random.random()
        if roll < 0.6:
            operator = self.random.choice(
                ARITHMETIC if kind.name == "uint" else [o for o in ARITHMETIC if o not in {"*", "**", "<<"}]
            )
            other = kind if self.random.random() < 0.75 else self.random.choice([k for k in KINDS if is_whole(k)])
            right = self.literal(Kind("int", 2)) if operator in {"**", "<<", ">>"} else self.expression(other, depth)
            return ("binary", operator, self.expression(kind, depth), right)
        if roll < 0.7:
            return ("unary", self.random.choice("-~"), self.expression(kind, depth))
        if roll < 0.8:
            inner = self.random.choice([INT, FLOAT, BIT, Kind("uint", 4), Kind("int", 8), Kind("bit", kind.size or 3)])
            return ("cast", kind, self.expression(inner, depth))
        if roll < 0.9:
            bits = self.name(like=lambda other: is_bits(other) or other.name == "uint")
            return ("call", "popcount", bits or self.literal(Kind("bit", 4)))
        if kind.name == "uint" and kind.size is not None:
            return ("call", self.random.choice(("rotl", "rotr")), self.expression(kind, depth), self.literal(INT))
        return ("call", "mod", self.expression(kind, depth), self.expression(kind, depth))

    def _float(self, kind: Kind, depth: int) -> Expression:
        roll = self.random.random()
        if roll < 0.55:
            inner = [kind, kind, kind, INT, FLOAT, Kind("float", 32)]
            left, right = (self.expression(self.random.choice(inner), depth) for _ in range(2))
            return ("binary", self.random.choice(("+", "-", "*", "/", "/", "**")), left, right)
        if roll < 0.65:
            return ("unary", "-", self.expression(kind, depth))
        if roll < 0.8:
            return ("cast", kind, self.expression(self.random.choice([kind, INT, FLOAT, Kind("uint", 4), BIT]), depth))
        name = self.random.choice(("sin", "cos", "tan", "sqrt", "floor", "ceiling", "exp", "arctan", "arcsin", "log"))
        angle = (
            self.name(like=lambda other: other.name == "angle" and other.size is not None)
            if name in {"sin", "cos", "tan"}
            else None
        )
        return ("call", name, angle or self.expression(self.random.choice([kind, INT]), depth))

    def _angle(self, kind: Kind, depth: int) -> Expression:
        roll = self.random.random()
        factor = self.expression(self.random.choice([Kind("uint", kind.size), UINT, INT]), 0)
        if roll < 0.4:
            operator = self.random.choice(("+", "-", "&", "|", "^") if kind.size is not None else "+-")
            return ("binary", operator, self.expression(kind, depth), self.expression(kind, depth))
        if roll < 0.55:
            return ("binary", self.random.choice(("*", "/")), self.expression(kind, depth), factor)
        if roll < 0.65:
            return ("unary", self.random.choice("-~" if kind.size is not None else "-"), self.expression(kind, depth))
        if roll < 0.75 and kind.size is not None:
            return (
                "binary",
                self.random.choice(("<<", ">>")),
                self.expression(kind, depth),
                self.literal(Kind("int", 2)),
            )
        if roll < 0.8:
            return ("call", "rotl", self.expression(kind, depth), self.literal(INT))
        inner = [FLOAT, Kind("float", 32)]
        if kind.size is not None:
            inner += [Kind("angle", 8), Kind("angle", 3), Kind("bit", kind.size)]
        return ("cast", kind, self.expression(self.random.choice(inner), depth))

    def _bits(self, kind: Kind, depth: int) -> Expression:
        roll = self.random.random()
        if roll < 0.4:
            return (
                "binary",
                self.random.choice([*BITWISE]),
                self.expression(kind, depth),
                self.expression(kind, depth),
            )
        if roll < 0.5:
            return ("unary", "~", self.expression(kind, depth))
        if roll < 0.6:
            return (
                "binary",
                self.random.choice(("<<", ">>")),
                self.expression(kind, depth),
                self.literal(Kind("int", 2)),
            )
        if roll < 0.7:
            return ("call", self.random.choice(("rotl", "rotr")), self.expression(kind, depth), self.literal(INT))
        size = kind.size or 1
        source = self.name(like=lambda other: (other.size or 0) > size and other.name != "float")
        if roll < 0.85 and source is not None:
            begin = self.random.randrange((self.kinds[source[1]].size or 1) - size)
            return ("part", source, begin, begin + size - 1)
        return ("cast", kind, self.expression(Kind(self.random.choice(("int", "uint", "angle")), size), depth))
