"""Command-line options for experiment fields; `-c PATH=VALUE` sets fields that have no option.

The declarations of the fields are read from the source, so that `--help` need not import pydantic.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from repair_bench.syntax_tree import parsed

SOURCE = Path(__file__).with_name("file.py")
_KINDS: dict[str, type] = {"bool": bool, "int": int, "float": float, "str": str}


@dataclass(frozen=True)
class Declared:
    """The declaration of an experiment field.

    `kind`: bool, int, float or str. `words`: the strings that the field accepts instead of a number. `is_list`: whether
    the field accepts a list. `default`: the default value, or None if that value is not a literal. `description`: the
    field's docstring on one line.
    """

    kind: type
    words: tuple[str, ...]
    is_list: bool
    default: Any
    description: str


def declared(path: str) -> Declared:
    """Return the field at a path such as `repair.feedback`. Raises KeyError for an unknown field."""
    owner, _, name = path.rpartition(".")
    statement, description = _fields(_part(owner))[name]
    leaves, value = _leaves(statement.annotation), statement.value
    if isinstance(value, ast.Call):
        value = next((keyword.value for keyword in value.keywords if keyword.arg == "default"), value)
    kind = next((_KINDS[word] for word in map(_word, leaves) if word in _KINDS), str)
    literals = [leaf.value for leaf in leaves if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str)]
    return Declared(
        kind=kind,
        words=tuple(literals) if kind is float else (),
        is_list=ast.unparse(statement.annotation).startswith("OneOrMore["),
        default=_literal(value),
        description=description,
    )


@dataclass(frozen=True)
class FieldOption:
    """An option that sets the field at `path`. `everyday`: whether `run --help` shows it."""

    path: str
    flag: str
    everyday: bool
    field: Declared


def field_option(path: str, flag: str | None = None, *, everyday: bool = False) -> FieldOption:
    """Return an option with the field's type, default and help.

    `flag`: the option's name (default: the field's name).
    """
    own = path.rpartition(".")[2].replace("_", "-")
    return FieldOption(path, flag or f"--{own}", everyday, declared(path))


def _part(path: str) -> str:
    owner = "Experiment"
    for name in filter(None, path.split(".")):
        statement, _ = _fields(owner)[name]
        owner = next(word for word in map(_word, _leaves(statement.annotation)) if word in _module()[0])
    return owner


@cache
def _module() -> tuple[dict[str, ast.ClassDef], dict[str, ast.expr]]:
    body = parsed(SOURCE.read_text(encoding="utf-8")).body
    classes = {node.name: node for node in body if isinstance(node, ast.ClassDef)}
    names = {
        node.targets[0].id: node.value
        for node in body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    return classes, names


@cache
def _fields(owner: str) -> dict[str, tuple[ast.AnnAssign, str]]:
    """Return the fields of a class with their declarations and docstrings, keyed by name."""
    body = _module()[0][owner].body
    return {
        node.target.id: (node, " ".join(_literal(after.value).split()) if isinstance(after, ast.Expr) else "")
        for node, after in zip(body, [*body[1:], None], strict=True)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }


def _leaves(annotation: ast.AST) -> list[ast.Name | ast.Constant]:
    """Return the names and literals in a type annotation from left to right, with aliases resolved."""
    if isinstance(annotation, ast.Constant):
        return [annotation]
    if isinstance(annotation, ast.Name) and annotation.id != "OneOrMore":
        alias = _module()[1].get(annotation.id)
        return [annotation] if alias is None else _leaves(alias)
    return [leaf for node in ast.iter_child_nodes(annotation) for leaf in _leaves(node)]


def _word(leaf: ast.Name | ast.Constant) -> str:
    return leaf.id if isinstance(leaf, ast.Name) else type(leaf.value).__name__


def _literal(node: ast.expr | None) -> Any:
    try:
        return None if node is None else ast.literal_eval(node)
    except ValueError:
        return None


OPTIONS = (
    field_option("models", "--model", everyday=True),
    field_option("suites", "--suite", everyday=True),
    field_option("frameworks", "--framework", everyday=True),
    field_option("limit", everyday=True),
    field_option("samples", everyday=True),
    field_option("max_attempts", everyday=True),
    field_option("repair.feedback", everyday=True),
    field_option("prompt.max_completion_tokens"),
    field_option("temperature.first", "--temperature"),
    field_option("rule"),
    field_option("require_sealed"),
    field_option("budget.max_cost", everyday=True),
    field_option("budget.max_tokens"),
    field_option("api_base", everyday=True),
    field_option("protocol", everyday=True),
)


def options(*paths: str) -> tuple[FieldOption, ...]:
    """Return the command-line options that set the fields in `paths`. The command's help shows all returned options."""
    by_path = {option.path: option for option in OPTIONS}
    return tuple(replace(by_path[path], everyday=True) for path in paths)


def flag_of(path: str) -> str | None:
    """Return the option that sets a field or a part of the field; None if no option does."""
    return next((option.flag for option in OPTIONS if f"{path}.".startswith(f"{option.path}.")), None)
