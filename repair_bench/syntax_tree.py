"""Python read into a syntax tree, by one thread at a time.

CPython 3.11 counts how deep a tree is that it makes in one place for all threads: two that parse at once can end in a
SystemError, "AST constructor recursion depth mismatch" (python/cpython issue 106905).
"""

import ast
import threading

_ONE_AT_A_TIME = threading.Lock()


def parsed(source: str) -> ast.Module:
    """The tree of a program. Raises what `ast.parse` raises."""
    with _ONE_AT_A_TIME:
        return ast.parse(source)


def parsed_expression(source: str) -> ast.expr:
    """The tree of an expression. Raises what `ast.parse` raises."""
    with _ONE_AT_A_TIME:
        return ast.parse(source, mode="eval").body
