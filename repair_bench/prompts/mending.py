"""Mending code that was found in a completion. A program that is one already is left as it is."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable
from itertools import combinations

from repair_bench.prompts.prose import quoted
from repair_bench.prompts.source import compiles, defines, is_body

_DOCTEST = re.compile(r"^[ \t]*(?:>>>|\.\.\.)(?: (?P<code>.*)|$)")
_NOTEBOOK = re.compile(r"^[ \t]*[!%]+\w.*\n?", re.MULTILINE)
_SMART = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
        **dict.fromkeys("\u00a0\u2002\u2003\u2009\u202f\u3000", " "),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", None),
    }
)


def mend(code: str, entry_point: str, starter: str = "") -> tuple[str, list[str]]:
    """The program that was meant, with a line end at its end, and the names of what was done to get it.

    Code that no change makes a program is left broken.
    """
    code, steps = code.strip("\n").rstrip(), []
    if not (defines(code, entry_point) and compiles(code)):
        string = quoted(textwrap.dedent(code), entry_point)
        if string is not None:
            code, steps = string.strip("\n").rstrip(), ["taken out of a string"]
    joined = _join(code, entry_point, starter)
    if joined is None:
        code, more = _made_whole(code)
        steps = [*steps, *more]
        joined = _join(code, entry_point, starter)
    return (f"{code}\n", steps) if joined is None else (joined, [*steps, "joined to the starter code"])


def body(code: str, entry_point: str) -> str | None:
    """The body of the entry point, at no indentation; None for what is none. Its first line may have lost its own."""
    code = code.strip("\n").rstrip()
    first, _, rest = code.partition("\n")
    uneven = f"{first}\n{textwrap.dedent(rest)}"
    lost = rest[:1].isspace() and not first[:1].isspace() and not compiles(code)
    if is_body(code):
        found = textwrap.dedent(code)
    elif lost and is_body(textwrap.indent(uneven, " ")):
        found = uneven
    else:
        return None
    level = defines(found, entry_point)
    # a local of the entry point's name does not define it, where the body returns
    return found if level == 0 or (level == 1 and is_body(found)) else None


def _join(code: str, entry_point: str, starter: str) -> str | None:
    """The starter code with this as its body; None where it is no body, or they make no program."""
    inside = body(code, entry_point) if starter.strip() else None
    if inside is None:
        return None
    starter = starter.rstrip()
    last = starter.split("\n")[-1]
    indent = last[: len(last) - len(last.lstrip())] + ("    " if last.endswith(":") else "")
    joined = f"{starter}\n{textwrap.indent(inside, indent or '    ')}\n"
    return joined if compiles(joined) else None


def _made_whole(code: str) -> tuple[str, list[str]]:
    """The code after the fewest changes that make it a program, and their names; as it was where none do."""
    if compiles(code):
        return code, []
    for count in range(1, len(_CHANGES) + 1):
        for names in combinations(_CHANGES, count):
            changed = _changed(code, names)
            if changed is not None and changed.strip() and compiles(changed):
                return changed.strip("\n").rstrip(), list(names)
    return code, []


def _changed(code: str, names: Iterable[str]) -> str | None:
    """The code after all of these changes; None where one of them changes nothing."""
    for name in names:
        before, code = code, _CHANGES[name](code)
        if code == before:
            return None
    return code


def _without_prompts(code: str) -> str:
    """A session's input, where the code is one: it begins with a prompt."""
    lines = code.lstrip().split("\n")
    if not lines[0].startswith(">>>"):
        return code
    return "\n".join(match["code"] or "" for match in map(_DOCTEST.match, lines) if match)


def _without_tabs(code: str) -> str:
    narrow, wide = code.expandtabs(4), code.expandtabs(8)
    return wide if not compiles(narrow) and compiles(wide) else narrow


_CHANGES: dict[str, Callable[[str], str]] = {
    "dedented": textwrap.dedent,
    "doctest prompts removed": _without_prompts,
    "smart quotes replaced": lambda code: code.translate(_SMART),
    "notebook commands removed": lambda code: _NOTEBOOK.sub("", code),
    "tabs replaced": _without_tabs,
}
