"""Extract a complete program in a language other than Python.

A fenced block is chosen by its content, not by its tag: the last block that begins like a program is used.
"""

from __future__ import annotations

import re
from dataclasses import replace

from repair_bench.frameworks import Language
from repair_bench.prompts.extraction import fences, prose
from repair_bench.prompts.extraction.code_cleanup import PLAIN_SIGNS, Extraction
from repair_bench.prompts.extraction.fences import Block
from repair_bench.prompts.extraction.joining import JOINED

_ENDS = re.compile(r"[;}][ \t]*(?://.*|\*/[ \t]*)?$", re.MULTILINE)
_FIRST = re.compile(r"^[ \t]*(?:OPENQASM|include)\b", re.MULTILINE)


def find(text: str, language: Language, *, starter: str = "", prefill: str = "") -> Extraction:
    """Return the program in a completion. `starter`, `prefill`: see `extract`."""
    assert language.begins is not None
    found = _find(text, language.begins)
    if not prefill:
        return _with_starter(found, language, starter)
    if found.code is not None and _begins(found.code, starter):
        return replace(found, steps=[*found.steps, "prefill ignored: the answer starts the program again"])
    gap = "" if prefill.endswith("\n") or text.startswith("\n") else "\n"
    return _find(prefill + gap + text, language.begins).after("appended to the prefill")


def _find(text: str, begins: re.Pattern[str]) -> Extraction:
    steps: list[str] = []
    bare = prose.without_chat_tokens(text)
    if bare != text:
        steps.append("chat tokens removed")
    answer = prose.without_reasoning(bare)
    if answer != bare and answer.strip():
        bare = answer
        steps.append("reasoning removed")
    blocks, outside = fences.split(bare)
    outside = prose.without_tags(outside)
    chosen = _choose(blocks, begins)
    first = begins.search(outside)
    if chosen is not None and (begins.search(chosen.code) or not first):
        number = [f"block {blocks.index(chosen) + 1} of {len(blocks)}"] if len(blocks) > 1 else []
        return _cleaned(chosen.code, "fenced", [*steps, *number])
    if first is None:
        return Extraction(None, "nothing", steps)
    rest = outside[first.start() :]
    ends = [end.end() for end in _ENDS.finditer(rest)]
    code = rest[: ends[-1]] if ends else rest
    return _cleaned(code, "bare" if code.strip() == outside.strip() else "bare among prose", steps)


def _choose(blocks: list[Block], begins: re.Pattern[str]) -> Block | None:
    """Return the last block that looks like a program, or the longest block if none does.

    Blocks with an `OPENQASM` or `include` line are preferred, and among these, closed blocks.
    """
    likely = [block for block in blocks if begins.search(block.code)]
    if not likely:
        return max(blocks, key=lambda block: len(block.code), default=None)
    likely = [block for block in likely if _FIRST.search(block.code)] or likely
    return next((block for block in reversed(likely) if block.closed), likely[-1])


def _cleaned(code: str, method: str, steps: list[str]) -> Extraction:
    plain = code.translate(PLAIN_SIGNS)
    if plain != code:
        steps = [*steps, "smart quotes replaced"]
    return Extraction(plain.strip("\n").rstrip() + "\n", method, steps)


def _with_starter(found: Extraction, language: Language, starter: str) -> Extraction:
    """Insert the starter code above the program, unless the program already contains a line of the starter code."""
    if found.code is None or not starter.strip() or _begins(found.code, starter):
        return found
    lines = {line.strip() for line in starter.split("\n") if line.strip() and not line.startswith(language.comment)}
    if lines & {line.strip() for line in found.code.split("\n")}:
        return found
    return replace(found, code=f"{starter.rstrip()}\n{found.code}", steps=[*found.steps, JOINED])


def _begins(code: str, starter: str) -> bool:
    word = starter.split(None, 1)[0] if starter.strip() else ""
    return bool(word) and re.search(rf"^[ \t]*{re.escape(word)}\b", code, re.MULTILINE) is not None
