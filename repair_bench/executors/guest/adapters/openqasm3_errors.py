"""What is wrong with an OpenQASM 3 program, and where, in words for a model."""

from __future__ import annotations

import re
from typing import Any, Sequence

MAX_COLUMN = 200
"""Characters of a line that are shown."""


class OpenQASMError(Exception):
    """What is wrong with a program, with its place."""

    __module__ = "openqasm3"  # a model is told nothing of ours


class Refused(Exception):  # noqa: N818 - not an error of ours: the program asks for what there is not
    """What is wrong, without its place, which the statement that is run adds."""


def placed(problem: str, lines: Sequence[str], line: int, column: int) -> str:
    """What is wrong with a place in the lines of a program: line from 1, column from 0."""
    words = "line {}, column {}: {}".format(line, column + 1, problem)
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    if not text.strip() or column >= MAX_COLUMN:
        return words
    bare = text.strip()
    return "{}\n    {}\n    {}^".format(words, bare[:MAX_COLUMN], " " * max(column - len(text) + len(text.lstrip()), 0))


def unsupported(node: Any) -> Refused:
    """That there is nothing of this kind: "a pragma is not supported here"."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(node).__name__).lower()
    return Refused("{} {} is not supported here".format("an" if name[0] in "aeiou" else "a", name))
