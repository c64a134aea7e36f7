"""Find unfenced code between lines of prose."""

from __future__ import annotations

import ast
import re
import textwrap
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import islice

from repair_bench.prompts.extraction.effort import spend, spend_on
from repair_bench.prompts.extraction.source import begins_code, compiles, defines, has_code, inside_string, parse

_CHAT_MARK = r"(?:<\|[a-z_]{1,36}\|>|</?s>|<eos>|<end_of_turn>)"
_BEGINS_WITH_TOKEN = re.compile(rf"\s*+{_CHAT_MARK}")
_ENDS_WITH_TOKEN = re.compile(rf"{_CHAT_MARK}\Z")
_MAX_TOKEN = 40
_REASONING = re.compile(
    r"^[ \t]*+(?:<(?P<tag>(?:seed:)?think|thinking|thought|reasoning|reflection|scratchpad)\b[^>\n]*+>.*?"
    r"(?:</(?P=tag)>|\Z)|(?-i:\[THINK\]).*?(?:\[/THINK\]|\Z))",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)
_THOUGHT = r"(?:(?:seed:)?think|thinking|thought|reasoning)\b"
_REASONING_ENDS = re.compile(
    rf"\A(?:.*(?:^[ \t]*</{_THOUGHT}>|\bfinal<\|message\|>)"
    rf"|(?:[^<]++|<(?!/?{_THOUGHT}))*+</{_THOUGHT}>[ \t]*+$)",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)
"""Matches the text up to the end of the reasoning. The closing tag begins a line, or it ends a line and is the first
tag in the text.
"""
_CODE_MARK = re.compile(
    r"^(?:\*\*|__)?(?:final[ \t]+)?(?:code|answer|solution|program)(?:\*\*|__)?[ \t]*:(?:\*\*|__)?",
    re.MULTILINE | re.IGNORECASE,
)
_TAG = r"(?:code|pre|answer|solution|python)\b[^<>\n]*+>"
_TAGS = re.compile(
    rf"^[ \t]*+(?:\[/?PYTHON\]|</?{_TAG})++|(?:\[/PYTHON\]|</{_TAG}){{1,2}}[ \t]*+$", re.MULTILINE | re.IGNORECASE
)
_LABEL = re.compile(r"[^:]*+:[*_ \t]*+(?=(?:from[ \t]++[\w.]++[ \t]++)?+import[ \t])")
"""Matches the words before an import in `Here is the code: import cirq`."""
_MARKDOWN = re.compile(r"(?:[-*+>]|#{1,6}|\d+[.)])\s|\*\*|---|===|\|")
_WORD = re.compile(r"(?<![\w.])[A-Za-z][A-Za-z'\u2019-]*(?![\w(])")
_KEYWORD = re.compile(
    r"(?:import|from|def|class|async|if|elif|else|for|while|with|try|except|finally|return|raise|assert|del|global)\b"
)
_CODE_SIGN = re.compile(r"\w\(|\w\[|[\w\])]\s*=")
_RETURN = re.compile(r"return(?:\s+[\w.]+\s*(?:$|[(\[,+*/#)\]-])|\s*[(\[{\"'-])")
_SURE = re.compile(
    r"(?!.*\) [A-Za-z]+ [A-Za-z])"
    rf"(?:{_RETURN.pattern}"
    r"|(?:if|elif|while|with)\b(?=.*[(\[=<>]).*:$|for\s.+\sin\s+[\w.]+[(\[:]"
    r"|[A-Za-z_]\w*(?:\.\w+)+\("
    r"|[A-Za-z_][\w.]*(?:\[[^\]]*\])?\s*[-+*/]?=\s*[A-Za-z_][\w.]*\()"
)
"""Matches the start of a line that is clearly code and not prose. Examples are `for i in range(` and `x = f(`."""
_HEADING = re.compile(r"[A-Z][a-z]++")
"""A one-word heading, which Python would parse as a name."""
_OPENING_QUOTES = re.compile(
    r"^(?:\w++[ \t]*+=[ \t]*+)?[rR]?(?P<quotes>\"{3}|'{3})(?:python|py)?[ \t]*+\n", re.MULTILINE
)
_CLOSING_QUOTES = {quotes: re.compile(rf"{quotes}[ \t]*+$", re.MULTILINE) for quotes in ('"""', "'''")}
_MAX_TRIES = 20
_MAX_STRINGS = 5
_MAX_MARKS = 10
_MAX_STRETCHES = 5


