"""Static analysis of text that may be Python source."""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache

from repair_bench.prompts.extraction.effort import spend, spend_on
from repair_bench.syntax_tree import parsed

_STATEMENT = re.compile(
    r"from\s++[\w.]++\s++import\s++[\w(*]"
    r"|import\s++[\w.]++(?:\s++as\s++\w++)?+(?:\s*+,\s*+[\w.]++(?:\s++as\s++\w++)?+)*+\s*+(?:[#;].*)?$"
    r"|(?:async\s++)?def\s++\w++\s*+\(|class\s++\w++\s*+[(:]|@\w++(?:[.(]|\s*+$)"
)
_ASSIGNMENT = re.compile(r"[A-Za-z_][\w.]*+(?:\[[^\]]*+\])?+(?:\s*+,\s*+\w++)*+(?:\s*+:\s*+[\w.\[\]]++)?+\s*+=[^=]")
_OMISSION = re.compile(r"^[ \t]*+#[ \t]*+(?:\.\.\.|\u2026)", re.MULTILINE)
_TOKENIZER_SPEED = 16
"""The tokenizer's speed as a multiple of the parser's speed."""
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
SCOPE = (*FUNCTION, ast.ClassDef, ast.Lambda)


def parse(code: str) -> ast.Module | int:
    """Return the syntax tree or, if the code is not valid Python, the number (from 1) of the line with the error."""
    tree = _parse(code)
    # at an error the parser has read the lines above it; the tokenizer, which is much faster, may have read all
    read = len(code) * (1 if isinstance(tree, ast.Module) else min(1, tree / (code.count("\n") + 1)))
    spend(int(read) + len(code) // _TOKENIZER_SPEED)
    return tree


@lru_cache(maxsize=64)
def _parse(code: str) -> ast.Module | int:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as invalid escapes in a string
            return parsed(code)
    except SyntaxError as error:
        return max(1, error.lineno or 1)
    except (ValueError, RecursionError, MemoryError):
        return 1


def compiles(code: str) -> bool:
    return isinstance(parse(code), ast.Module)


def begins_statement(line: str) -> bool:
    """Whether a line begins an import, a definition or a decorator."""
    return _STATEMENT.match(line.strip()) is not None


def begins_code(line: str) -> bool:
    """Whether a line is likely to be the first line of a program: a statement, an assignment or a doctest prompt."""
    line = line.strip()
    if line.startswith(">>> ") or begins_statement(line):
        return True
    # an assignment that continues on the next line, or has typographic quotes, does not compile on its own
    return _ASSIGNMENT.match(line) is not None and (line[-1] in "([{\\," or "\u201c" in line or compiles(line))


def has_code(text: str) -> bool:
    spend_on(text)
    return any(begins_code(line) for line in text.split("\n"))


def defines(code: str, name: str) -> int:
    """Return a score that describes how `name` is defined at the top level of `code`. 0: `name` is not defined. 1: an
    assignment, or a line that begins a definition in code that does not parse. 2: a function without effect. 3: any
    other function, or a class.
    """
    tree = parse(textwrap.dedent(code))
    if not isinstance(tree, ast.Module):
        return int(has_definition(code, name))
    statements = (node for node in outermost(tree.body, (*SCOPE, ast.expr)) if isinstance(node, ast.stmt))
    return max((_binds(node, name) for node in statements), default=0)


def is_abridged(code: str) -> bool:
    """Whether `...` stands for omitted statements: at the start of a comment line, or among other statements."""
    tree = parse(code) if "..." in code else None
    nodes = ast.walk(tree) if isinstance(tree, ast.Module) else ()
    bodies = (body for node in nodes for _, body in ast.iter_fields(node) if isinstance(body, list))
    among = (node for body in bodies if not _is_stub(body) for node in body if isinstance(node, ast.Expr))
    omitted = any(isinstance(node.value, ast.Constant) and node.value.value is ... for node in among)
    return omitted or _OMISSION.search(code) is not None


def has_definition(code: str, name: str) -> bool:
    """Whether a line at any indentation begins the definition of `name`."""
    return bool(re.search(rf"^[ \t>.]*(?:(?:async\s+)?def|class)\s+{re.escape(name)}\b", code, re.MULTILINE))


def inside_string(code: str) -> bool:
    """Whether `code` probably ends inside a triple-quoted string."""
    return code.count('"""') % 2 == 1 or code.count("'''") % 2 == 1


def outermost(nodes: Iterable[ast.AST], closed: tuple[type[ast.AST], ...] = SCOPE) -> Iterator[ast.AST]:
    """Yield the nodes and their descendants, without descending into nodes of the types in `closed`."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, closed):
            waiting += ast.iter_child_nodes(node)


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
