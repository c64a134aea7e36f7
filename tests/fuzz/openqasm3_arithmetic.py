"""Generated OpenQASM 3 programs with typed arithmetic: their variables against a second evaluation.

    python tests/fuzz/openqasm3_arithmetic.py --programs 2000 --seed 0
    python tests/fuzz/openqasm3_arithmetic.py --python ENVIRONMENT/bin/python

A program whose result depends on a choice that the specification leaves open must be refused. With `--python`, the
variables of each program are also compared with those of the Amazon Braket simulator, which that interpreter must have
(`pip install amazon-braket-default-simulator`). Exit 1 when a result differs from the second evaluation.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
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
    IllTyped,
    Kind,
    Typed,
    Undefined,
    is_bits,
    is_whole,
)

from repair_bench.executors.guest.adapters.openqasm3_adapter import RAISES, load

READINGS = (
    Evaluation(adapts=True, turn=40, rounds=True),
    Evaluation(adapts=False, turn=64, rounds=False),
    Evaluation(adapts=False, turn=64, rounds=False, exact=True),
)
"""Two that the specification allows, and how Braket counts."""
KINDS = [
    *(INT, INT, UINT, FLOAT, BOOL, BIT, Kind("angle")),
    *(Kind(name, size) for name in ("int", "uint", "uint", "bit", "angle", "angle") for size in (3, 4, 8)),
    *(Kind("float", size) for size in (32, 32, 64)),
]
PLAIN = [kind for kind in KINDS if kind.name != "angle" and kind.size != 16]
"""Types that the Braket simulator has."""
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
    """Expressions and statements over variables of the types that the program declares."""

    def __init__(self, random_: random.Random, *, plain: bool = False) -> None:
        self.random = random_
        self.plain = plain
        self.kinds: dict[str, Kind] = {}

    def name(self, *, like: Any = None) -> Expression | None:
        found = [name for name, kind in self.kinds.items() if like is None or like(kind)]
        return ("name", self.random.choice(found)) if found else None

    def literal(self, kind: Kind) -> Expression:
        if kind.name == "bit" and kind.size is not None:
            bits = tuple(self.random.choices((0, 1), k=kind.size))
            return ("literal", '"{}"'.format("".join(map(str, bits[::-1]))), Typed(kind, bits))
        if kind.name in {"float", "angle"}:
            told = self.random.choice(("0.0", "0.5", "1.5", "0.1", "2.75", "6.5", "9.25", "100.0", "3.0", "1e-3"))
            return ("literal", told, READINGS[0].real(FLOAT, float(told)))
        if kind == BOOL:
            truth = self.random.randrange(2)
            return ("literal", ("false", "true")[truth], Typed(BOOL, truth))
        size = kind.size or 5
        near = (2**size // 2 - 1, 2**size // 2, 2**size - 1, 2**size)
        number = self.random.choice(near if self.random.random() < 0.06 else (0, 1, 1, 2, 2, 3))
        return ("literal", str(number), Typed(INT, number, literal=True))

    def expression(self, kind: Kind, depth: int) -> Expression:
        """One of that type or, for a number, of one that converts to it."""
        roll = self.random.random()
        if depth == 0 or roll < 0.2:
            alike = self.name(like=lambda other: other == kind)
            return alike if alike is not None and self.random.random() < 0.75 else self.literal(kind)
        if kind in {BOOL, BIT}:
            return self._truth(kind, depth - 1)
        if is_whole(kind):
            return self._integer(kind, depth - 1)
        if kind.name == "float":
            return self._float(kind, depth - 1)
        return self._bits(kind, depth - 1) if kind.name == "bit" else self._angle(kind, depth - 1)

    def _truth(self, kind: Kind, depth: int) -> Expression:
        roll = self.random.random()
        if kind == BIT and roll < 0.4 and not self.plain:
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
            operators = ("+", "-", "*", "/", "%", "**") if self.plain else ARITHMETIC
            operator = self.random.choice(
                operators if kind.name == "uint" else [o for o in operators if o not in {"*", "**", "<<"}]
            )
            other = kind if self.random.random() < 0.75 else self.random.choice([k for k in KINDS if is_whole(k)])
            right = self.literal(Kind("int", 2)) if operator in {"**", "<<", ">>"} else self.expression(other, depth)
            return ("binary", operator, self.expression(kind, depth), right)
        if roll < 0.7:
            return ("unary", self.random.choice("-" if self.plain else "-~"), self.expression(kind, depth))
        if roll < 0.8 and not self.plain:
            inner = self.random.choice([INT, FLOAT, BIT, Kind("uint", 4), Kind("int", 8), Kind("bit", kind.size or 3)])
            return ("cast", kind, self.expression(inner, depth))
        if roll < 0.9:
            bits = self.name(like=lambda other: is_bits(other) or other.name == "uint")
            return ("call", "popcount", bits or self.literal(Kind("bit", 4)))
        if kind.name == "uint" and kind.size is not None and not self.plain:
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
        if self.plain:
            return self.literal(kind)
        if roll < 0.7:
            return ("call", self.random.choice(("rotl", "rotr")), self.expression(kind, depth), self.literal(INT))
        size = kind.size or 1
        source = self.name(like=lambda other: (other.size or 0) > size and other.name != "float")
        if roll < 0.85 and source is not None:
            begin = self.random.randrange((self.kinds[source[1]].size or 1) - size)
            return ("part", source, begin, begin + size - 1)
        return ("cast", kind, self.expression(Kind(self.random.choice(("int", "uint", "angle")), size), depth))


@dataclass
class Made:
    """A program and the variables that it leaves, or that they are not defined."""

    source: str
    names: dict[str, Kind]
    expected: list[dict[str, Any]]
    """The raw values by each reading, if those that the specification allows give some."""


def made(seed: int, *, plain: bool = False) -> Made | None:
    """The program of a seed; None for one that is ill-typed. `plain`: only what the Braket simulator supports."""
    generator = Generator(random.Random(seed), plain=plain)
    pick = generator.random
    lines = []
    states: list[dict[str, Typed]] = [{} for _ in READINGS]
    undefined = [False for _ in READINGS]

    def run(name: str, kind: Kind, node: Expression) -> None:
        for place, reading in enumerate(READINGS):
            try:
                if not undefined[place]:
                    states[place][name] = reading.convert(kind, value(node, states[place], reading))
            except Undefined:
                undefined[place] = True

    try:
        for place in range(pick.randrange(3, 7)):
            name, kind = f"v{place}", pick.choice(PLAIN if plain else KINDS)
            node = generator.expression(kind, 0 if place < 2 else 1)
            lines.append(f"{kind} {name} = {text(node)};")
            run(name, kind, node)
            generator.kinds[name] = kind
        for _ in range(pick.randrange(1, 5)):
            name = pick.choice([*generator.kinds])
            kind, form = generator.kinds[name], pick.randrange(6)
            node = generator.expression(kind, pick.choice((1, 1, 2, 3)))
            if form == 0 and kind.name != "bool" and kind != BIT:
                operators = {"bit": "&|^", "angle": "+-", "float": "+-*/"}.get(
                    kind.name, "+-*/%&|^" if kind.name == "uint" else "+-/%"
                )
                operator = pick.choice(operators if kind != Kind("angle") else "+-")
                lines.append(f"{name} {operator}= {text(node)};")
                run(name, kind, ("binary", operator, ("name", name), node))
            elif form == 1:
                lines.append(
                    f"def f{len(lines)}({kind} a) -> {kind} {{ return a; }} {name} = f{len(lines)}({text(node)});"
                )
                run(name, kind, node)
            elif form == 2:
                turns = pick.randrange(1, 5)
                lines.append(f"for int i in [1:{turns}] {{ {name} = {text(node)}; }}")
                for _ in range(turns):
                    run(name, kind, node)
            elif form == 3 and kind.name != "bit":
                lines.append(f"array[{kind}, 2] w{len(lines)} = {{{name}, {text(node)}}}; {name} = w{len(lines)}[1];")
                run(name, kind, node)
            elif form == 4:
                condition = generator.expression(BOOL, 1)
                lines.append(f"if ({text(condition)}) {{ {name} = {text(node)}; }}")
                for place, reading in enumerate(READINGS):
                    try:
                        if undefined[place] or not value(condition, states[place], reading).value:
                            continue
                        states[place][name] = reading.convert(kind, value(node, states[place], reading))
                    except Undefined:
                        undefined[place] = True
            else:
                lines.append(f"{name} = {text(node)};")
                run(name, kind, node)
    except IllTyped:
        return None
    expected = [] if any(undefined[:2]) else [{name: raw(typed) for name, typed in state.items()} for state in states]
    return Made("\n".join(lines), generator.kinds, expected)


def found(source: str, names: dict[str, Kind]) -> dict[str, Any]:
    """The raw values that the interpreter gives the variables. Raises its error."""
    (memory,) = load("OPENQASM 3.0;\n" + source).paths()
    values: dict[str, Any] = {}
    for name, kind in names.items():
        what = memory.find(name)
        typed = memory.read(what) if kind.name == "bit" else what.value
        assert (typed.type.kind, typed.type.size, typed.loose) == (*kind, False)
        values[name] = typed.raw
    return values


def raw(typed: Typed) -> Any:
    """The value as the interpreter holds it."""
    if typed.kind.name == "angle":
        return int(typed.value * 2 ** (typed.kind.size or 64))
    if is_bits(typed.kind):
        return sum(bit << place for place, bit in enumerate(typed.value))
    return float(typed.value) if typed.kind.name == "float" else typed.value


def same(kind: Kind, one: Any, other: Any) -> bool:
    if kind == Kind("angle"):
        apart = (one - other) % 2**64
        return min(apart, 2**64 - apart) < 2**36
    return bool(one == other)


@dataclass
class Report:
    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    """Why programs are refused that have one result."""
    accepted: list[tuple[Made, dict[str, Any]]] = field(default_factory=list)


def fuzz(programs: int, seed: int, *, plain: bool = False) -> Report:
    """Compare so many well-typed programs."""
    report = Report()
    while report.counts["programs"] < programs:
        seed += 1
        program = made(seed, plain=plain)
        if program is None:
            continue
        report.counts["programs"] += 1
        wanted = program.expected[:2]
        definite = bool(wanted) and all(same(kind, *(w[name] for w in wanted)) for name, kind in program.names.items())
        report.counts["definite"] += definite
        try:
            values = found(program.source, program.names)
        except RAISES as error:
            report.counts["definite and refused" if definite else "open and refused"] += 1
            report.refused[str(error).partition("\n")[0].partition(": ")[2]] += definite
            continue
        report.accepted.append((program, values))
        right = definite and all(same(kind, values[name], wanted[1][name]) for name, kind in program.names.items())
        report.counts["definite and right" if right else "wrong"] += 1
        if not right:
            report.wrong.append(f"seed {seed}\n{program.source}\n{values}\n{wanted}")
    return report


BRAKET = """
import json, sys, warnings
warnings.simplefilter("ignore")
from braket.default_simulator.openqasm.interpreter import Interpreter

