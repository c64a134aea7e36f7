"""Mistakes that make a program fail before it returns: the program raises an exception or lacks the requested function.

If the entry point is a function, each mistake makes the program fail for all arguments.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from repair_bench.frameworks import FRAMEWORKS, PYTHON, Framework
from repair_bench.suites.mutations import source_text
from repair_bench.suites.mutations.edits import compiles, parse

_T = TypeVar("_T")
_PROSE = (
    "Which simulator will run this? In outline: prepare the qubits, apply the gates in order, and measure.",
    "Put every qubit into superposition first, then apply the controlled gates, and read the result off at the end.",
    "This cannot be done with the gates that are named in the problem, so there is no program to show.",
)


@dataclass(frozen=True)
class Program:
    """The program into which a mistake is inserted. `variant`: an integer that selects the form of the mistake."""

    source: str
    framework: Framework
    entry_point: str
    variant: int

    def pick(self, choices: Sequence[_T]) -> _T:
        return choices[self.variant % len(choices)]

    def with_module(self, line: str) -> str:
        """Insert a line at the start of the entry point. `{}` in the line is replaced by the framework's module."""
        module = self.framework.parsed(parse(self.source)).module
        lines = [line.replace("{}", module or self.framework.name)]
        lines = lines if module else [f"import {self.framework.name}", *lines]
        return source_text.insert_in_entry(self.source, self.entry_point, lines)


def moved_import(program: Program) -> str:
    """Insert an import that fails because the framework has moved or removed the imported name."""
    return source_text.insert_on_top(program.source, [program.pick(program.framework.mistakes.moved_imports)])


def wrong_import(program: Program) -> str:
    """Import from a module that exists in no version of the framework."""
    return source_text.insert_on_top(program.source, [program.pick(program.framework.mistakes.invented_imports)])


def forgotten_import(program: Program) -> str:
    tree = parse(program.source)
    body = source_text.entry(tree, program.entry_point)
    used = {node.id for node in source_text.certain(body) if isinstance(node, ast.Name)} if body else set()
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    bound = [_bound(name) for node in imports for name in node.names]
    # another statement may bind the same name again
    names = {name for name in used if bound.count(name) == 1}
    choices = [node for node in imports if len(node.names) == 1 and _bound(node.names[0]) in names]
    return source_text.replaced(program.source, program.pick(choices), "") if choices else undefined_name(program)


def undefined_name(program: Program) -> str:
    wanted = program.pick(("final_circuit", "result_circuit", "target_qubit", "num_qubits"))
    name = source_text.free_name(program.source, wanted)
    function = source_text.entry(parse(program.source), program.entry_point)
    last = function.body[-1] if function else None
    returns = [node for node in ast.walk(function) if isinstance(node, ast.Return)] if function else []
    if isinstance(last, ast.Return) and last.value is not None and len(returns) == 1:
        return source_text.replaced(program.source, last.value, name)
    return source_text.insert_in_entry(program.source, program.entry_point, [f"count = {name} + 1"])


def undefined_global(program: Program) -> str:
    """Use an undefined name at module level, before any function is called."""
    name = source_text.free_name(program.source, program.pick(("DEFAULT_SHOTS", "BACKEND", "N_QUBITS")))
    return source_text.insert_on_top(program.source, [f"SETTINGS = {name}"])


def missing_attribute(program: Program) -> str:
    mistakes = program.framework.mistakes
    gates = source_text.certain_gates(program.source, program.framework, program.entry_point)
    named = [gate.named for gate in gates if gate.named is not None]
    if not named:
        return program.with_module(mistakes.unknown_gate)
    gate = program.pick(named)
    wrong = mistakes.misspelt.get(gate.attr, f"{gate.attr}_gate")
    return source_text.replaced(program.source, gate, f"{ast.unparse(gate.value)}.{wrong}")


def wrong_arguments(program: Program) -> str:
    gates = source_text.certain_gates(program.source, program.framework, program.entry_point)
    calls = [gate.call for gate in gates if gate.gate is not None and gate.call.func is gate.named]
    if not calls:
        return program.with_module(program.framework.mistakes.wrong_arguments)
    call = program.pick(calls)
    return source_text.replaced(program.source, call, f"{ast.unparse(call.func)}()")


def qubit_out_of_range(program: Program) -> str:
    """Use a qubit that does not exist in the circuit, as if qubits were counted from 1."""
    tree = parse(program.source)
    parsed = program.framework.parsed(tree)
    function = source_text.entry(tree, program.entry_point)
    if function is not None:
        assigned = (node for node in function.body if isinstance(node, ast.Assign))
        named = (node for node in assigned if isinstance(node.targets[0], ast.Name))
        added = next(filter(None, (parsed.qubit_out_of_range(function, node) for node in named)), None)
        if added is not None:
            put = source_text.insert_after if added.after else source_text.insert_before
            return put(program.source, added.statement, [added.text])
    return program.with_module(program.framework.mistakes.no_such_qubit)


def syntax_error(program: Program) -> str:
    name = re.escape(program.entry_point)
    colon = re.sub(rf"^(\s*def {name}\b.*):[ \t]*$", r"\1", program.source, count=1, flags=re.MULTILINE)
    unclosed = re.sub(r"^(\s*)return (.+)$", r"\1return (\2", program.source, count=1, flags=re.MULTILINE)
    leaked = "Here is the corrected program:\n\n" + program.source
    return program.pick([text for text in (colon, unclosed, leaked) if not compiles(text)])


def wrong_entry_point(program: Program) -> str:
    own = program.entry_point
    new = source_text.free_name(program.source, program.pick((f"build_{own}", f"{own}_circuit", "solution")))
    return re.sub(rf"\b{re.escape(own)}\b", new, program.source)


def prose(program: Program) -> str:
    return program.pick(_PROSE) + "\n"


MISTAKES: dict[str, Callable[[Program], str]] = {
    plant.__name__: plant
    for plant in (
        moved_import,
        wrong_import,
        forgotten_import,
        undefined_name,
        undefined_global,
        missing_attribute,
        wrong_arguments,
        qubit_out_of_range,
        syntax_error,
        wrong_entry_point,
        prose,
    )
}

CERTAIN = ("wrong_import", "undefined_global", "syntax_error", "prose")
"""Mistakes that, in all framework versions, make a program fail before its entry point is called. No check accepts such
a program."""


def plant(name: str, source: str, framework: str, entry_point: str, variant: int = 0) -> str:
    """Return `source` with a mistake. `name`: a key of `MISTAKES`. Raises KeyError for an unknown name or framework."""
    program = Program(source, FRAMEWORKS[framework], entry_point, variant)
    return MISTAKES[name](program) if program.framework.language is PYTHON else _in_text(name, program)


def _in_text(name: str, program: Program) -> str:
    """Insert a mistake into a program that is not Python, usually by appending a statement that cannot be executed."""
    mistakes = program.framework.mistakes
    if name == "prose":
        return prose(program)
    if name == "syntax_error":
        return program.pick((f"{program.source}}}\n", f"Here is the corrected program:\n\n{program.source}"))
    added = {
        "moved_import": program.pick(mistakes.moved_imports),
        "wrong_import": program.pick(mistakes.invented_imports),
        "missing_attribute": mistakes.unknown_gate,
        "wrong_arguments": mistakes.wrong_arguments,
    }
    return f"{program.source.rstrip()}\n{added.get(name, mistakes.no_such_qubit)}\n"


def _bound(name: ast.alias) -> str:
    return (name.asname or name.name).split(".")[0]
