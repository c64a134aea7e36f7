"""The fenced blocks of a completion, in the loose Markdown that models write.

The patterns use possessive quantifiers, so matching takes time linear in the length of a line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from repair_bench.prompts.extraction.effort import spend, spend_on
from repair_bench.prompts.extraction.source import begins_statement, compiles, inside_string

_OPENS = re.compile(r"[ \t]*+(?:(?:[-*+]|\d++[.)])[ \t]++)?(?P<fence>`{3,}+|~{3,}+)[ \t]*+(?P<info>[^`]*+)$")
_OPENS_AFTER_PROSE = re.compile(r"(?=[^`\S]*+[^`\s])[^`]*+(?P<fence>`{3,}+)(?P<info>[\w+#.-]*+)[ \t]*+$")
_ONE_LINE = re.compile(r"[ \t]*+(?P<fence>`{3,}+)[ \t]*+(?P<info>[^`]*+)(?P=fence)[ \t]*+$")
_OPENS_WITHIN = re.compile(r"^[ \t]*(?:`{3}|~{3})", re.MULTILINE)
_QUOTED = re.compile(r"^[ \t]*>[ \t]*(?:`{3}|~{3})", re.MULTILINE)
_MAX_ENDS = 20


@dataclass(frozen=True)
class Block:
    """The text between two fences; `closed` is False if the closing fence is missing."""

    code: str
    closed: bool = True


def split(text: str, *, nested: bool = True) -> tuple[list[Block], str]:
    """Return the blocks that contain text, in order, and the text outside all blocks.

    `nested`: whether to split a block that is not a program but contains other blocks. For example, a whole Markdown
    answer may be enclosed in one block.
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
            is_markdown = nested and _OPENS_WITHIN.search(block.code) and not compiles(block.code)
            blocks += (split(block.code, nested=False)[0] if is_markdown else []) or [block]
        else:
            outside.append(lines[at])
            at += 1
    return [block for block in blocks if block.code.strip()], "\n".join(outside)


def _read(lines: list[str], start: int, fence: str, first: str) -> tuple[Block, int]:
    """Return the block whose content starts at line `start`, and the number of the line after it.

    If a closing fence lies within a triple-quoted string, the block may end at a later closing fence. If possible, the
    block ends at the first closing fence that makes the block's content a valid program.
    """
    ends: list[tuple[str, int]] = []
    content = [first] if first else []
    double, single = first.count('"""'), first.count("'''")
    for at in range(start, len(lines)):
        line = lines[at]
        closing = _last_fence(line, fence)
        before, after = closing or ("", "")
        within = double % 2 == 1 or single % 2 == 1
        may_end = "`" not in before and not before.lstrip().startswith("#")
        if closing and not after and may_end:
            ends.append(("\n".join([*content, before] if before.strip() else content), at + 1))
            spend(len(ends[-1][0]))
            if not within or len(ends) == _MAX_ENDS:
                break
        elif closing and not before.strip() and after and not within:
            # a tag means that the next block opens and this one was never closed; a sentence follows a closing fence
            return Block("\n".join(content), closed=" " in after), at if " " not in after else at + 1
        content.append(line)
        double, single = double + line.count('"""'), single + line.count("'''")
    if not ends:
        return Block("\n".join(content), closed=False), len(lines)
    outside_string = next((end for end in ends if not inside_string(end[0])), ends[0])
    code, after_it = next((end for end in ends if compiles(end[0])), outside_string)
    return Block(code), after_it


def _last_fence(line: str, fence: str) -> tuple[str, str] | None:
    """Return the text before and after the last fence in a line.

    Returns None if the last fence cannot close a block that was opened by `fence`.
    """
    end = max(line.rfind("`"), line.rfind("~")) + 1
    before = line[:end].rstrip(fence[0])
    return (before, line[end:].strip()) if end - len(before) >= len(fence) else None


def _code_in(info: str, *, tagged: bool = False) -> str:
    """Return the code that follows an opening fence on the same line. The fence's language tag is omitted.

    `tagged`: whether to return an empty string if it is uncertain whether the text is code.
    """
    if begins_statement(info):
        return info
    tag, _, rest = info.partition(" ")
    if begins_statement(rest):
        return rest
    return "" if tagged else rest if tag.isalnum() and rest else info
