"""Change a syntax tree in place, and undo the changes afterwards.

A mutation operator is a generator: it changes the syntax tree, yields, and restores the tree when the generator
resumes.
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
    """Within a `with` block, put the given nodes into the given slots of a syntax tree.

    Afterwards, restore the old nodes.
    """
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
    before = items[:]
    items[start:stop] = new
    try:
        yield
    finally:
        items[:] = before


@contextmanager
def without(items: Items, index: int) -> Iterator[None]:
    """Remove the item at `index` from a list of syntax nodes, and restore the list when the context ends.

    If the body would become empty, `pass` replaces the item.
    """
    is_body = isinstance(items[index], ast.stmt)
    with spliced(items, index, index + 1, [ast.Pass()] if is_body and len(items) == 1 else []):
        yield


def parse(source: str) -> ast.Module:
    """Return the syntax tree of a program, without warnings about invalid escapes. Raises SyntaxError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return parsed(source)


def compiles(source: str) -> bool:
    """Whether the text compiles as Python. Parsing is not enough: the parser accepts `return` outside a function."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(source, "<mutant>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return False
    return True


def both_ways(*pairs: tuple[_T, _T]) -> dict[_T, _T]:
    return {one: other for pair in pairs for one, other in (pair, pair[::-1])}


def same(node: ast.AST, other: ast.AST) -> bool:
    """Whether two subtrees have the same source code."""
    return ast.dump(node) == ast.dump(other)


def short(node: ast.AST) -> str:
    """Return the first line of the node's source code, truncated to 60 characters."""
    text = ast.unparse(node).split("\n", 1)[0]
    return text if len(text) <= 60 else text[:57] + "..."


def backwards(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.List | ast.Tuple):
        return type(node)(node.elts[::-1], node.ctx)
    return ast.Subscript(node, ast.Slice(step=ast.UnaryOp(ast.USub(), ast.Constant(1))), ast.Load())
