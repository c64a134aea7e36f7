"""Mistakes that make a program fail before it returns: what a traceback, or a missing function, tells a model about.

Each is a function of the program's text, its framework, its entry point and a variant (any number), and gives the text
with the mistake in it. Applied to a program whose entry point is a function, every one fails when it is called,
whatever its arguments.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence

from repair_bench.frameworks import FRAMEWORKS, PYTHON, Framework
from repair_bench.suites.mutations import source_text
from repair_bench.suites.mutations.edits import compiles, parse

Plant = Callable[[str, str, str, int], str]

_PROSE = (
    "Which simulator will run this? In outline: prepare the qubits, apply the gates in order, and measure.",
    "Put every qubit into superposition first, then apply the controlled gates, and read the result off at the end.",
    "This cannot be done with the gates that are named in the problem, so there is no program to show.",
)


def moved_import(source: str, framework: str, entry_point: str, variant: int = 0) -> str:
    """Imports something that the framework has moved or removed."""
    del entry_point
    return source_text.insert_on_top(source, [_pick(FRAMEWORKS[framework].mistakes.moved_imports, variant)])


def wrong_import(source: str, framework: str, entry_point: str, variant: int = 0) -> str:
    """Imports from a module that the framework never had, in no version."""
    del entry_point
    return source_text.insert_on_top(source, [_pick(FRAMEWORKS[framework].mistakes.invented_imports, variant)])


def forgotten_import(source: str, framework: str, entry_point: str, variant: int = 0) -> str:
    """Uses something without importing it."""
    tree = parse(source)
    body = source_text.entry(tree, entry_point)
    used = {node.id for node in source_text.certain(body) if isinstance(node, ast.Name)} if body else set()
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    choices = [node for node in imports if len(node.names) == 1 and _bound(node.names[0]) in used]
    # another statement may bind the same name again
    choices = [
        node for node in choices if sum(_bound(a) == _bound(node.names[0]) for i in imports for a in i.names) == 1
    ]
    if not choices:
        return undefined_name(source, framework, entry_point, variant)
    return source_text.replaced(source, choices[variant % len(choices)], "")


def undefined_name(source: str, framework: str, entry_point: str, variant: int = 0) -> str:
    """The entry point uses a name that nothing defines."""
    del framework
    name = source_text.free_name(
        source, _pick(("final_circuit", "result_circuit", "target_qubit", "num_qubits"), variant)
    )
    function = source_text.entry(parse(source), entry_point)
    last = function.body[-1] if function else None
    returns = [node for node in ast.walk(function) if isinstance(node, ast.Return)] if function else []
    if isinstance(last, ast.Return) and last.value is not None and len(returns) == 1:
        return source_text.replaced(source, last.value, name)
    return source_text.insert_in_entry(source, entry_point, [f"count = {name} + 1"])


def undefined_global(source: str, framework: str, entry_point: str, variant: int = 0) -> str:
    """The module uses a name that nothing defines, before any function is called."""
    del framework, entry_point
    name = source_text.free_name(source, _pick(("DEFAULT_SHOTS", "BACKEND", "N_QUBITS"), variant))
    return source_text.insert_on_top(source, [f"SETTINGS = {name}"])


def missing_attribute(source: str, framework: str, entry_point: str, variant: int = 0) -> str:
    """A gate under a name that the framework does not have."""
    mistakes = FRAMEWORKS[framework].mistakes
    gates = [gate for gate in source_text.certain_gates(source, framework, entry_point) if gate.named is not None]
    if gates:
        named = gates[variant % len(gates)].named
        assert named is not None
        wrong = mistakes.misspelt.get(named.attr, f"{named.attr}_gate")
        return source_text.replaced(source, named, f"{ast.unparse(named.value)}.{wrong}")
    return _with_module(source, framework, entry_point, mistakes.unknown_gate)


def wrong_arguments(source: str, framework: str, entry_point: str, variant: int = 0) -> str:
    """A gate without its qubits."""
    gates = [
        application
        for application in source_text.certain_gates(source, framework, entry_point)
        if application.gate is not None and application.call.func is application.named
    ]
    if gates:
        call = gates[variant % len(gates)].call
        return source_text.replaced(source, call, f"{ast.unparse(call.func)}()")
    return _with_module(source, framework, entry_point, FRAMEWORKS[framework].mistakes.wrong_arguments)


def qubit_out_of_range(source: str, framework: str, entry_point: str, variant: int = 0) -> str:
    """A qubit, counted from 1, that the circuit does not have."""
    del variant
    tree = parse(source)
    program = FRAMEWORKS[framework].parsed(tree)
    function = source_text.entry(tree, entry_point)
    if function is not None:
        assigned = (node for node in function.body if isinstance(node, ast.Assign))
        named = (node for node in assigned if isinstance(node.targets[0], ast.Name))
        added = next(filter(None, (program.qubit_out_of_range(function, node) for node in named)), None)
        if added is not None:
            put = source_text.insert_after if added.after else source_text.insert_before
            return put(source, added.statement, [added.text])
    return _with_module(source, framework, entry_point, FRAMEWORKS[framework].mistakes.no_such_qubit)


def syntax_error(source: str, framework: str, entry_point: str, variant: int = 0) -> str:
    """Text that Python does not take for a program."""
    del framework
    colon = re.sub(rf"^(\s*def {re.escape(entry_point)}\b.*):[ \t]*$", r"\1", source, count=1, flags=re.MULTILINE)
    unclosed = re.sub(r"^(\s*)return (.+)$", r"\1return (\2", source, count=1, flags=re.MULTILINE)
    leaked = "Here is the corrected program:\n\n" + source
    choices = [text for text in (colon, unclosed, leaked) if not compiles(text)]
    return choices[variant % len(choices)]


def wrong_entry_point(source: str, framework: str, entry_point: str, variant: int = 0) -> str:
    """The function has another name than the one that is called."""
    del framework
    new = _pick((f"build_{entry_point}", f"{entry_point}_circuit", "solution"), variant)
    return re.sub(rf"\b{re.escape(entry_point)}\b", source_text.free_name(source, new), source)


def prose(source: str, framework: str, entry_point: str, variant: int = 0) -> str:
    """Words instead of a program."""
    del source, framework, entry_point
    return _pick(_PROSE, variant) + "\n"


MISTAKES: dict[str, Plant] = {
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
"""Those that fail before anything is called, with every version of the frameworks: no check can accept them."""


def plant(name: str, source: str, framework: str, entry_point: str, variant: int = 0) -> str:
    """`source` with the mistake of this name. Raises KeyError for an unknown name or framework."""
    if FRAMEWORKS[framework].language is not PYTHON:
        return _in_text(name, source, FRAMEWORKS[framework], variant)
    return MISTAKES[name](source, framework, entry_point, variant)


def _in_text(name: str, source: str, framework: Framework, variant: int) -> str:
    """In a language that is no Python: a statement more at the end, that cannot be run."""
    mistakes = framework.mistakes
    if name == "prose":
        return prose(source, framework.name, "", variant)
    if name == "syntax_error":
        return _pick((f"{source}}}\n", f"Here is the corrected program:\n\n{source}"), variant)
    added = {
        "moved_import": _pick(mistakes.moved_imports, variant),
        "wrong_import": _pick(mistakes.invented_imports, variant),
        "missing_attribute": mistakes.unknown_gate,
        "wrong_arguments": mistakes.wrong_arguments,
    }
    return f"{source.rstrip()}\n{added.get(name, mistakes.no_such_qubit)}\n"


def _pick(choices: Sequence[str], variant: int) -> str:
    return choices[variant % len(choices)]


def _bound(name: ast.alias) -> str:
    return (name.asname or name.name).split(".")[0]


def _with_module(source: str, framework: str, entry_point: str, line: str) -> str:
    """The line as the first of the entry point, `{}` standing for the framework's module."""
    module = FRAMEWORKS[framework].parsed(parse(source)).module
    lines = [line.replace("{}", module or framework)]
    return source_text.insert_in_entry(source, entry_point, lines if module else [f"import {framework}", *lines])
