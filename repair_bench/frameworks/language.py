"""What programs of a framework are written in."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Language:
    """A programming language, as prompts and the extraction of answers know it.

    `title`: its name in a sentence. `tags`: what a fenced block of it is tagged with, the usual one first; templates of
    prompts in a folder of that name replace those for Python. `suffix`: of a file. `comment`: what a comment begins
    with. `begins`: a line that only a program of it has; None for Python, whose own grammar tells, and whose programs
    define the function that is asked for. A program of any other language is what is asked for as a whole, and its
    arguments are inputs that it declares.
    """

    title: str
    tags: tuple[str, ...]
    suffix: str
    comment: str
    begins: re.Pattern[str] | None = None


PYTHON = Language(title="Python", tags=("python", "py"), suffix=".py", comment="#")
