"""What is to be known of a Python source without running it: what it imports, which of its functions is the test."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterable
from importlib.machinery import PathFinder
from typing import Annotated

from pydantic import AfterValidator


def parse(source: str) -> ast.Module:
    """The source's syntax tree. Raises ValueError for what is no Python, whatever is wrong with it."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"is not Python: {error}") from error


def _python(source: str) -> str:
    parse(source)
    return source


Python = Annotated[str, AfterValidator(_python)]
"""A field of a dataset that must hold Python."""


def test_function(test: str, entry_point: str) -> str | None:
    """The function of a test program that is the test, by the rule of the Quantum Katas; None when there is none.

    It is called `test_<entry_point>`, else it is the first `test_*`. Raises ValueError for what is no Python.
    """
    functions = [node.name for node in parse(test).body if isinstance(node, ast.FunctionDef)]
    named = [name for name in functions if name.startswith("test_")]
    wanted = f"test_{entry_point}"
    return wanted if wanted in named else next(iter(named), None)


def unmet(*sources: str, packages: Iterable[str] = ()) -> str | None:
    """Why these sources cannot run in this interpreter; None when all that they import, and `packages`, is there.

    Nothing is imported to find out; prose imports nothing.
    """
    names = {name for source in sources for name in _imports(source)}.union(packages)
    packages_needed = {name.split(".")[0] for name in names}
    if absent := sorted(name for name in packages_needed if not _is_there(name)):
        return f"needs {', '.join(absent)}, not installed"
    if gone := sorted(name for name in names if not _is_there(name)):
        return f"imports {', '.join(gone)}, which the installed {gone[0].split('.')[0]} does not have"
    return None


def _imports(source: str) -> set[str]:
    try:
        nodes = list(ast.walk(parse(source)))
    except ValueError:
        return set()
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    modules = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}
    return names | {module for module in modules if module}


def _is_there(name: str) -> bool:
    top, *rest = name.split(".")
    spec = importlib.util.find_spec(top)
    for part in rest:
        if spec is None or spec.submodule_search_locations is None:  # not there, or no package: `os` makes `os.path`
            break
        spec = PathFinder.find_spec(f"{spec.name}.{part}", spec.submodule_search_locations)
    return spec is not None
