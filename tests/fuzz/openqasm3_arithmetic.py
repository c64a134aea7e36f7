"""Generated OpenQASM 3 programs with typed arithmetic, compared with a second implementation.

    python tests/fuzz/openqasm3_arithmetic.py --programs 2000 --seed 0

A program must be refused if its result depends on a choice that the specification leaves open. Exit 1 if a result
differs from the second implementation.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from openqasm3_expressions import KINDS, READINGS, Expression, Generator, text, value
from openqasm3_reference import BIT, BOOL, IllTyped, Kind, Typed, Undefined, is_bits

from repair_bench.executors.guest.adapters.openqasm3_adapter import RAISES, load


@dataclass
class Made:
    """A program and the expected values of its variables."""

    source: str
    names: dict[str, Kind]
    expected: list[dict[str, Any]]
    """The raw values under each reading; empty if a permitted reading has no result."""


def made(seed: int) -> Made | None:
    """Return the program of a seed, or None if it is ill-typed."""
    generator = Generator(random.Random(seed))
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
            name, kind = f"v{place}", pick.choice(KINDS)
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
    expected = [] if any(undefined) else [{name: raw(typed) for name, typed in state.items()} for state in states]
    return Made("\n".join(lines), generator.kinds, expected)


def found(source: str, names: dict[str, Kind]) -> dict[str, Any]:
    """Return the raw values of the variables in the interpreter."""
    (memory,) = load("OPENQASM 3.0;\n" + source).paths()
    values: dict[str, Any] = {}
    for name, kind in names.items():
        what = memory.find(name)
        typed = memory.read(what) if kind.name == "bit" else what.value
        assert (typed.type.kind, typed.type.size, typed.loose) == (*kind, False)
        values[name] = typed.raw
    return values


def raw(typed: Typed) -> Any:
    if typed.kind.name == "angle":
        return int(typed.value * 2 ** (typed.kind.size or 64))
    if is_bits(typed.kind):
        return sum(bit << place for place, bit in enumerate(typed.value))
    return float(typed.value) if typed.kind.name == "float" else typed.value


def same(kind: Kind, one: Any, other: Any) -> bool:
    if kind == Kind("angle"):
        deviation = (one - other) % 2**64
        return min(deviation, 2**64 - deviation) < 2**36
    return bool(one == other)


@dataclass
class Report:
    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    """Reasons for refusals of programs with a definite result."""


def fuzz(programs: int, seed: int) -> Report:
    """Compare `programs` well-typed programs."""
    report = Report()
    while report.counts["programs"] < programs:
        seed += 1
        program = made(seed)
        if program is None:
            continue
        report.counts["programs"] += 1
        wanted = program.expected
        definite = bool(wanted) and all(same(kind, *(w[name] for w in wanted)) for name, kind in program.names.items())
        report.counts["definite"] += definite
        try:
            values = found(program.source, program.names)
        except RAISES as error:
            report.counts["definite and refused" if definite else "open and refused"] += 1
            report.refused[str(error).partition("\n")[0].partition(": ")[2]] += definite
            continue
        right = definite and all(same(kind, values[name], wanted[1][name]) for name, kind in program.names.items())
        report.counts["definite and right" if right else "wrong"] += 1
        if not right:
            report.wrong.append(f"seed {seed}\n{program.source}\n{values}\n{wanted}")
    return report


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    report = fuzz(arguments.programs, arguments.seed * 1_000_000)
    sys.stdout.write("\n\n".join(report.wrong[:10]) + f"\n{dict(report.counts)}\n")
    for reason, times in (+report.refused).most_common(25):
        sys.stdout.write(f"{times:6} {reason}\n")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
