"""Mutants of a program in OpenQASM 3, made in its text: of what reads like a gate, a measurement or an operator."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import combinations, pairwise, permutations
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
_DEFINED = re.compile(r"\bgate[ ]+(\w+)")
_CONTROL = re.compile(r"\b(neg)?ctrl[ ]*(?:\([ ]*(\d+)[ ]*\))?[ ]*@")
_NEGATIVE_CONTROL = re.compile(r"\bnegctrl\b")
_POWER = re.compile(r"\bpow[ ]*\((?:[^()\n]|\([^()\n]*\))*\)[ ]*@[ ]*")
_INVERSE = re.compile(r"\binv[ ]*@[ ]*")
_MEASURED = re.compile(r"(?<=measure )(?P<register>\w+)(?:\[(?P<index>[^\];]+)\])?(?=;)")
_MEASURED_BIT = re.compile(r"\w+\[\d+\](?= = measure )")
_RANGE = re.compile(r"(?<= in \[)(?P<start>[^][:\n]+):(?:(?P<step>[^][:\n]+):)?(?P<end>[^][:\n]+)(?=\])")
_OPERATOR = re.compile(r"(?<= )(?:\*\*|<<|>>|[-+*/%&|^])(?= )")
_QUBITS = re.compile(r"^qubit\[(\d+)\][ ]+(\w+);", re.MULTILINE)
_INPUT = re.compile(r"^input (?P<kind>(?:bit|array)\[(?:\w+, )?(?P<size>\d+)\]|\w+) (?P<name>\w+);", re.MULTILINE)
_OTHER_OPERATOR = {
    "+": "-",
    "-": "+",
    "*": "/",
    "/": "*",
    "**": "*",
    "%": "/",
    "<<": ">>",
    ">>": "<<",
    "&": "|",
    "|": "&",
    "^": "&",
}
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
    """The applications of gates of the library."""
    return (found for found in _GATE.finditer(source) if found["name"] in framework.gates)


def _applied(source: str, framework: Framework) -> list[re.Match[str]]:
    """The applications of gates of the library and of the program."""
    names = {*framework.gates, *_DEFINED.findall(source)}
    return [found for found in _GATE.finditer(source) if found["name"] in names]


def _application(found: re.Match[str]) -> str:
    return found.string[found.start("modifiers") : found.end()]


def _qubits(found: re.Match[str]) -> list[str]:
    return [part.strip() for part in found["qubits"].split(",")]


def _dropped(source: str, framework: Framework) -> Iterator[Edit]:
    for found in _applied(source, framework):
        yield Edit(f"{found['name']} dropped", found.start("modifiers"), found.end(), "")


def _doubled(source: str, framework: Framework) -> Iterator[Edit]:
    for found in _applied(source, framework):
        yield Edit(f"{found['name']} doubled", found.end(), found.end(), f" {_application(found)}")


def _exchanged(source: str, framework: Framework) -> Iterator[Edit]:
    """Two neighbouring gates in the wrong order; gates that share no qubit have no order."""
    for first, second in pairwise(_applied(source, framework)):
        between = source[first.end() : second.start("modifiers")]
        shared = any(
            one == other or other in (one.split("[")[0], one) or one == other.split("[")[0]
            for one in _qubits(first)
            for other in _qubits(second)
        )
        if shared and not between.strip():
            text = _application(second) + between + _application(first)
            yield Edit(f"{first['name']} after {second['name']}", first.start("modifiers"), second.end(), text)


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


def _halved(source: str, framework: Framework) -> Iterator[Edit]:
    for found in _gates(source, framework):
        if found["angles"] and framework.gates_by_name[found["name"]].angles == 1:
            yield Edit(f"angle of {found['name']} halved", *found.span("angles"), f"({found['angles']} * 0.5)")


def _not_inverted(source: str, framework: Framework) -> Iterator[Edit]:
    del framework
    for found in _INVERSE.finditer(source):
        yield Edit("inverse forgotten", *found.span(), "")


def _without_option(source: str, framework: Framework) -> Iterator[Edit]:
    """A control that waits for 0 or an exponent is forgotten."""
    del framework
    for found in _NEGATIVE_CONTROL.finditer(source):
        yield Edit("negctrl -> ctrl", *found.span(), "ctrl")
    for found in _POWER.finditer(source):
        yield Edit(f"{found[0].strip()} dropped", *found.span(), "")


def _swapped(source: str, framework: Framework) -> Iterator[Edit]:
    """The last control and the first target."""
    for found in _gates(source, framework):
        qubits = _qubits(found)
        controls = sum(role != "target" for role in _roles(found, framework))
        if 0 < controls < len(qubits):
            control, target = qubits[controls - 1 : controls + 1]
            text = ", ".join([*qubits[: controls - 1], target, control, *qubits[controls + 1 :]])
            yield Edit("control and target swapped", *found.span("qubits"), text)


def _permuted(source: str, framework: Framework) -> Iterator[Edit]:
    """Two qubits of a gate exchanged that it does not treat alike, or one taken for the next of its register."""
    applied = _applied(source, framework)
    for found in applied:
        qubits, roles = _qubits(found), _roles(found, framework)
        for first, second in combinations(range(len(qubits)), 2):
            if roles[first] != roles[second]:
                permuted = list(qubits)
                permuted[first], permuted[second] = qubits[second], qubits[first]
                yield Edit(f"qubits of {found['name']} permuted", *found.span("qubits"), ", ".join(permuted))
    items = {qubit for found in applied for qubit in _qubits(found) if re.fullmatch(r"\w+\[\d+\]", qubit)}
    for found in applied:
        qubits = _qubits(found)
        for place, qubit in enumerate(qubits):
            pool = sorted(item for item in items if item.split("[")[0] == qubit.split("[")[0])
            free = [item for item in pool if item not in qubits]
            if qubit in items and free:
                other = next((item for item in free if item > qubit), free[0])
                text = ", ".join([*qubits[:place], other, *qubits[place + 1 :]])
                yield Edit(f"{other} instead of {qubit} in {found['name']}", *found.span("qubits"), text)


def _roles(found: re.Match[str], framework: Framework) -> list[str]:
    """What each qubit of a gate is to it; those with the same role it treats alike."""
    roles = [
        f"control for {0 if neg else 1}"
        for neg, times in _CONTROL.findall(found["modifiers"])
        for _ in range(int(times or 1))
    ]
    own = len(_qubits(found)) - len(roles)
    if found["name"] not in framework.gates:
        return roles + [f"qubit {place}" for place in range(own)]
    controls = framework.gates_by_name[found["name"]].controls
    return roles + ["control for 1"] * controls + ["target"] * (own - controls)


def _bits_reversed(source: str, framework: Framework) -> Iterator[Edit]:
    del framework
    sizes = {name: int(size) for size, name in _QUBITS.findall(source)}
    for found in _MEASURED.finditer(source):
        register, index = found["register"], found["index"] or f"0:{sizes.get(found['register'], 1) - 1}"
        if "{" in index:
            text = f"{{{', '.join(part.strip() for part in reversed(index.strip('{}').split(',')))}}}"
        elif index.count(":") == 1:
            start, _, end = index.partition(":")
            text = f"{end}:-1:{start}"
        else:
            continue
        yield Edit("measured in the reverse order", *found.span(), f"{register}[{text}]")
    bits = list(_MEASURED_BIT.finditer(source))
    if len(bits) > 1:
        last = iter([bit[0] for bit in reversed(bits)])
        start, end = bits[0].start(), bits[-1].end()
        text = _MEASURED_BIT.sub(lambda _: next(last), source[start : end + len(" = measure ")])
        yield Edit("bits in the reverse order", start, end + len(" = measure "), text)


def _wrong_input(source: str, framework: Framework) -> Iterator[Edit]:
    """An input is taken for another of its type, read backwards, or replaced by 0."""
    del framework
    below = max((found.end() for found in _DECLARATION.finditer(source)), default=0)
    inputs = list(_INPUT.finditer(source))
    for one, other in permutations(inputs, 2):
        text = re.sub(rf"\b{one['name']}\b", other["name"], source[below:])
        if one["kind"] == other["kind"]:
            yield Edit(f"{other['name']} used for {one['name']}", below, len(source), text)
    for found in inputs:
        for use in re.finditer(rf"\b{found['name']}\b(?:\[([^]]+)\])?", source[below:]):
            start, end = below + use.start(), below + use.end()
            if use[1] and found["size"]:
                text = f"{found['name']}[{int(found['size']) - 1} - ({use[1]})]"
                yield Edit(f"{found['name']} read backwards", start, end, text)
            elif not use[1] and not found["size"]:
                yield Edit(f"0 used for {found['name']}", start, end, "0")


def _bound_off(source: str, framework: Framework) -> Iterator[Edit]:
    """A range that ends one too early or begins one too late."""
    del framework
    for found in _RANGE.finditer(source):
        later, earlier = ("-", "+") if (found["step"] or "").startswith("-") else ("+", "-")
        yield Edit(f"{found[0]} ends too early", *found.span("end"), f"{found['end']} {earlier} 1")
        yield Edit(f"{found[0]} begins too late", *found.span("start"), f"{found['start']} {later} 1")


def _other_operator(source: str, framework: Framework) -> Iterator[Edit]:
    del framework
    for found in _OPERATOR.finditer(source):
        yield Edit(f"{found[0]} -> {_OTHER_OPERATOR[found[0]]}", *found.span(), _OTHER_OPERATOR[found[0]])


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
    "gate_doubled": _doubled,
    "gates_exchanged": _exchanged,
    "gate_replaced": _replaced,
    "angle_negated": _negated,
    "angle_halved": _halved,
    "inverse_forgotten": _not_inverted,
    "control_target_swapped": _swapped,
    "qubits_permuted": _permuted,
    "bits_reversed": _bits_reversed,
    "measurement_dropped": _unmeasured,
    "wrong_input_used": _wrong_input,
    "loop_bound_off": _bound_off,
    "constant_changed": _counted,
    "comparison_flipped": _compared,
    "operator_changed": _other_operator,
    "option_forgotten": _without_option,
}
"""By the names of the kinds of mutants."""
