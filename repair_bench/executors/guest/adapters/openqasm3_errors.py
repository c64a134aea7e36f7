"""Errors in OpenQASM 3 programs, with messages that state the position of the error to the model."""

from __future__ import annotations

import re
from typing import Any, Sequence

MAX_COLUMN = 200
"""The maximum number of characters that an error message shows from a source line."""


class OpenQASMError(Exception):
    """A problem in a program, including its position."""

    __module__ = "openqasm3"  # models must not see internal names


class Refused(Exception):  # noqa: N818 - not an internal error: the program requests something unsupported
    """A problem in a program, without the position of the statement, which is added later."""


def placed(problem: str, lines: Sequence[str], line: int, column: int) -> str:
    """Return a message that states a problem and its position in the program. Lines count from 1, columns from 0."""
    words = "line {}, column {}: {}".format(line, column + 1, problem)
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    if not text.strip() or column >= MAX_COLUMN:
        return words
    bare = text.strip()
    return "{}\n    {}\n    {}^".format(words, bare[:MAX_COLUMN], " " * max(column - len(text) + len(text.lstrip()), 0))


def unsupported(node: Any) -> Refused:
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(node).__name__).lower()
    return Refused("{} {} is not supported here".format("an" if name[0] in "aeiou" else "a", name))
