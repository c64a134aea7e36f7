"""Change a program's text at the position of a syntax node, preserving layout and comments."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import accumulate

from repair_bench.frameworks import Framework
from repair_bench.frameworks.parsed_program import Application
from repair_bench.suites.mutations.edits import parse

_UNCERTAIN = (
    *(ast.If, ast.IfExp, ast.For, ast.While, ast.Try, ast.Match, ast.BoolOp, ast.Lambda),
    *(ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp),
)


def entry(tree: ast.Module, entry_point: str) -> ast.FunctionDef | None:
    """Return the function that a call would execute: the last function with this name, or None."""
    named = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == entry_point]
    return named[-1] if named else None


def certain(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Yield the nodes that every call of the function executes: nodes outside conditions, loops and nested functions.

    Nested functions with a decorator, such as QNodes, are assumed to be called.
    """
    returned = False
    for statement in function.body:
        if returned:
            return
        yield from _certain(statement)
        inside = () if isinstance(statement, ast.FunctionDef) else ast.walk(statement)
        returned = any(isinstance(node, ast.Return | ast.Raise) for node in inside)


def _certain(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, _UNCERTAIN) or (isinstance(node, ast.FunctionDef) and not node.decorator_list):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _certain(child)


def certain_gates(source: str, framework: Framework, entry_point: str) -> list[Application]:
    """Return the gate applications that are executed in every call of the entry point."""
    tree = parse(source)
    function = entry(tree, entry_point)
    passed = set(certain(function)) if function else set()
    return [application for application in framework.parsed(tree).applications() if application.call in passed]


def free_name(source: str, name: str) -> str:
    """Return `name`, followed by as many underscores as are needed to form a name that the program does not use."""
    while re.search(rf"\b{re.escape(name)}\b", source):
        name += "_"
    return name


def replaced(source: str, node: ast.expr | ast.stmt, text: str) -> str:
    data = source.encode()  # the syntax tree counts columns in bytes
    starts = [0, *accumulate(map(len, data.splitlines(keepends=True)))]
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    begin, end = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
    return (data[:begin] + text.encode() + data[end:]).decode()


def insert_before(source: str, statement: ast.stmt, lines: list[str]) -> str:
    first = min([statement.lineno, *(decorator.lineno for decorator in getattr(statement, "decorator_list", []))])
    return _inserted(source, first - 1, statement.col_offset, lines)


def insert_after(source: str, statement: ast.stmt, lines: list[str]) -> str:
    return _inserted(source, statement.end_lineno or statement.lineno, statement.col_offset, lines)


def insert_on_top(source: str, lines: list[str]) -> str:
    """Insert lines before the first statement, but after the docstring and `from __future__` imports."""
    last = 0
    for statement in parse(source).body:
        is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        is_future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if not is_text and not is_future:
            break
        last = statement.end_lineno or last
    return _inserted(source, last, 0, lines)


def insert_in_entry(source: str, entry_point: str, lines: list[str]) -> str:
    """Insert lines at the start of the entry point, or at the top of the program if it defines no entry point."""
    function = entry(parse(source), entry_point)
    if function is None:
        return insert_on_top(source, lines)
    first = function.body[0]
    if source.split("\n")[first.lineno - 1][: first.col_offset].strip():
        return insert_on_top(source, lines)  # the function is on one line
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    if documented and len(function.body) > 1:
        return insert_before(source, function.body[1], lines)
    return insert_after(source, first, lines) if documented else insert_before(source, first, lines)


def _inserted(source: str, line: int, indent: int, lines: list[str]) -> str:
    text = source.split("\n")
    text[line:line] = [" " * indent + new for new in lines]
    return "\n".join(text)
