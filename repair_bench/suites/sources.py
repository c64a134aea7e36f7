"""What is to be known of a Python source without running it: what it imports, which of its functions is the test."""

from __future__ import annotations

import ast
import importlib.util


def test_function(test: str, entry_point: str) -> str | None:
    """The function of a test program that is the test, by the rule of the Quantum Katas; None when there is none.

    It is called `test_<entry_point>`, else it is the first `test_*`. Raises SyntaxError.
    """
    functions = [node.name for node in ast.parse(test).body if isinstance(node, ast.FunctionDef)]
    named = [name for name in functions if name.startswith("test_")]
    wanted = f"test_{entry_point}"
    return wanted if wanted in named else next(iter(named), None)


def not_installed(*sources: str) -> list[str]:
    """The top-level packages that these sources import and this interpreter lacks. Prose imports nothing."""
    names = sorted({name for source in sources for name in _imports(source)})
    return [name for name in names if importlib.util.find_spec(name) is None]


def _imports(source: str) -> set[str]:
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except SyntaxError:
        return set()
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level}
    return {name.split(".")[0] for name in names}
