"""The guest runs on Python 3.8: it uses no later syntax and no later names."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import repair_bench.executors.guest

GUEST = Path(repair_bench.executors.guest.__file__).parent
YOUNGER = {
    *("removeprefix", "removesuffix", "bit_count", "pairwise", "nextafter", "ulp", "lcm", "cbrt", "exp2", "to_thread"),
    *("randbytes", "is_relative_to", "with_stem", "hardlink_to", "unparse", "add_note", "file_digest"),
    *("waitstatus_to_exitcode", "zoneinfo", "graphlib", "tomllib", "ParamSpec", "TypeAlias", "Self", "ExceptionGroup"),
}
"""Names that the standard library added after Python 3.8 and that have no other meaning in the guest."""
GENERIC = {"list", "dict", "tuple", "set", "frozenset", "type"}


def evaluated(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the evaluated nodes, without annotations, which are text (`from __future__ import annotations`)."""
    yield node
    for name, field in ast.iter_fields(node):
        if name not in {"annotation", "returns"}:
            for child in field if isinstance(field, list) else [field]:
                if isinstance(child, ast.AST):
                    yield from evaluated(child)


def younger(source: str) -> list[str]:
    try:
        tree = ast.parse(source, feature_version=(3, 8))
    except SyntaxError as error:
        return [str(error)]
    found = []
    for node in evaluated(tree):
        if isinstance(node, ast.Attribute | ast.Name):
            name = node.attr if isinstance(node, ast.Attribute) else node.id
            found += [name] * (name in YOUNGER)
            qualified = ast.unparse(node)
            found += [qualified] * (qualified == "functools.cache")
        elif isinstance(node, ast.alias):
            found += [node.name] * (node.name in YOUNGER)
        elif isinstance(node, ast.ImportFrom) and node.module == "functools":
            found += [part.name for part in node.names if part.name == "cache"]
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            found += [f"{node.value.id}[...]"] * (node.value.id in GENERIC)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip":
            found += ["zip(strict=)"] * any(keyword.arg == "strict" for keyword in node.keywords)
    return found


@pytest.mark.parametrize(
    "source",
    [
        "match 1:\n    case 1: pass",
        "with (open('a') as a, open('b') as b): pass",
        "'ab'.removeprefix('a')",
        "from itertools import pairwise",
        "from functools import cache",
        "functools.cache(len)",
        "import tomllib",
        "Names = list[str]",
        "zip([1], [2], strict=True)",
        "(5).bit_count()",
    ],
)
def test_names_after_python_3_8_are_found(source: str) -> None:
    assert younger(source)


def test_annotations_are_not_evaluated() -> None:
    assert younger("def f(a: list[int] | None = None) -> dict[str, int]: ...") == []


@pytest.mark.slow
def test_the_guest_uses_only_python_3_8() -> None:
    found = {str(path.relative_to(GUEST)): younger(path.read_text(encoding="utf-8")) for path in GUEST.rglob("*.py")}
    assert len(found) > 60
    assert {path: names for path, names in found.items() if names} == {}
