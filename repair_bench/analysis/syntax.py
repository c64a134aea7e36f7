"""The syntax tree of code that a model wrote."""

from __future__ import annotations

import ast
import warnings

from repair_bench.syntax_tree import parsed


def tree(code: str) -> ast.Module | None:
    """The tree, or None where the code is not Python, or nested too deeply to be read. Warns of nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an invalid escape in the code is not our warning
        try:
            return parsed(code)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
