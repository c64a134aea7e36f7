"""What is to be known of a Python source without running it: what it imports, which of its functions is the test."""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from typing import Annotated

from pydantic import AfterValidator

from repair_bench.syntax_tree import parsed

ImportPath = Callable[[str], Sequence[str] | None]
"""Where the interpreter of a framework imports from; None for the one that this is."""


def no_import_path(framework: str) -> None:
    """An `ImportPath`: every framework runs in this interpreter."""


def parse(source: str) -> ast.Module:
    """The source's syntax tree. Raises ValueError for what is no Python, whatever is wrong with it."""
    try:
        return parsed(source)
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


def unmet(*sources: str, packages: Iterable[str] = (), path: Sequence[str] | None = None) -> str | None:
    """Why these sources cannot run; None when all that they import, and `packages`, is there.

    `path`: where the interpreter that is to run them imports from; None for this one. Nothing is imported to find out;
    prose imports nothing.
    """
    names = {name for source in sources for name in _imports(source)}.union(packages)
    packages_needed = {name.split(".")[0] for name in names}
    if absent := sorted(name for name in packages_needed if not _is_there(name, path)):
        return f"needs {', '.join(absent)}, not installed"
    if gone := sorted(name for name in names if not _is_there(name, path)):
        return f"imports {', '.join(gone)}, which the installed {gone[0].split('.')[0]} does not have"
    return None


def import_statements(source: str) -> tuple[str, ...]:
    """The import statements of a source, wherever they stand in it; none of what is no Python."""
    nodes = ast.walk(_tree(source))
    imports = [ast.unparse(node) for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    return tuple(dict.fromkeys(line for line in imports if "__future__" not in line))


def given_classes(prompt: str, entry_point: str) -> str:
    """A source with the classes that a prompt defines, below the imports that it shows; empty for a prompt without."""
    body = _tree(prompt).body
    classes = [node for node in body if isinstance(node, ast.ClassDef) and node.name != entry_point]
    imports = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
    return "\n".join(map(ast.unparse, [*imports, *classes])) if classes else ""


def canary(reference: str, entry_point: str) -> str:
    """A program that no test should pass: a reference whose entry point was replaced by one that returns None."""
    return f"{reference}\n\ndef {entry_point}(*arguments, **keywords):\n    return None\n"


def _tree(source: str) -> ast.Module:
    """Return the syntax tree, an empty one for what is not Python."""
    try:
        return parse(source)
    except ValueError:
        return ast.Module([], [])


def _imports(source: str) -> set[str]:
    nodes = list(ast.walk(_tree(source)))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    modules = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}
    return names | {module for module in modules if module}


def _is_there(name: str, path: Sequence[str] | None) -> bool:
    top, *rest = name.split(".")
    spec = _find(top, path)
    for part in rest:
        if spec is None or spec.submodule_search_locations is None:  # not there, or no package: `os` makes `os.path`
            break
        spec = PathFinder.find_spec(f"{spec.name}.{part}", spec.submodule_search_locations)
    return spec is not None


def _find(top: str, path: Sequence[str] | None) -> ModuleSpec | None:
    if path is None or top in sys.stdlib_module_names:  # the same in every interpreter, near enough
        return importlib.util.find_spec(top)
    return PathFinder.find_spec(top, path)
