"""Changing a syntax tree in place and putting it back.

An operator yields while the tree is changed; when it goes on, the tree is whole again.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from repair_bench.frameworks.tree import Items, Slot
from repair_bench.syntax_tree import parsed

_T = TypeVar("_T")


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


def parse(source: str) -> ast.Module:
    """The tree of a program. Raises SyntaxError. Strange escapes in its strings are not worth a warning here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return parsed(source)


def compiles(source: str) -> bool:
    """Whether Python takes it as a program (`return` outside a function parses, but does not compile)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(source, "<mutant>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return False
    return True


def both_ways(*pairs: tuple[_T, _T]) -> dict[_T, _T]:
    """Return what stands for each: of a pair the other."""
    return {one: other for pair in pairs for one, other in (pair, pair[::-1])}


def same(node: ast.AST, other: ast.AST) -> bool:
    """Whether two pieces of a tree say the same, wherever they stand."""
    return ast.dump(node) == ast.dump(other)


def short(node: ast.AST) -> str:
    """The first line of its text, cut to 60 characters."""
    text = ast.unparse(node).split("\n", 1)[0]
    return text if len(text) <= 60 else text[:57] + "..."


def backwards(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.List | ast.Tuple):
        return type(node)(node.elts[::-1], node.ctx)
    return ast.Subscript(node, ast.Slice(step=ast.UnaryOp(ast.USub(), ast.Constant(1))), ast.Load())
