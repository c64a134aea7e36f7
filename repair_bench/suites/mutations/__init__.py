"""Incorrect versions of correct programs: mutants, which usually run, and mistakes, which make a program fail.

Mutants and mistakes are made by changing source code, in which gates are recognised by name
(`frameworks.parsed_program`); nothing is executed. Audits use mutants to find incorrect programs that pass a check, and
simulated models insert mutations as bugs.

The syntax tree of a mutant always differs from that of the original program. Some mutants still behave like the
original program, for example because a barrier was doubled or a Z gate was applied to |0>. Some mutants raise an
exception.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from repair_bench.frameworks import FRAMEWORKS, PYTHON
from repair_bench.frameworks.parsed_program import ParsedProgram
from repair_bench.suites.mutations import classical, gates, in_text, measurements
from repair_bench.suites.mutations.edits import compiles, parse
from repair_bench.suites.mutations.gates import Edits

OPERATORS: dict[str, Callable[[ParsedProgram], Edits]] = {
    operator.__name__: operator
    for operator in (
        gates.gate_dropped,
        gates.gate_doubled,
        gates.gates_exchanged,
        gates.gate_replaced,
        gates.angle_negated,
        gates.angle_halved,
        gates.inverse_forgotten,
        gates.control_target_swapped,
        gates.qubits_permuted,
        measurements.bits_reversed,
        measurements.measurement_dropped,
        classical.wrong_input_used,
        classical.loop_bound_off,
        classical.constant_changed,
        classical.comparison_flipped,
        classical.operator_changed,
        classical.option_forgotten,
        classical.return_forgotten,
    )
}

KINDS = tuple(OPERATORS)


@dataclass(frozen=True)
class Mutant:
    """A program with one mutation. `line`: the line of the original at which the mutation was made."""

    kind: str
    description: str
    source: str
    line: int


def mutants(source: str, framework: str, kinds: Iterable[str] = KINDS) -> Iterator[Mutant]:
    """Yield all programs that differ from `source` by one mutation, in a fixed order.

    All mutants compile. Each mutant differs from `source` and from all other mutants, not only in layout. Comments are
    removed. In languages other than Python, mutations edit the source text directly (`in_text`), and mutants may be
    invalid. Raises SyntaxError if `source` is invalid, and KeyError for an unknown framework or kind.
    """
    known = FRAMEWORKS[framework]
    if known.language is not PYTHON:
        seen = {source}
        for kind in kinds:
            for edit in in_text.edits(kind, source, known):
                text = source[: edit.start] + edit.text + source[edit.end :]
                if text not in seen:
                    seen.add(text)
                    yield Mutant(kind, edit.description, text, source.count("\n", 0, edit.start) + 1)
        return
    tree = parse(source)
    program = known.parsed(tree)
    seen = {ast.unparse(tree)}
    for kind in kinds:
        for description, node in OPERATORS[kind](program):
            text = ast.unparse(tree)
            if text not in seen and compiles(text):
                seen.add(text)
                yield Mutant(kind, description, text + "\n", getattr(node, "lineno", 0))


__all__ = ["KINDS", "OPERATORS", "Mutant", "mutants"]
