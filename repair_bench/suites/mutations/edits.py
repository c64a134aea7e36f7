"""Changing a syntax tree in place and putting it back.

An operator yields while the tree is changed; when it goes on, the tree is whole again.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

Items = list[Any]
"""A list that belongs to a node: statements of a body, elements of a display, arguments of a call."""


@dataclass(frozen=True, eq=False)
class Slot:
    """A place that holds one expression: a field of a node, or an item of one of its lists."""

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


@contextmanager
def holding(*pairs: tuple[Slot, Any]) -> Iterator[None]:
    """While it lasts, each slot holds the node given with it."""
    before = [slot.node for slot, _ in pairs]
    for slot, node in pairs:
        slot.put(node)
    try:
        yield
    finally:
        for (slot, _), node in zip(pairs, before, strict=True):
            slot.put(node)


@contextmanager
def spliced(items: Items, start: int, stop: int, new: Items) -> Iterator[None]:
    """While it lasts, `new` stands for items[start:stop]."""
    before = items[:]
    items[start:stop] = new
    try:
        yield
    finally:
        items[:] = before


@contextmanager
def without(items: Items, index: int) -> Iterator[None]:
    """While it lasts, the item is gone; a body that is left empty holds `pass`."""
    is_body = isinstance(items[index], ast.stmt)
    with spliced(items, index, index + 1, [ast.Pass()] if is_body and len(items) == 1 else []):
        yield


def slots(tree: ast.AST) -> Iterator[Slot]:
    """Every place below `tree` that holds an expression, in the order of the text, outer before inner."""
    for name, value in ast.iter_fields(tree):
        if isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, ast.expr):
                    yield Slot(value, index)
                if isinstance(item, ast.AST):
                    yield from slots(item)
        elif isinstance(value, ast.AST):
            if isinstance(value, ast.expr):
                yield Slot(tree, name)
            yield from slots(value)


def bodies(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    """Every list of statements, outer before inner."""
    for name, value in ast.iter_fields(tree):
        if isinstance(value, list):
            if value and isinstance(value[0], ast.stmt):
                yield value
            for item in value:
                if isinstance(item, ast.AST):
                    yield from bodies(item)
        elif isinstance(value, ast.AST) and name != "ctx":
            yield from bodies(value)


def parse(source: str) -> ast.Module:
    """The tree of a program. Raises SyntaxError. Strange escapes in its strings are not worth a warning here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)


def compiles(tree: ast.Module) -> bool:
    """Whether Python takes the tree as a program (`return` outside a function parses, but does not compile)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(tree, "<mutant>", "exec")
        except (SyntaxError, ValueError):
            return False
    return True


def same(one: ast.AST, other: ast.AST) -> bool:
    """Whether two pieces of a tree say the same, wherever they stand."""
    return ast.dump(one) == ast.dump(other)


def short(node: ast.AST) -> str:
    """The first line of its text, cut to 60 characters."""
    text = ast.unparse(node).split("\n", 1)[0]
    return text if len(text) <= 60 else text[:57] + "..."


def backwards(node: ast.expr) -> ast.expr:
    """The expression for the same sequence in reverse."""
    if isinstance(node, ast.List | ast.Tuple):
        return type(node)(node.elts[::-1], node.ctx)
    return ast.Subscript(node, ast.Slice(step=ast.UnaryOp(ast.USub(), ast.Constant(1))), ast.Load())
