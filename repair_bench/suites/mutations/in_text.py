"""Mutants of a program in OpenQASM 3, made in its text: what reads like a gate, a measurement or a comparison there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from repair_bench.frameworks import Framework
from repair_bench.frameworks.gates import GATES

_GATE = re.compile(
    r"(?:(?<=[;{}\n])|^)[ \t]*(?P<modifiers>(?:(?:ctrl|negctrl|inv|pow)[ ]*(?:\([^()\n]*\))?[ ]*@[ ]*)*)"
    r"(?P<name>[A-Za-z]\w*)[ ]*(?P<angles>\((?:[^()\n]|\([^()\n]*\))*\))?[ ]+(?P<qubits>[^;{}()=\n]+);",
    re.MULTILINE,
)
_MEASURE = re.compile(r"(?:(?<=[;{}\n])|^)[ \t]*[\w\[\]: +*-]+=[ ]*measure[ ][^;\n]+;", re.MULTILINE)
_COMPARISON = re.compile(r"==|!=|<=|>=|(?<!<)<(?!<)|(?<!>)>(?!>)")
_NUMBER = re.compile(r"(?<![\w.$\"])\d+(?![\w.\"])")
_DECLARATION = re.compile(r"^(?:OPENQASM|include|input|qubit|bit)\b.*$", re.MULTILINE)
_COMMENT = re.compile(r'"[^"\n]*"|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_FLIPPED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


class Edit(NamedTuple):
    """What stands from `start` to `end` is replaced."""

    description: str
    start: int
    end: int
    text: str


def edits(kind: str, source: str, framework: Framework) -> Iterator[Edit]:
    """Those of one kind, none of them in a comment; there are none of a kind that is Python's alone."""
    code = _COMMENT.sub(lambda found: found[0] if found[0].startswith('"') else " " * len(found[0]), source)
    return OPERATORS[kind](code, framework) if kind in OPERATORS else iter(())


def _gates(source: str, framework: Framework) -> Iterator[re.Match[str]]:
    return (found for found in _GATE.finditer(source) if found["name"] in framework.gates)


def _dropped(source: str, framework: Framework) -> Iterator[Edit]:
    for found in _gates(source, framework):
        yield Edit(f"{found['name']} dropped", found.start("modifiers"), found.end(), "")


def _replaced(source: str, framework: Framework) -> Iterator[Edit]:
    for found in _gates(source, framework):
        for other in framework.gates_by_name[found["name"]].instead:
            name = framework.usual_name(other)
            if name is not None and GATES[other].angles == framework.gates_by_name[found["name"]].angles:
                yield Edit(f"{found['name']} -> {name}", *found.span("name"), name)


def _negated(source: str, framework: Framework) -> Iterator[Edit]:
    for found in _gates(source, framework):
        if found["angles"] and framework.gates_by_name[found["name"]].angles == 1:
            yield Edit(f"angle of {found['name']} negated", *found.span("angles"), f"(-{found['angles']})")


def _unmodified(source: str, framework: Framework) -> Iterator[Edit]:
    for found in _GATE.finditer(source):
        if re.match(r"inv\b", found["modifiers"]):
            yield Edit(f"inverse of {found['name']} forgotten", *found.span("modifiers"), "")
    del framework


def _swapped(source: str, framework: Framework) -> Iterator[Edit]:
    for found in _gates(source, framework):
        qubits = [part.strip() for part in found["qubits"].split(",")]
        controlled = framework.gates_by_name[found["name"]].controls or found["modifiers"]
        if len(qubits) > 1 and controlled:
            yield Edit("control and target swapped", *found.span("qubits"), ", ".join([*qubits[:-2], *qubits[:-3:-1]]))


def _unmeasured(source: str, framework: Framework) -> Iterator[Edit]:
    del framework
    for found in _MEASURE.finditer(source):
        yield Edit("measurement dropped", found.start(), found.end(), "")


def _compared(source: str, framework: Framework) -> Iterator[Edit]:
    del framework
    for found in _COMPARISON.finditer(source):
        yield Edit(f"{found[0]} -> {_FLIPPED[found[0]]}", *found.span(), _FLIPPED[found[0]])


def _counted(source: str, framework: Framework) -> Iterator[Edit]:
    """Numbers below the declarations, the size of what is declared apart."""
    del framework
    below = max((found.end() for found in _DECLARATION.finditer(source)), default=0)
    for found in _NUMBER.finditer(source, below):
        yield Edit(f"{found[0]} -> {int(found[0]) + 1}", *found.span(), str(int(found[0]) + 1))


OPERATORS: dict[str, Callable[[str, Framework], Iterator[Edit]]] = {
    "gate_dropped": _dropped,
    "gate_replaced": _replaced,
    "angle_negated": _negated,
    "inverse_forgotten": _unmodified,
    "control_target_swapped": _swapped,
    "measurement_dropped": _unmeasured,
    "constant_changed": _counted,
    "comparison_flipped": _compared,
}
"""By the names of the kinds of mutants."""
