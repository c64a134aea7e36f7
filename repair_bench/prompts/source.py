"""What can be told of a piece of text taken for Python, without running it."""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from functools import lru_cache

from repair_bench.prompts.effort import spend, spend_on
from repair_bench.syntax_tree import parsed

_STATEMENT = re.compile(
    r"from\s++[\w.]++\s++import\s++[\w(*]"
    r"|import\s++[\w.]++(?:\s++as\s++\w++)?+(?:\s*+,\s*+[\w.]++(?:\s++as\s++\w++)?+)*+\s*+(?:[#;].*)?$"
    r"|(?:async\s++)?def\s++\w++\s*+\(|class\s++\w++\s*+[(:]|@\w++(?:[.(]|\s*+$)"
)
_ASSIGNMENT = re.compile(r"[A-Za-z_][\w.]*+(?:\[[^\]]*+\])?+(?:\s*+,\s*+\w++)*+(?:\s*+:\s*+[\w.\[\]]++)?+\s*+=[^=]")
_TOKENIZER_SPEED = 16
"""How much faster text is only split into tokens than made into a tree."""
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
SCOPE = (*FUNCTION, ast.ClassDef, ast.Lambda)


def parse(code: str) -> ast.Module | int:
    """The syntax tree; of what is no Python the number of the line, from 1, at which it ceases to be."""
    tree = _parse(code)
    # a parser that gives up has read the lines before; its tokenizer, which is much faster, may have read all
    read = len(code) * (1 if isinstance(tree, ast.Module) else min(1, tree / (code.count("\n") + 1)))
    spend(int(read) + len(code) // _TOKENIZER_SPEED)
    return tree


@lru_cache(maxsize=64)
def _parse(code: str) -> ast.Module | int:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a strange escape in a model's string is no affair of ours
            return parsed(code)
    except SyntaxError as error:
        return max(1, error.lineno or 1)
    except (ValueError, RecursionError, MemoryError):
        return 1


def compiles(code: str) -> bool:
    return isinstance(parse(code), ast.Module)


def begins_statement(line: str) -> bool:
    """Whether a line begins an import, a definition or a decorator: words that prose does not begin with."""
    return _STATEMENT.match(line.strip()) is not None


def begins_code(line: str) -> bool:
    """Whether a line is likely to be the first of a program: a statement, an assignment or a doctest prompt."""
    line = line.strip()
    if line.startswith(">>> ") or begins_statement(line):
        return True
    # one that goes on in the next line, or whose quotes are not Python's, does not compile by itself
    return _ASSIGNMENT.match(line) is not None and (line[-1] in "([{\\," or "\u201c" in line or compiles(line))


def has_code(text: str) -> bool:
    spend_on(text)
    return any(begins_code(line) for line in text.split("\n"))


def defines(code: str, name: str) -> int:
    """How well `code` defines `name` at its top level.

    0: not at all; 1: it is assigned, or the code does not parse and has a line that begins its definition; 2: by a
    function that does nothing; 3: by a function or a class.
    """
    tree = parse(textwrap.dedent(code))
    if not isinstance(tree, ast.Module):
        return int(has_definition(code, name))
    return max((_binds(node, name) for node in _top_level(tree)), default=0)


def has_definition(code: str, name: str) -> bool:
    """Whether a line, at whatever indentation, begins the definition of `name`."""
    return bool(re.search(rf"^[ \t>.]*(?:(?:async\s+)?def|class)\s+{re.escape(name)}\b", code, re.MULTILINE))


def inside_string(code: str) -> bool:
    """Whether `code` seems to end within a triple-quoted string."""
    return code.count('"""') % 2 == 1 or code.count("'''") % 2 == 1


def _top_level(tree: ast.Module) -> list[ast.stmt]:
    """The statements that bind names of the module, also those under `if`, `try` and `with`."""
    statements: list[ast.stmt] = []
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt):
            statements.append(node)
        if not isinstance(node, (*SCOPE, ast.expr)):
            waiting += ast.iter_child_nodes(node)
    return statements


def _binds(node: ast.stmt, name: str) -> int:
    if isinstance(node, (*FUNCTION, ast.ClassDef)) and node.name == name:
        return 2 if isinstance(node, FUNCTION) and _is_stub(node.body) else 3
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return int(any(isinstance(target, ast.Name) and target.id == name for target in targets))


def _is_stub(body: list[ast.stmt]) -> bool:
    return all(
        isinstance(node, ast.Pass | ast.Raise) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for node in body
    )
