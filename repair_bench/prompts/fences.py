"""The fenced blocks of a completion, in Markdown as models write it.

The patterns give nothing back (possessive quantifiers), so that no line takes longer than its length.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from repair_bench.prompts.effort import spend, spend_on
from repair_bench.prompts.source import begins_statement, compiles, inside_string

_OPENS = re.compile(r"[ \t]*+(?:(?:[-*+]|\d++[.)])[ \t]++)?(?P<fence>`{3,}+|~{3,}+)[ \t]*+(?P<info>[^`]*+)$")
_OPENS_AFTER_PROSE = re.compile(r"(?=[^`\S]*+[^`\s])[^`]*+(?P<fence>`{3,}+)(?P<info>[\w+#.-]*+)[ \t]*+$")
_ONE_LINE = re.compile(r"[ \t]*+(?P<fence>`{3,}+)[ \t]*+(?P<info>[^`]*+)(?P=fence)[ \t]*+$")
_OPENS_WITHIN = re.compile(r"^[ \t]*(?:`{3}|~{3})", re.MULTILINE)
_QUOTED = re.compile(r"^[ \t]*>[ \t]*(?:`{3}|~{3})", re.MULTILINE)
_MAX_ENDS = 20


@dataclass(frozen=True)
class Block:
    """What stands between two fences; `closed` is False for a block that runs to the end of the text."""

    code: str
    closed: bool = True


def split(text: str, *, nested: bool = True) -> tuple[list[Block], str]:
    """The blocks that hold anything, in order, and the text outside of all blocks.

    `nested`: a block that is no program but holds blocks, an answer in Markdown, is taken apart.
    """
    spend_on(text)
    if _QUOTED.search(text):
        text = re.sub(r"^[ \t]*>(?!>) ?", "", text, flags=re.MULTILINE)
    lines = text.split("\n")
    blocks: list[Block] = []
    outside: list[str] = []
    at = 0
    while at < len(lines):
        single = _ONE_LINE.match(lines[at])
        opening = _OPENS.match(lines[at]) or _OPENS_AFTER_PROSE.match(lines[at])
        if single:
            blocks.append(Block(_code_in(single["info"])))
            at += 1
        elif opening:
            block, at = _read(lines, at + 1, opening["fence"], _code_in(opening["info"], tagged=True))
            apart = nested and _OPENS_WITHIN.search(block.code) and not compiles(block.code)
            blocks += (split(block.code, nested=False)[0] if apart else []) or [block]
        else:
            outside.append(lines[at])
            at += 1
    return [block for block in blocks if block.code.strip()], "\n".join(outside)


def _read(lines: list[str], start: int, fence: str, first: str) -> tuple[Block, int]:
    """The block whose content starts at line `start`, and the line to go on with.

    A closing fence within a triple-quoted string is passed over when what follows up to a later one is a program.
    """
    ends: list[tuple[str, int]] = []
    content = [first] if first else []
    double, single = first.count('"""'), first.count("'''")
    for at in range(start, len(lines)):
        line = lines[at]
        closing = _last_fence(line, fence)
        before, after = closing or ("", "")
        within = double % 2 == 1 or single % 2 == 1
        if closing and not after and _may_end(before):
            ends.append(("\n".join([*content, before] if before.strip() else content), at + 1))
            spend(len(ends[-1][0]))
            if not within or len(ends) == _MAX_ENDS:
                break
        elif closing and not before.strip() and after and not within:
            # a tag opens the next block: this one was never closed; a sentence follows a closing fence
            return Block("\n".join(content), closed=" " in after), at if " " not in after else at + 1
        content.append(line)
        double, single = double + line.count('"""'), single + line.count("'''")
    if not ends:
        return Block("\n".join(content), closed=False), len(lines)
    code, after_it = next((end for end in ends if compiles(end[0])), None) or next(
        (end for end in ends if not inside_string(end[0])), ends[0]
    )
    return Block(code), after_it


def _last_fence(line: str, fence: str) -> tuple[str, str] | None:
    """The text before and after the last fence in a line; None where that cannot close a block that `fence` opened."""
    end = max(line.rfind("`"), line.rfind("~")) + 1
    before = line[:end].rstrip(fence[0])
    return (before, line[end:].strip()) if end - len(before) >= len(fence) else None


def _may_end(before: str) -> bool:
    """Whether a fence may close its block at the end of a line that begins with `before`."""
    return "`" not in before and not before.lstrip().startswith("#")


def _code_in(info: str, *, tagged: bool = False) -> str:
    """The code in the line of a fence, after its tag or without one; of an opening fence only what is surely code."""
    if begins_statement(info):
        return info
    tag, _, rest = info.partition(" ")
    if begins_statement(rest):
        return rest
    return "" if tagged else rest if tag.isalnum() and rest else info
