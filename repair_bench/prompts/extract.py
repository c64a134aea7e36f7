"""From a completion to code. One rule serves the first answer and every repair; what was done is recorded."""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from dataclasses import asdict, dataclass, field
from typing import Any

_FENCE = re.compile(r"^(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<tag>[^`\n]*)$")
_REASONING = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_CODE_MARK = re.compile(
    r"^[ \t]*(?:\*\*)?(?:CODE|ANSWER|SOLUTION)[ \t]*:(?:\*\*)?[ \t]*$", re.MULTILINE | re.IGNORECASE
)
_STARTS_CODE = re.compile(r"^(?:from\s+[\w.]+\s+import\b|import\s+\w|def\s+\w+\s*\(|async\s+def\s|class\s+\w|@\w)")
_DOCTEST = re.compile(r"^[ \t]*(?:>>>|\.\.\.)(?: (?P<code>.*)|(?P<blank>)$)")
_SMART = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " ", "\u2212": "-"})


@dataclass(frozen=True)
class Extraction:
    """`code` is None when the completion holds none. `method` names the rule that found it; `steps` what was changed."""

    code: str | None
    method: str
    steps: list[str] = field(default_factory=list)

    def record(self) -> dict[str, Any]:
        """What the attempt keeps; the code has a field of its own."""
        data = asdict(self)
        del data["code"]
        return data


def extract(completion: str, *, entry_point: str, starter: str = "") -> Extraction:
    """The code that a completion means.

    Of several fenced blocks the last one that defines `entry_point` wins. A body without its signature is joined to
    `starter`. Code that does not compile is code all the same: running it shows the model its error.
    """
    text = completion.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    steps: list[str] = []
    without = _REASONING.sub("", text)
    if without != text and without.strip():
        text, steps = without, ["reasoning removed"]
    blocks = _fenced(text)
    method, code = ("fenced", _choose(blocks, entry_point)) if blocks else _bare(text)
    if code is None:
        return Extraction(None, "nothing", steps)
    return _mend(code, method, steps, entry_point, starter)


def _fenced(text: str) -> list[str]:
    """The contents of the fenced blocks, in order; one that is never closed runs to the end."""
    blocks: list[str] = []
    block: list[str] | None = None
    fence = ""
    for line in text.split("\n"):
        match = _FENCE.match(line)
        if block is None:
            if match:
                block, fence = [], match["fence"]
        elif match and match["fence"].startswith(fence) and not match["tag"].strip():
            blocks.append("\n".join(block))
            block = None
        elif match and match["fence"] == fence and not _inside_string("\n".join(block)):
            # a new opening fence: the block before it was never closed
            blocks.append("\n".join(block))
            block = []
        else:
            block.append(line)
    if block is not None:
        blocks.append("\n".join(block))
    return [b for b in blocks if b.strip()]


def _inside_string(code: str) -> bool:
    return code.count('"""') % 2 == 1 or code.count("'''") % 2 == 1


def _choose(blocks: list[str], entry_point: str) -> str:
    defining = [b for b in blocks if _defines(b, entry_point)]
    if defining:
        return defining[-1]
    looks_like_code = [b for b in blocks if any(_STARTS_CODE.match(line.strip()) for line in b.split("\n"))]
    return max(looks_like_code or blocks, key=len)


def _defines(code: str, name: str) -> bool:
    name = re.escape(name)
    return bool(re.search(rf"^[ \t>]*(?:async\s+)?(?:def|class)\s+{name}\b|^{name}\s*=", code, re.MULTILINE))


def _bare(text: str) -> tuple[str, str | None]:
    """Code without a fence: after a CODE: mark, in a triple-quoted string, alone, or between prose."""
    marks = list(_CODE_MARK.finditer(text))
    if marks:
        rest = text[marks[-1].end() :]
        if rest.strip():
            text = rest
    quoted = re.fullmatch(r"\s*(\"\"\"|''')\n?(?P<code>.*?)\1\s*", text, re.DOTALL)
    if quoted and _has_code(quoted["code"]):
        return "triple-quoted", quoted["code"]
    if not _has_code(text):
        # an indented body without its signature has no line of these, but it parses as one
        body = textwrap.dedent(text)
        return ("bare body", text) if text[:1].isspace() and body.strip() and _compiles(body) else ("nothing", None)
    if _compiles(textwrap.dedent(text)):
        return "bare", text
    lines = text.split("\n")
    first = next(i for i, line in enumerate(lines) if _STARTS_CODE.match(line.strip()) or line.startswith(">>> "))
    for last in range(len(lines), first, -1):
        part = "\n".join(lines[first:last])
        if _compiles(textwrap.dedent(part)) and _has_code(part):
            return "bare among prose", part
    return "bare among prose", "\n".join(lines[first:])


def _has_code(text: str) -> bool:
    return any(_STARTS_CODE.match(line.strip().removeprefix(">>> ")) for line in text.split("\n"))


def _mend(code: str, method: str, steps: list[str], entry_point: str, starter: str) -> Extraction:
    """Changes that are safe because the code is tried without them first."""
    code = code.strip("\n").rstrip()
    if re.search(r"^\s*>>> ", code, re.MULTILINE):
        prompts = [_DOCTEST.match(line) for line in code.split("\n")]
        code = "\n".join(match["code"] or "" for match in prompts if match).strip("\n")
        steps = [*steps, "doctest prompts removed"]
    if starter and not _defines(code, entry_point) and _is_body(code):
        joined = starter.rstrip() + "\n" + textwrap.indent(textwrap.dedent(code), "    ")
        if _compiles(joined):
            return Extraction(joined + "\n", method, [*steps, "joined to the starter code"])
    if not _compiles(code):
        for step, changed in (
            ("dedented", textwrap.dedent(code)),
            ("smart quotes replaced", code.translate(_SMART)),
            ("dedented, smart quotes replaced", textwrap.dedent(code.translate(_SMART))),
        ):
            if changed != code and _compiles(changed):
                code, steps = changed, [*steps, step]
                break
    return Extraction(code + "\n", method, steps)


def _is_body(code: str) -> bool:
    """Whether this is the inside of a function: it returns outside of any, or is indented and defines none."""
    text = textwrap.dedent(code)
    if not _compiles(text):
        return False
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
    waiting: list[ast.AST] = list(ast.parse(text).body)
    defines = any(isinstance(node, definitions) for node in waiting)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Return):
            return True
        if not isinstance(node, definitions):
            waiting += ast.iter_child_nodes(node)
    return code[:1].isspace() and not defines


def _compiles(code: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a strange escape in a model's string is no affair of ours
            ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
