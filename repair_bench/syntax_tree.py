"""Python read into a syntax tree, by one thread at a time and while no garbage is collected.

CPython 3.11 counts how deep a tree is that it makes in one place for all (python/cpython issue 106905). Where garbage
is collected meanwhile, a finalizer runs that may parse too (whatever logs a traceback does), or let another thread
parse; then the count is wrong, and a good program ends in SystemError, "AST constructor recursion depth mismatch".
Nothing else runs Python while a tree is made.
"""

import ast
import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_ONE_AT_A_TIME = threading.Lock()


def parsed(source: str) -> ast.Module:
    """The tree of a program. Raises what `ast.parse` raises."""
    with _undisturbed():
        return ast.parse(source)


def parsed_expression(source: str) -> ast.expr:
    """The tree of an expression. Raises what `ast.parse` raises."""
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
