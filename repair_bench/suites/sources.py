"""Static analysis of Python source code: imports, classes and test functions."""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.machinery import PathFinder
from typing import Annotated

from pydantic import AfterValidator

from repair_bench.syntax_tree import parsed

ImportPath = Callable[[str], Sequence[str] | None]
"""A function that returns the import path of a framework's interpreter, or None for the current interpreter."""


EXTRAS = {
    **{name: name for name in ("cirq", "pennylane")},
    **dict.fromkeys(("antlr4", "openqasm3"), "openqasm"),
    **dict.fromkeys(
        ("networkx", "pylatexenc", "qiskit_ibm_runtime", "qiskit_qasm3_import", "seaborn"), "qiskit-humaneval"
    ),
}
"""The extra of repair-bench that installs a module."""


def no_import_path(framework: str) -> None:
    """Return None, so that all frameworks use the current interpreter's import path."""


def parse(source: str) -> ast.Module:
    """Return the syntax tree. Raises ValueError for text that is not Python."""
    try:
        return parsed(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"is not Python: {error}") from error


def _python(source: str) -> str:
    parse(source)
    return source


Python = Annotated[str, AfterValidator(_python)]
"""The type of a dataset field whose text must be valid Python source code."""


def test_function(test: str, entry_point: str) -> str | None:
    """Return the test function that the Quantum Katas would call in a test program, or None.

    The function is `test_<entry_point>` if it exists, otherwise the first `test_*`. Raises ValueError for text that is
    not Python.
    """
    functions = [node.name for node in parse(test).body if isinstance(node, ast.FunctionDef)]
    named = [name for name in functions if name.startswith("test_")]
    wanted = f"test_{entry_point}"
    return wanted if wanted in named else next(iter(named), None)


def unmet(*sources: str, packages: Iterable[str] = (), path: Sequence[str] | None = None) -> str | None:
    """Return the reason why `sources` cannot run, or None if all their imports and `packages` are installed.

    `path`: the import path of the interpreter that will run the sources; None for the current interpreter. Nothing is
    imported. Text that is not Python has no imports.
    """
    names = {name for source in sources for name in _imports(source)}.union(packages)
    packages_needed = {name.split(".")[0] for name in names}
    if absent := sorted(name for name in packages_needed if not _is_installed(name, path)):
        extras = {EXTRAS[name] for name in absent if name in EXTRAS and path is None}
        advice = f" (pip install 'repair-bench[{','.join(sorted(extras))}]')" if extras else ""
        return f"needs {', '.join(absent)}, not installed{advice}"
    if removed := sorted(name for name in names if not _is_installed(name, path)):
        return f"imports {', '.join(removed)}, which the installed {removed[0].split('.')[0]} does not have"
    return None


def import_statements(source: str) -> tuple[str, ...]:
    nodes = ast.walk(tree(source))
    imports = [ast.unparse(node) for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    return tuple(dict.fromkeys(line for line in imports if "__future__" not in line))


def given_classes(prompt: str, entry_point: str) -> str:
    """Return the source code of the imports and classes in a prompt, or "" for a prompt without classes."""
    body = tree(prompt).body
    classes = [node for node in body if isinstance(node, ast.ClassDef) and node.name != entry_point]
    imports = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
    return "\n".join(map(ast.unparse, [*imports, *classes])) if classes else ""


def canary(reference: str, entry_point: str) -> str:
    """Return a program that should fail every test: the reference with an entry point that returns None."""
    return f"{reference}\n\ndef {entry_point}(*arguments, **keywords):\n    return None\n"


def tree(source: str) -> ast.Module:
    """Return the syntax tree of a text; the tree is empty if the text is not Python."""
    try:
        return parse(source)
    except ValueError:
        return ast.Module([], [])


def _imports(source: str) -> set[str]:
    nodes = list(ast.walk(tree(source)))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    modules = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}
    return names | {module for module in modules if module}


def _is_installed(name: str, path: Sequence[str] | None) -> bool:
    top, *rest = name.split(".")
    here = path is None or top in sys.stdlib_module_names  # these modules are nearly the same in every interpreter
    spec = importlib.util.find_spec(top) if here else PathFinder.find_spec(top, path)
    for part in rest:
        if spec is None or spec.submodule_search_locations is None:  # absent, or not a package: `os` creates `os.path`
            break
        spec = PathFinder.find_spec(f"{spec.name}.{part}", spec.submodule_search_locations)
    return spec is not None
