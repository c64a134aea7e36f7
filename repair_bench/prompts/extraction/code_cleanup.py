"""Normalise the code in a completion. Valid programs stay unchanged."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from repair_bench.frameworks import PYTHON
from repair_bench.prompts.extraction.effort import spend_on
from repair_bench.prompts.extraction.joining import JOINED, join, join_broken
from repair_bench.prompts.extraction.prose import quoted
from repair_bench.prompts.extraction.source import compiles, defines, parse

_DOCTEST = re.compile(r"^[ \t]*(?:>>>|\.\.\.)(?: (?P<code>.*)|$)")
_NOTEBOOK = re.compile(r"^[ \t]*[!%]+\w.*\n?", re.MULTILINE)
PLAIN_SIGNS = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
        **dict.fromkeys("\u00a0\u2002\u2003\u2009\u202f\u3000", " "),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", None),
    }
)


@dataclass(frozen=True)
class Extraction:
    """The code in a completion, if any. `method`: how the code was found; `steps`: the changes made to the code."""

    code: str | None
    method: str
    steps: list[str] = field(default_factory=list)

    def after(self, *steps: str) -> Extraction:
        """Return a copy of this extraction in which `steps` come before the existing steps."""
        return replace(self, steps=[*steps, *self.steps])

    def record(self) -> dict[str, Any]:
        return {"method": self.method, "steps": self.steps}


def normalise(code: str, entry_point: str, starter: str = "") -> tuple[str, list[str]]:
    """Return the code with the changes that make it valid, and the names of the changes. The code ends with a newline.

    If no change makes the code valid, the code is returned unchanged.
    """
    code, steps = code.strip("\n").rstrip(), []
    tag, _, below = code.partition("\n")
    if below and tag.strip().lower() in PYTHON.tags:
        code, steps = below.strip("\n"), ["language tag removed"]  # of a fence that was stripped
    if not (defines(code, entry_point) and compiles(code)):
        string = quoted(textwrap.dedent(code), entry_point)
        if string is not None:
            code, steps = string.strip("\n").rstrip(), [*steps, "extracted from a string"]
    joined = join(code, entry_point, starter)
    if joined is None:
        valid = _made(code, compiles) or _made(code, lambda changed: join(changed, entry_point, starter) is not None)
        code, more = valid or (code, [])
        steps = [*steps, *more]
        joined = join(code, entry_point, starter) if valid else join_broken(code, entry_point, starter)
    if joined is not None:
        return joined, [*steps, JOINED]
    dedented = textwrap.dedent(code)
    error, error_dedented = parse(code), parse(dedented)
    if isinstance(error, int) and isinstance(error_dedented, int) and error_dedented > error:
        return f"{dedented}\n", [*steps, "dedented"]  # the model is shown the later error
    return f"{code}\n", steps


def _made(code: str, valid: Callable[[str], bool]) -> tuple[str, list[str]] | None:
    """Make `code` valid with as few changes as possible. Return the valid code and the names of the applied changes, or
    None if no combination of changes makes the code valid.
    """
    for count in range(len(_CHANGES) + 1):
        for names in combinations(_CHANGES, count):
            changed = _changed(code, names)
            if changed is not None and changed.strip() and valid(changed):
                return changed.strip("\n").rstrip(), list(names)
    return None


def _changed(code: str, names: Iterable[str]) -> str | None:
    """Apply the changes with the given names to `code`. Return None if at least one of the changes has no effect."""
    for name in names:
        spend_on(code)
        before, code = code, _CHANGES[name](code)
        if code == before:
            return None
    return code


def _without_prompts(code: str) -> str:
    lines = code.lstrip().split("\n")
    if not lines[0].startswith(">>>"):
        return code
    return "\n".join(match["code"] or "" for match in map(_DOCTEST.match, lines) if match)


def _without_tabs(code: str) -> str:
    four, eight = code.expandtabs(4), code.expandtabs(8)
    return eight if not compiles(four) and compiles(eight) else four


_CHANGES: dict[str, Callable[[str], str]] = {
    "dedented": textwrap.dedent,
    "doctest prompts removed": _without_prompts,
    "smart quotes replaced": lambda code: code.translate(PLAIN_SIGNS),
    "notebook commands removed": lambda code: _NOTEBOOK.sub("", code),
    "tabs replaced": _without_tabs,
}
