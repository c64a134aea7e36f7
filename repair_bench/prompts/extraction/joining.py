"""Append a function body without a signature to the starter code."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator

from repair_bench.prompts.extraction.effort import spend_on
from repair_bench.prompts.extraction.source import FUNCTION, SCOPE, compiles, defines, has_definition, outermost, parse

JOINED = "appended to the starter code"
_ACTS = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
_ENDS = (ast.Return, ast.Yield, ast.YieldFrom)
_WORDS = (ast.Name, ast.Constant, ast.Attribute, ast.Tuple)


def join(code: str, entry_point: str, starter: str) -> str | None:
    """Return the starter code with `code` as its body, or None if `code` is not a body or the result does not compile.

    The function tries `code` unchanged, then indented as a function body, and then with its first lines indented like
    the other lines.
    """
    spend_on(f"{starter}\n{code}")
    starter, code = starter.rstrip(), code.strip("\n").rstrip()
    indent = _indentation(starter)
    if not indent or not code or _stands_alone(code, entry_point):
        return None
    code = _with_comments(code)
    tried: set[str] = set()
    for arranged in (lines for even in _evened(code, indent) for lines in (even, *_moved(even, indent))):
        joined = f"{starter}\n{arranged}\n"
        if joined not in tried and _is_meant(joined, starter.count("\n") + 1, entry_point, indented=code[0].isspace()):
            return joined
        tried.add(joined)
    return None


def join_broken(code: str, entry_point: str, starter: str) -> str | None:
    """Append broken code to the starter code. Return None if the code is unlikely to be a function body.

    Code is a likely function body if it is indented or contains a return statement outside any function. However, the
    code is rejected if its first syntax error moves to an earlier line when the code is joined to the starter code.
    """
    starter, code = starter.rstrip(), _with_comments(code.strip("\n").rstrip())
    indent, alone = _indentation(starter), parse(code)
    if not indent or not isinstance(alone, int) or has_definition(code, entry_point):
        return None
    arranged = [lines for lines in _evened(code, indent) if lines[:1].isspace()]
    if re.search(r"^return\b", code, re.MULTILINE):
        arranged.insert(0, "\n".join(_put(line, "", indent) for line in code.split("\n")))
    broken = [(joined, parse(joined)) for joined in (f"{starter}\n{lines}\n" for lines in arranged)]
    ends = {joined: end for joined, end in broken if isinstance(end, int)}
    longest = max(ends, key=lambda joined: ends[joined], default=None)
    if longest is None or ends[longest] - starter.count("\n") - 1 < alone:
        return None
    return longest


def _indentation(starter: str) -> str | None:
    """Return the indentation that a function body needs after the starter code.

    Return "" if the last statement of the starter code is at the top level, so that no body can follow. Return None if
    the starter code contains no statement, or is not valid Python even with a body.
    """
    last = _space(starter[starter.rfind("\n") + 1 :])
    for program in (starter, f"{starter}\n{last}    pass"):
        tree = parse(program)
        if isinstance(tree, ast.Module) and tree.body:
            begins = max(node.lineno for node in ast.walk(tree) if isinstance(node, ast.stmt))
            return _space(program.split("\n")[begins - 1])
    return None


def _stands_alone(code: str, entry_point: str) -> bool:
    """Whether the code defines the entry point; an assignment does not count, because it may be local."""
    if compiles(textwrap.dedent(code)):
        return defines(code, entry_point) > 1
    return has_definition(code, entry_point)


def _with_comments(code: str) -> str:
    """Indent the comments above the first statement to match that statement."""
    lines = code.split("\n")
    first = next((at for at, line in enumerate(lines) if _is_code(line)), 0)
    return "\n".join([*(_put(line, _space(line), _space(lines[first])) for line in lines[:first]), *lines[first:]])


def _evened(code: str, indent: str) -> Iterator[str]:
    """Yield the code. If it is not valid Python, also yield copies with the first lines indented like the others."""
    yield code
    lines = code.split("\n")
    spaces = [(at, _space(line)) for at, line in enumerate(lines) if _is_code(line)]
    differing = next((n for n, (_, space) in enumerate(spaces) if space != spaces[0][1]), None)
    if differing is None or isinstance(_as_block(code), ast.Module):
        return
    for count in dict.fromkeys((1, differing)):  # the number of lines with another indentation
        (first, space), *more = spaces[count:]
        for wanted in dict.fromkeys((space, indent, min((space, *(other for _, other in more)), key=len))):
            yield "\n".join([*(_put(line, _space(line), wanted) for line in lines[:first]), *lines[first:]])


def _moved(code: str, indent: str) -> Iterator[str]:
    """Indent `code` by `indent`, but leave the contents of strings unchanged, and yield the result.

    Yields nothing if `code` is not valid Python.
    """
    tree = _as_block(code)
    if not isinstance(tree, ast.Module):
        return
    strings = {
        line - 2  # counted from 0, without the line added above
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr | ast.Constant) and node.end_lineno is not None
        for line in range(node.lineno + 1, node.end_lineno + 1)
    }
    margin = _margin(code)
    yield "\n".join(line if at in strings else _put(line, margin, indent) for at, line in enumerate(code.split("\n")))


def _as_block(code: str) -> ast.Module | int:
    return parse(f"{'if True:' if _margin(code) else ''}\n{code}")


def _margin(code: str) -> str:
    return next((_space(line) for line in code.split("\n") if _is_code(line)), "")


def _is_meant(joined: str, above: int, entry_point: str, *, indented: bool) -> bool:
    """Whether the code below line `above` is treated as the body of the entry point.

    Code that returns a value is treated as a function body, and so is indented code. Unindented code that returns no
    value is treated as a function body only if the code has a side effect. If the function's return annotation promises
    a value, unindented code without a return statement is treated as a function body only if the code has a side effect
    and reads an argument of the function.
    """
    tree = parse(joined)
    if not isinstance(tree, ast.Module):
        return False
    named = (node for node in ast.walk(tree) if isinstance(node, (*FUNCTION, ast.ClassDef)) and node.lineno <= above)
    function = max((node for node in named if node.name == entry_point), key=lambda node: node.lineno, default=None)
    added = _added(function, above) if function is not None else []
    inside = list(outermost(added))
    if function is None or all(_is_words(node) for node in added):
        return False
    if any(isinstance(node, _ENDS) for node in inside):
        return True
    if any(isinstance(node, ast.Name) and node.id == entry_point for node in inside):
        return False  # a separate program that uses or assigns it
    defining = any(isinstance(node, SCOPE) for node in added)
    if indented and not defining:
        return True
    acts = any(isinstance(node, ast.Expr) and isinstance(node.value, _ACTS) for node in inside)
    if not acts or isinstance(function, ast.ClassDef):
        return False
    promises = function.returns is not None and ast.unparse(function.returns) != "None"
    return _reads_argument(function, added) or not (promises or defining)


def _added(function: ast.AST, above: int) -> list[ast.stmt]:
    statements = [node for node in ast.walk(function) if isinstance(node, ast.stmt) and node.lineno <= above]
    children = (child for node in statements for child in ast.iter_child_nodes(node))
    return [child for child in children if isinstance(child, ast.stmt) and child.lineno > above]


def _is_words(node: ast.stmt) -> bool:
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, _WORDS) or (isinstance(node, ast.AnnAssign) and node.value is None)


def _reads_argument(function: ast.FunctionDef | ast.AsyncFunctionDef, added: list[ast.stmt]) -> bool:
    unread = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
    for statement in added:
        names = [node for node in outermost([statement]) if isinstance(node, ast.Name)]
        if any(node.id in unread and isinstance(node.ctx, ast.Load) for node in names):
            return True
        unread -= {node.id for node in names}
    return False


def _is_code(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _space(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _put(line: str, margin: str, indent: str) -> str:
    """Replace the `margin` at the start of a line with `indent`.

    If the line does not start with `margin`, replace the whole indentation of the line with `indent`.
    """
    if not line.strip():
        return line
    return indent + (line[len(margin) :] if line.startswith(margin) else line.lstrip())
