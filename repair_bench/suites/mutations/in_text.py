"""Mutants of OpenQASM 3 programs, made by editing the text of gates, measurements and operators."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, pairwise, permutations
from typing import NamedTuple

from repair_bench.frameworks import Framework
from repair_bench.frameworks.gates import GATES
from repair_bench.suites.mutations.edits import both_ways

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
_OTHER_OPERATOR = both_ways(("+", "-"), ("*", "/"), ("<<", ">>"), ("&", "|")) | {"**": "*", "%": "/", "^": "&"}
_FLIPPED = both_ways(("==", "!="), ("<", ">="), (">", "<="))


class Edit(NamedTuple):
    """A replacement for the text from `start` to `end`."""

    description: str
    start: int
    end: int
    text: str


Edits = Iterator[Edit]


class Program(NamedTuple):
    """A program without comments, and the gates that are available in the program."""

    code: str
    language: Framework

    def applied(self, *, library: bool = False) -> list[re.Match[str]]:
        """Return the places at which gates are applied. `library`: whether to include only gates from the library."""
        names = {*self.language.gates, *(() if library else _DEFINED.findall(self.code))}
        return [found for found in _GATE.finditer(self.code) if found["name"] in names]

    def angles(self) -> Iterator[re.Match[str]]:
        gates = self.language.gates_by_name
        return (gate for gate in self.applied(library=True) if gate["angles"] and gates[gate["name"]].angles == 1)

    @property
    def body(self) -> int:
        return max((found.end() for found in _DECLARATION.finditer(self.code)), default=0)


def edits(kind: str, source: str, framework: Framework) -> Edits:
    """Yield all edits of one kind outside comments. Mutation kinds that exist only for Python yield no edits."""
    code = _COMMENT.sub(lambda found: found[0] if found[0].startswith('"') else " " * len(found[0]), source)
    return OPERATORS[kind](Program(code, framework)) if kind in OPERATORS else iter(())


def _application(found: re.Match[str]) -> str:
    return found.string[found.start("modifiers") : found.end()]


def _qubits(found: re.Match[str]) -> list[str]:
    return [part.strip() for part in found["qubits"].split(",")]


def _on(found: re.Match[str], qubits: Sequence[str], description: str) -> Edit:
    return Edit(description, *found.span("qubits"), ", ".join(qubits))


def _rewritten(found: Iterable[re.Match[str]], new: Callable[[str], str]) -> Edits:
    for one in found:
        yield Edit(f"{one[0]} -> {new(one[0])}", *one.span(), new(one[0]))


def gate_dropped(program: Program) -> Edits:
    for found in program.applied():
        yield Edit(f"{found['name']} dropped", found.start("modifiers"), found.end(), "")


def gate_doubled(program: Program) -> Edits:
    for found in program.applied():
        yield Edit(f"{found['name']} doubled", found.end(), found.end(), f" {_application(found)}")


def gates_exchanged(program: Program) -> Edits:
    """Exchange two neighbouring gates, unless they share no qubit and therefore commute."""
    for first, second in pairwise(program.applied()):
        between = program.code[first.end() : second.start("modifiers")]
        shared = any(
            one == other or other in (one.split("[")[0], one) or one == other.split("[")[0]
            for one in _qubits(first)
            for other in _qubits(second)
        )
        if shared and not between.strip():
            text = _application(second) + between + _application(first)
            yield Edit(f"{first['name']} after {second['name']}", first.start("modifiers"), second.end(), text)


def gate_replaced(program: Program) -> Edits:
    for found in program.applied(library=True):
        gate = program.language.gates_by_name[found["name"]]
        for other in gate.instead:
            name = program.language.usual_name(other)
            if name is not None and GATES[other].angles == gate.angles:
                yield Edit(f"{found['name']} -> {name}", *found.span("name"), name)


def angle_negated(program: Program) -> Edits:
    for found in program.angles():
        yield Edit(f"angle of {found['name']} negated", *found.span("angles"), f"(-{found['angles']})")


def angle_halved(program: Program) -> Edits:
    for found in program.angles():
        yield Edit(f"angle of {found['name']} halved", *found.span("angles"), f"({found['angles']} * 0.5)")


def inverse_forgotten(program: Program) -> Edits:
    for found in _INVERSE.finditer(program.code):
        yield Edit("inverse forgotten", *found.span(), "")


def option_forgotten(program: Program) -> Edits:
    """Turn a gate's negative control (on state 0) into a positive control (on state 1), or remove a gate's exponent."""
    yield from _rewritten(_NEGATIVE_CONTROL.finditer(program.code), lambda _: "ctrl")
    for found in _POWER.finditer(program.code):
        yield Edit(f"{found[0].strip()} dropped", *found.span(), "")


def control_target_swapped(program: Program) -> Edits:
    for found in program.applied(library=True):
        qubits = _qubits(found)
        controls = sum(role != "target" for role in _roles(found, program.language))
        if 0 < controls < len(qubits):
            qubits[controls - 1 : controls + 1] = reversed(qubits[controls - 1 : controls + 1])
            yield _on(found, qubits, "control and target swapped")


def qubits_permuted(program: Program) -> Edits:
    """Exchange two qubits with different roles in a gate, or replace a qubit with the next one in the same register."""
    applied = program.applied()
    for found in applied:
        qubits, roles = _qubits(found), _roles(found, program.language)
        for first, second in combinations(range(len(qubits)), 2):
            if roles[first] != roles[second]:
                permuted = list(qubits)
                permuted[first], permuted[second] = qubits[second], qubits[first]
                yield _on(found, permuted, f"qubits of {found['name']} permuted")
    items = {qubit for found in applied for qubit in _qubits(found) if re.fullmatch(r"\w+\[\d+\]", qubit)}
    for found in applied:
        qubits = _qubits(found)
        for place, qubit in enumerate(qubits):
            pool = sorted(item for item in items if item.split("[")[0] == qubit.split("[")[0])
            free = [item for item in pool if item not in qubits]
            if qubit in items and free:
                other = next((item for item in free if item > qubit), free[0])
                changed = [*qubits[:place], other, *qubits[place + 1 :]]
                yield _on(found, changed, f"{other} instead of {qubit} in {found['name']}")


def _roles(found: re.Match[str], language: Framework) -> list[str]:
    """Return the role of each qubit in a gate. Swapping qubits that have the same role has no effect."""
    roles = [
        f"control for {0 if neg else 1}"
        for neg, times in _CONTROL.findall(found["modifiers"])
        for _ in range(int(times or 1))
    ]
    own = len(_qubits(found)) - len(roles)
    if found["name"] not in language.gates:
        return roles + [f"qubit {place}" for place in range(own)]
    controls = language.gates_by_name[found["name"]].controls
    return roles + ["control for 1"] * controls + ["target"] * (own - controls)


def bits_reversed(program: Program) -> Edits:
    sizes = {name: int(size) for size, name in _QUBITS.findall(program.code)}
    for found in _MEASURED.finditer(program.code):
        register, index = found["register"], found["index"] or f"0:{sizes.get(found['register'], 1) - 1}"
        if "{" in index:
            text = f"{{{', '.join(part.strip() for part in reversed(index.strip('{}').split(',')))}}}"
        elif index.count(":") == 1:
            start, _, end = index.partition(":")
            text = f"{end}:-1:{start}"
        else:
            continue
        yield Edit("measured in the reverse order", *found.span(), f"{register}[{text}]")
    bits = list(_MEASURED_BIT.finditer(program.code))
    if len(bits) > 1:
        last = iter([bit[0] for bit in reversed(bits)])
        begin, stop = bits[0].start(), bits[-1].end() + len(" = measure ")
        text = _MEASURED_BIT.sub(lambda _: next(last), program.code[begin:stop])
        yield Edit("bits in reverse order", begin, stop, text)


def measurement_dropped(program: Program) -> Edits:
    for found in _MEASURE.finditer(program.code):
        yield Edit("measurement dropped", *found.span(), "")


def wrong_input_used(program: Program) -> Edits:
    """Replace one occurrence of an input with another input of the same type, with the reversed input, or with 0."""
    code, below = program.code, program.body
    inputs = list(_INPUT.finditer(code))
    for one, other in permutations(inputs, 2):
        text = re.sub(rf"\b{one['name']}\b", other["name"], code[below:])
        if one["kind"] == other["kind"]:
            yield Edit(f"{other['name']} used for {one['name']}", below, len(code), text)
    for found in inputs:
        for use in re.compile(rf"\b{found['name']}\b(?:\[([^]]+)\])?").finditer(code, below):
            if use[1] and found["size"]:
                text = f"{found['name']}[{int(found['size']) - 1} - ({use[1]})]"
                yield Edit(f"{found['name']} read backwards", *use.span(), text)
            elif not use[1] and not found["size"]:
                yield Edit(f"0 used for {found['name']}", *use.span(), "0")


def loop_bound_off(program: Program) -> Edits:
    for found in _RANGE.finditer(program.code):
        later, earlier = ("-", "+") if (found["step"] or "").startswith("-") else ("+", "-")
        yield Edit(f"{found[0]} ends too early", *found.span("end"), f"{found['end']} {earlier} 1")
        yield Edit(f"{found[0]} begins too late", *found.span("start"), f"{found['start']} {later} 1")


def constant_changed(program: Program) -> Edits:
    """Add 1 to a number in the statements that follow the program's declarations.

    Numbers in declarations are sizes of registers and stay unchanged.
    """
    return _rewritten(_NUMBER.finditer(program.code, program.body), lambda number: str(int(number) + 1))


def comparison_flipped(program: Program) -> Edits:
    return _rewritten(_COMPARISON.finditer(program.code), _FLIPPED.__getitem__)


def operator_changed(program: Program) -> Edits:
    return _rewritten(_OPERATOR.finditer(program.code), _OTHER_OPERATOR.__getitem__)


OPERATORS: dict[str, Callable[[Program], Edits]] = {
    operator.__name__: operator
    for operator in (
        gate_dropped,
        gate_doubled,
        gates_exchanged,
        gate_replaced,
        angle_negated,
        angle_halved,
        inverse_forgotten,
        control_target_swapped,
        qubits_permuted,
        bits_reversed,
        measurement_dropped,
        wrong_input_used,
        loop_bound_off,
        constant_changed,
        comparison_flipped,
        operator_changed,
        option_forgotten,
    )
}
"""The operator that makes each kind of mutant."""
