"""From a completion to a program in a language that is no Python: it is asked for as a whole.

A fenced block is taken for one by what it holds, whatever its tag; the last that begins a program wins.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from repair_bench.frameworks import Language
from repair_bench.prompts import fences, prose
from repair_bench.prompts.code_cleanup import PLAIN_SIGNS
from repair_bench.prompts.fences import Block
from repair_bench.prompts.joining import JOINED

_ENDS = re.compile(r"[;}][ \t]*(?://.*|\*/[ \t]*)?$", re.MULTILINE)


class Found(NamedTuple):
    """The program, None where there is none; how it was found; what was changed."""

    code: str | None
    method: str
    steps: list[str]


def find(text: str, language: Language, *, starter: str = "", prefill: str = "") -> Found:
    """The program in a completion. `starter`, `prefill`: as `extract` takes them."""
    alone = _find(text, language)
    if not prefill:
        return _whole(alone, language, starter)
    if alone.code is not None and _begins(alone.code, starter):
        return alone._replace(steps=[*alone.steps, "prefill left out: the answer begins anew"])
    gap = "" if prefill.endswith("\n") or text.startswith("\n") else "\n"
    joined = _find(prefill + gap + text, language)
    return joined._replace(steps=["joined to the prefill", *joined.steps])


def _find(text: str, language: Language) -> Found:
    assert language.begins is not None
    steps: list[str] = []
    for name, shorten in (
        ("chat tokens removed", prose.without_chat_tokens),
        ("reasoning removed", prose.without_reasoning),
    ):
        shorter = shorten(text)
        if shorter != text and (shorter.strip() or name != "reasoning removed"):
            text, steps = shorter, [*steps, name]
    blocks, outside = fences.split(text)
    chosen = _choose(blocks, language)
    if chosen is not None and (language.begins.search(chosen.code) or not language.begins.search(outside)):
        number = [f"block {blocks.index(chosen) + 1} of {len(blocks)}"] if len(blocks) > 1 else []
        return _mended(chosen.code, "fenced", [*steps, *number])
    begins = language.begins.search(outside)
    if begins is None:
        return Found(None, "nothing", steps)
    rest = outside[begins.start() :]
    ends = [end.end() for end in _ENDS.finditer(rest)]
    code = rest[: ends[-1]] if ends else rest
    return _mended(code, "bare" if code.strip() == outside.strip() else "bare among prose", steps)


def _choose(blocks: list[Block], language: Language) -> Block | None:
    """The last of those that begin a program best, else the longest."""
    assert language.begins is not None
    likely = [(len(language.begins.findall(block.code)), block) for block in blocks]
    if not any(count for count, _ in likely):
        return max(blocks, key=lambda block: len(block.code), default=None)
    first = re.compile(r"^[ \t]*(?:OPENQASM|include)\b", re.MULTILINE)
    whole = [block for count, block in likely if count and first.search(block.code)]
    among = whole or [block for count, block in likely if count]
    closed = [block for block in among if block.closed]
    return (closed or among)[-1]


def _mended(code: str, method: str, steps: list[str]) -> Found:
    plain = code.translate(PLAIN_SIGNS)
    if plain != code:
        steps = [*steps, "smart quotes replaced"]
    return Found(plain.strip("\n").rstrip() + "\n", method, steps)


def _whole(found: Found, language: Language, starter: str) -> Found:
    """With the starter code above, where none of its lines is in it: the answer completes it."""
    if found.code is None or not starter.strip() or _begins(found.code, starter):
        return found
    lines = {line.strip() for line in starter.split("\n") if line.strip() and not line.startswith(language.comment)}
    if lines & {line.strip() for line in found.code.split("\n")}:
        return found
    return found._replace(code=f"{starter.rstrip()}\n{found.code}", steps=[*found.steps, JOINED])


def _begins(code: str, starter: str) -> bool:
    """Whether a program has a first line of its own, as the starter code has one."""
    word = starter.split(None, 1)[0] if starter.strip() else ""
    return bool(word) and re.search(rf"^[ \t]*{re.escape(word)}\b", code, re.MULTILINE) is not None
