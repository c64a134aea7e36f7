"""Locations in a program's syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Items = list[Any]
"""A list inside a syntax tree node: the statements of a body, the elements of a list or tuple, or the arguments of a
call."""


@dataclass(frozen=True, eq=False)
class Slot:
    """A place that contains one expression: a field of a node, or an item of a list in a node."""

    owner: Any
    key: str | int

    @property
    def node(self) -> Any:
        return getattr(self.owner, self.key) if isinstance(self.key, str) else self.owner[self.key]

    def put(self, node: Any) -> None:
        if isinstance(self.key, str):
            setattr(self.owner, self.key, node)
        else:
            self.owner[self.key] = node


def slots(tree: ast.AST) -> Iterator[Slot]:
    """Yield a `Slot` for every expression inside the node `tree`, in source order.

    An outer expression comes before the expressions that it contains.
    """
    for name, value in ast.iter_fields(tree):
        places = [Slot(value, i) for i in range(len(value))] if isinstance(value, list) else [Slot(tree, name)]
        for slot, node in [(slot, slot.node) for slot in places]:
            if isinstance(node, ast.expr):
                yield slot
            if isinstance(node, ast.AST):
                yield from slots(node)


def bodies(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for _, value in ast.iter_fields(tree):
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            yield value
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, ast.AST):
                yield from bodies(item)


def is_range(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"
