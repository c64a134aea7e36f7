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

from openqasm3_expressions import KINDS, PLAIN, READINGS, Expression, Generator, text, value
from openqasm3_reference import BIT, BOOL, IllTyped, Kind, Typed, Undefined, is_bits

from repair_bench.executors.guest.adapters.openqasm3_adapter import RAISES, load


@dataclass
class Made:
    """A program and its final variables, or that they are undefined."""

    source: str
    names: dict[str, Kind]
    expected: list[dict[str, Any]]
    """The raw values by reading, for the readings that give some."""


def made(seed: int, *, plain: bool = False) -> Made | None:
    """Return the program of a seed; None if it is ill-typed. `plain`: only types of the Braket simulator."""
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
    """Return the raw values of the variables in the interpreter. Raises its error."""
    (memory,) = load("OPENQASM 3.0;\n" + source).paths()
    values: dict[str, Any] = {}
    for name, kind in names.items():
        what = memory.find(name)
        typed = memory.read(what) if kind.name == "bit" else what.value
        assert (typed.type.kind, typed.type.size, typed.loose) == (*kind, False)
        values[name] = typed.raw
    return values


def raw(typed: Typed) -> Any:
    """Return the value as the interpreter holds it."""
    if typed.kind.name == "angle":
        return int(typed.value * 2 ** (typed.kind.size or 64))
    if is_bits(typed.kind):
        return sum(bit << place for place, bit in enumerate(typed.value))
    return float(typed.value) if typed.kind.name == "float" else typed.value


def same(kind: Kind, one: Any, other: Any) -> bool:
    if kind == Kind("angle"):
        difference = (one - other) % 2**64
        return min(difference, 2**64 - difference) < 2**36
    return bool(one == other)


@dataclass
class Report:
    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    """Reasons for refusing programs that have one result."""
    accepted: list[tuple[Made, dict[str, Any]]] = field(default_factory=list)


def fuzz(programs: int, seed: int, *, plain: bool = False) -> Report:
    """Compare `count` well-typed programs."""
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
        result = {name: plain(context.get_value(name)) for name in names}
    except Exception as error:
        result = str(error) or type(error).__name__
    print(json.dumps(result, default=int), flush=True)
"""
"""Prints the variables of each program in the Amazon Braket simulator, or the reason for refusing it."""


def compare(python: str, accepted: list[tuple[Made, dict[str, Any]]]) -> tuple[Counter[str], list[str]]:
    """Compare Braket's variables of programs with ours. Return the unexplained differences too."""
    asked = "".join(json.dumps([program.source, [*program.names]]) + "\n" for program, _ in accepted)
    done = subprocess.run([python, "-c", BRAKET], input=asked, capture_output=True, text=True, check=True, timeout=3600)
    counts: Counter[str] = Counter()
    unexplained = []
    for (program, values), line in zip(accepted, done.stdout.splitlines(), strict=True):
        result = json.loads(line)
        if isinstance(result, str):
            counts["refused there"] += 1
            continue
        differ = [name for name, kind in program.names.items() if not agree(kind, values[name], result[name])]
        if not differ:
            counts["equal"] += 1
        elif all(agree(program.names[name], program.expected[2].get(name), result[name]) for name in differ):
            counts["as its integers are expected to differ"] += 1
        else:
            counts["differ otherwise"] += 1
            shown = "; ".join(
                f"{program.names[name]} {name}: {values[name]} here, {result[name]} there" for name in differ
            )
            unexplained.append(f"{program.source}\n  {shown}")
    return counts, unexplained


def agree(kind: Kind, own: Any, other: Any) -> bool:
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