def plain(found):
    if hasattr(found, "values"):
        return sum(bit.value << place for place, bit in enumerate(found.values[::-1]))
    return found.value if isinstance(found.value, (bool, int)) else float(found.value)

for line in sys.stdin:
    source, names = json.loads(line)
    try:
        context = Interpreter().run("OPENQASM 3.0;\\n" + source)
        told = {name: plain(context.get_value(name)) for name in names}
    except Exception as error:
        told = str(error) or type(error).__name__
    print(json.dumps(told, default=int), flush=True)
"""
"""Prints the variables that the Amazon Braket simulator has for each program, or why it refuses it."""


def compare(python: str, accepted: list[tuple[Made, dict[str, Any]]]) -> tuple[Counter[str], list[str]]:
    """How Braket's variables of programs compare with those here, and the programs where they differ unexplained."""
    asked = "".join(json.dumps([program.source, [*program.names]]) + "\n" for program, _ in accepted)
    done = subprocess.run([python, "-c", BRAKET], input=asked, capture_output=True, text=True, check=True, timeout=3600)
    counts: Counter[str] = Counter()
    unexplained = []
    for (program, values), line in zip(accepted, done.stdout.splitlines(), strict=True):
        told = json.loads(line)
        if isinstance(told, str):
            counts["refused there"] += 1
            continue
        differ = [name for name, kind in program.names.items() if not alike(kind, values[name], told[name])]
        if not differ:
            counts["equal"] += 1
        elif all(alike(program.names[name], program.expected[2].get(name), told[name]) for name in differ):
            counts["as its integers are expected to differ"] += 1
        else:
            counts["differ otherwise"] += 1
            shown = "; ".join(
                f"{program.names[name]} {name}: {values[name]} here, {told[name]} there" for name in differ
            )
            unexplained.append(f"{program.source}\n  {shown}")
    return counts, unexplained


def alike(kind: Kind, own: Any, other: Any) -> bool:
    return own is not None and math.isclose(own, other, rel_tol=1e-6 if kind.name == "float" else 0, abs_tol=1e-9)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--python", help="an interpreter that has the Amazon Braket simulator")
    arguments = parser.parse_args()
    report = fuzz(arguments.programs, arguments.seed * 1_000_000)
    sys.stdout.write("\n\n".join(report.wrong[:10]) + f"\n{dict(report.counts)}\n")
    for reason, times in (+report.refused).most_common(25):
        sys.stdout.write(f"{times:6} {reason}\n")
    if arguments.python:
        plain = fuzz(arguments.programs, arguments.seed * 1_000_000, plain=True)
        counts, unexplained = compare(arguments.python, plain.accepted)
        sys.stdout.write("\n\n".join(["", *unexplained, f"{dict(plain.counts)}\nBraket: {dict(counts)}\n"]))
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
