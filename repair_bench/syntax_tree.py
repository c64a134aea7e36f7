"""Parse Python in one thread at a time, without garbage collection.

CPython 3.11 tracks the depth of the syntax tree in global state (python/cpython issue 106905). If a finalizer or
another thread parses other code while a valid program is parsed, CPython raises SystemError, "AST constructor recursion
depth mismatch".
"""

import ast
import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_ONE_AT_A_TIME = threading.Lock()


def parsed(source: str) -> ast.Module:
    """Return the tree of a program, like `ast.parse`."""
    with _undisturbed():
        return ast.parse(source)


def parsed_expression(source: str) -> ast.expr:
    """Return the tree of an expression, like `ast.parse`."""
    with _undisturbed():
        return ast.parse(source, mode="eval").body


@contextmanager
def _undisturbed() -> Iterator[None]:
    with _ONE_AT_A_TIME:
        collecting = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            if collecting:
                gc.enable()