def plain(text: str) -> str:
    """Return the text with Unix line ends and without a byte order mark."""
    return text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def without_chat_tokens(text: str) -> str:
    """Remove special tokens that some chat templates leave at the ends of a text."""
    start, end = 0, len(text)
    while (first := _BEGINS_WITH_TOKEN.match(text, start)) is not None:
        start = first.end()
    while True:
        last = _end_of_text(text, start, end)
        found = _ENDS_WITH_TOKEN.search(text[max(start, last - _MAX_TOKEN) : last])
        if found is None:
            return text[start:end]
        end = last - len(found[0])


def without_reasoning(text: str) -> str:
    """Remove the text in reasoning tags. The opening tag may be missing, because some chat templates put the opening
    tag into the prompt.
    """
    spend_on(text)
    return _REASONING_ENDS.sub("", _REASONING.sub("", text))


def without_tags(text: str) -> str:
    """Remove tags such as `[PYTHON]` or `</code>` at the beginning of a line, and closing tags at its end."""
    return _TAGS.sub("", text)


def after_marks(text: str) -> list[str]:
    """Return the text after each `CODE:` at the beginning of a line, starting with the last one."""
    return [text[mark.end() :].lstrip(" \t") for mark in list(_CODE_MARK.finditer(text))[: -_MAX_MARKS - 1 : -1]]


def quoted(text: str, entry_point: str) -> str | None:
    """Return the content of the triple-quoted string that contains the program, or None if there is no such string.

    The string may contain docstrings that use the same triple quotes as the string itself. Therefore, the function
    tries each occurrence of these quotes as the end of the string until the text before the occurrence is a complete
    program.
    """
    spend_on(text)
    for opening in islice(_closed_strings(text), _MAX_STRINGS):
        rest = text[opening.end() :]
        for end in islice(_CLOSING_QUOTES[opening["quotes"]].finditer(rest), _MAX_TRIES):
            part = textwrap.dedent(rest[: end.start()].rstrip(" \t\n"))
            spend_on(part)
            if compiles(part) and defines(part, entry_point) > 1:
                return part
    return None


def _closed_strings(text: str) -> Iterator[re.Match[str]]:
    """Yield a match for the opening quotes of each triple-quoted string whose closing quotes end a line."""
    at, unclosed = 0, set[str]()
    while (opening := _OPENING_QUOTES.search(text, at)) is not None:
        quotes, at = opening["quotes"], opening.end()
        closing = None if quotes in unclosed else _CLOSING_QUOTES[quotes].search(text, at)
        if closing is None:
            unclosed.add(quotes)  # a later one is not closed either
        else:
            yield opening
            at = closing.end()


def cut(text: str, entry_point: str) -> str:
    """Return the program in `text` without the prose before and after it.

    The returned text starts at the first line of code, and ends before a line of prose or at the end of `text`. Among
    the parts of `text` that are valid Python and include the definition of the entry point, the function returns the
    longest part. If no part is valid Python, the function returns all text from the first line that is certainly code.
    """
    spend_on(text)
    lines = text.split("\n")
    starts = _starts(lines)
    ends = _ends(lines) if starts else []
    wanted = min(defines(text, entry_point), 1)
    parts = (_program(lines, start, ends, entry_point, wanted) for start in starts)
    rest = "\n".join(lines[starts[-1] :]) if starts else text
    return next((part for part in parts if part is not None), rest)


def cut_end(text: str, entry_point: str) -> str:
    """Return the program at the beginning of `text` without the prose after it, or `text` if no program is found."""
    spend_on(text)
    if compiles(textwrap.dedent(text)):
        return text
    lines = text.split("\n")
    return _program(lines, 0, _ends(lines), entry_point, min(defines(text, entry_point), 1)) or text


def _ends(lines: list[str]) -> list[int]:
    """Return the line numbers at which a program may end: before each line of prose, and at the end of the text."""
    return [*(at for at, line in enumerate(lines) if is_prose(line)), len(lines)]


