"""What a module defines is used in it or taken from it by name.

vulture goes by the bare name, and takes a namesake in another module for a use.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import repair_bench

PACKAGE = Path(repair_bench.__file__).parent
ROOMS = ["agent", "analysis", "grading", "prompts", "report", "suites", "traces"]
"""Those whose functions are called by Python alone, not by Typer, a fork server or an adapter."""
ASKED_FOR = {
    *("create", "load", "resolve", "section", "figure", "feedback", "compare", "write", "program", "FAMILY"),
    *("INDEPENDENT", "SHOWS_ASSERTIONS", "NEEDS_DONORS", "SEALING", "Data"),
    *("RepairEnv", "RepairTaskset"),  # a plug-in of verifiers hands them on
}
"""What each module of a kind has, whoever asks for it."""


def parsed() -> dict[str, ast.Module]:
    """Every module that may use another, by its name; those of the package by their name below it."""
    found = {}
    for path in [*PACKAGE.rglob("*.py"), *PACKAGE.parent.glob("benchmarks/*.py"), *PACKAGE.parent.glob("docs/*.py")]:
        if not {"tasks", "testing"} & set(path.parts):
            name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
            found[name.removeprefix("repair_bench.")] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def defined(tree: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    """The names that a module defines, each with its definition; an oracle is found by its decorator."""
    for statement in tree.body:
        match statement:
            case ast.FunctionDef(decorator_list=[ast.Call(func=ast.Name(id="oracle")), *_]):
                continue
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, statement
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name, statement


def taken(tree: ast.Module) -> Iterator[str]:
    """What a module takes of others, as `module.name`: by an import, an attribute, or a table's `module:name`."""
    nodes = list(ast.walk(tree))
    imports = [(node.module or "", alias) for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names]
    called = {alias.asname: alias.name for _, alias in imports if alias.asname}
    for module, alias in imports:
        yield f"{module.rpartition('.')[2]}.{alias.name}"
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield f"{called.get(node.value.id, node.value.id)}.{node.attr}"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from (".".join(pair) for pair in re.findall(r"(\w+):(\w+)$", node.value))


@pytest.mark.slow
def test_what_a_module_defines_is_used() -> None:
    modules = parsed()
    abroad = {name for tree in modules.values() for name in taken(tree)}
    dead = []
    for module, tree in modules.items():
        for name, definition in defined(tree) if module.split(".")[0] in ROOMS else ():
            others = (node for other in tree.body if other is not definition for node in ast.walk(other))
            at_home = any(isinstance(node, ast.Name) and node.id == name for node in others)
            known = at_home or name in ASKED_FOR or name.startswith("__")
            if not known and f"{module.rpartition('.')[2]}.{name}" not in abroad:
                dead.append(f"{module}.{name}")
    assert dead == []