def _program(lines: list[str], start: int, ends: list[int], entry_point: str, wanted: int) -> str | None:
    """Return the longest valid program from line `start` to one of `ends`."""
    ends = ends[bisect_right(ends, start) :]
    spend(len(lines) - start)
    for _ in range(_MAX_TRIES):
        if not ends:
            break
        part = _without_headings("\n".join(lines[start : ends.pop()]).rstrip())
        tree = parse(textwrap.dedent(part))
        if isinstance(tree, int) and not lines[start][:1].isspace():
            ends = ends[: bisect_left(ends, start + tree)]  # any part with that line is broken
        if isinstance(tree, ast.Module) and has_code(part) and defines(part, entry_point) >= wanted:
            return part
    return None


def _without_headings(text: str) -> str:
    end = len(text)
    while _HEADING.fullmatch(text, start := text.rfind("\n", 0, end) + 1, end):
        above = _end_of_text(text, 0, start)
        if text.count("\n", above, start) < 2:
            break
        end = above
    return text[:end]


def _end_of_text(text: str, start: int, end: int) -> int:
    """Return the position at which `text[start:end]` ends if trailing white space is ignored."""
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def first_indented(text: str) -> str:
    lines = text.strip("\n").split("\n")
    end = next((at for at, line in enumerate(lines) if line.strip() and not line[0].isspace()), len(lines))
    return "\n".join(lines[:end]).rstrip()


def stretches(text: str) -> list[str]:
    """Split the text at lines of prose that are not in a string. Return the pieces, the longest first."""
    spend_on(text)
    blocks: list[list[str]] = [[]]
    within = False
    for line in text.split("\n"):
        if not within and is_prose(line) and not re.match(r"#(?!#)", line):
            blocks.append([])
        else:
            blocks[-1].append(line)
            within ^= inside_string(line)
    parts = ["\n".join(lines).strip("\n").rstrip() for lines in blocks]
    return sorted(filter(None, parts), key=len, reverse=True)[:_MAX_STRETCHES]


def likely_code(text: str) -> str | None:
    """Return the longest part that looks like statements, even if it does not compile, or None if no part does."""
    for part in stretches(text):
        lines = [line.strip() for line in part.split("\n")]
        sure = [line for line in lines if _SURE.match(line)]
        if len(sure) > 1 or (sure and (_RETURN.match(sure[0]) or part.strip() == text.strip())):
            return part
    return None


def is_prose(line: str) -> bool:
    """Whether a line is unindented and looks like words rather than code."""
    if not line.strip() or line[0].isspace() or begins_code(line) or line.startswith("#!"):
        return False
    if _MARKDOWN.match(line) or "`" in line:
        return True
    words, last = len(_WORD.findall(line)), line.rstrip()[-1]
    if words >= 3 and line[0].isupper() and last in ".:!?":
        return True
    if _CODE_SIGN.search(line) or (_KEYWORD.match(line) and last not in ".!?"):
        return False
    return words >= 3 or (words >= 1 and last in ".:!?")


def _starts(lines: list[str]) -> list[int]:
    """Return the line numbers at which the program may start.

    The last number in the list refers to the first line that is certainly code. All other numbers in the list refer to
    earlier lines that begin with a Python keyword and end with a colon, or that have an import after a label; the label
    is removed from `lines`. Such a line can be either code or a sentence of prose. A broken line of code is treated as
    code too, so that no part of a broken program is lost.
    """
    starts: list[int] = []
    for at, line in enumerate(lines):
        if begins_code(line) or (_KEYWORD.match(line) and line.rstrip()[-1] not in ".,:!?"):
            return [*starts, _with_comments(lines, at)]
        if _KEYWORD.match(line) and line.rstrip().endswith(":"):
            starts.append(_with_comments(lines, at))
        elif label := _LABEL.match(line):
            lines[at] = line[label.end() :]
            starts.append(at)
    return []


def _with_comments(lines: list[str], first: int) -> int:
    """Return the number of the first line of the comment block directly above line `first`.

    Returns `first` if the line directly above line `first` is not a comment.
    """
    while first > 0 and re.match(r"#(?!#)", lines[first - 1]):
        first -= 1
    return first
