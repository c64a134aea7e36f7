"""Extract code from a completion, by the same rule for first answers and repairs. The steps are recorded."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from repair_bench.frameworks import PYTHON, Language
from repair_bench.prompts.extraction import fences, prose, whole_program
from repair_bench.prompts.extraction.code_cleanup import Extraction, normalise
from repair_bench.prompts.extraction.effort import EffortExceededError, limited, spend_on
from repair_bench.prompts.extraction.fences import Block
from repair_bench.prompts.extraction.joining import JOINED, join
from repair_bench.prompts.extraction.source import (
    begins_statement,
    compiles,
    defines,
    has_code,
    has_definition,
    is_abridged,
)

MAX_CHARACTERS = 200_000
"""Maximum number of characters that are read; if a completion is longer, only its beginning and end are read."""
MAX_EFFORT = 1_000_000
"""Maximum number of characters processed per completion. A character that is read twice counts twice."""
ROUGHLY = "simplified search: the text is too repetitive"


def extract(
    completion: str, *, entry_point: str, starter: str = "", prefill: str = "", language: Language = PYTHON
) -> Extraction:
    """Return the code in a completion.

    The last fenced block that completely defines `entry_point` is used. A function body without a signature is appended
    to `starter`. `prefill`: the beginning of the answer, which the model received in the request. The function ignores
    `prefill` if the model's own text defines `entry_point`. Code that does not compile is also returned, so that
    the feedback shows the error. For languages other than Python, see `whole_program`.
    """
    text = prose.plain(completion)
    steps = []
    if len(text) > MAX_CHARACTERS:
        text = f"{text[: MAX_CHARACTERS // 2]}\n{text[-MAX_CHARACTERS // 2 :]}"
        steps = [f"only the first and last {MAX_CHARACTERS // 2:,} characters were read"]
    try:
        with limited(MAX_EFFORT):
            if language is PYTHON:
                extraction = _continued(text, entry_point, starter, prose.plain(prefill))
            else:
                extraction = whole_program.find(text, language, starter=starter, prefill=prose.plain(prefill))
    except EffortExceededError:
        begins = language.begins
        extraction = _roughly(text, begins.search if begins else partial(has_definition, name=entry_point))
    return extraction.after(*steps)


def _roughly(text: str, is_program: Callable[[str], object]) -> Extraction:
    """Return the last fenced block that contains a line of code.

    This function is used for texts whose full analysis would take too long.
    """
    blocks = re.split(r"^[ \t]*+```.*\n?", text, flags=re.MULTILINE)[1::2]
    code = next((block for block in reversed(blocks) if is_program(block)), None)
    return Extraction(code, "nothing" if code is None else "fenced", [ROUGHLY])


def _continued(text: str, entry_point: str, starter: str, prefill: str) -> Extraction:
    """Return the code in an answer that may continue `prefill`, a text that the model received as the start of its
    answer.
    """
    if not prefill:
        return _extract(text, entry_point, starter)
    own = _extract(text, entry_point, "")
    if own.code is not None and defines(own.code, entry_point):
        return replace(own, steps=[*own.steps, "prefill ignored: the answer starts the program again"])
    given = _extract(prefill, entry_point, "").code
    joined = [_extract(prefill + gap + text, entry_point, "") for gap in ("", "\n")]
    continued = next(
        (extraction for extraction in joined if extraction.code is not None and compiles(extraction.code)), joined[0]
    )
    if continued.code is None or continued.code == given:
        return _extract(text, entry_point, starter)  # the answer opens a new fence
    is_continued = compiles(continued.code) and defines(continued.code, entry_point) > 2  # not only the prefill's stub
    if given is not None and not is_continued:
        below = _extract(f"```python\n{text}", entry_point, given)  # a body at another indentation
        if JOINED in below.steps and compiles(below.code or ""):
            return below
    return continued.after("appended to the prefill")


def _extract(text: str, entry_point: str, starter: str) -> Extraction:
    steps: list[str] = []
    bare = prose.without_chat_tokens(text)
    if bare != text:
        text, steps = bare, ["chat tokens removed"]
    answer = prose.without_reasoning(text)
    if answer != text:
        extraction = _find(answer, entry_point, starter)
        if extraction.code is not None:
            return extraction.after(*steps, "reasoning removed")
    return _find(text, entry_point, starter).after(*steps)


def _find(text: str, entry_point: str, starter: str) -> Extraction:
    """Return the code after the mark "CODE:" if that code defines the entry point. Otherwise, return code found
    anywhere in the text.
    """
    found = _locate(text, entry_point, starter)
    for rest in prose.after_marks(text):
        extraction = _locate(rest, entry_point, starter)
        if JOINED in extraction.steps and found.code and JOINED not in found.steps and defines(found.code, entry_point):
            continue  # an example below a mark is not a body if the text defines the function
        if extraction.code is not None and defines(extraction.code, entry_point):
            return extraction if extraction.code == found.code else extraction.after("cut after CODE:")
    return found


def _locate(text: str, entry_point: str, starter: str) -> Extraction:
    if _is_program(text, entry_point):
        return _normalised(text, "bare", [], entry_point, starter)  # its strings may contain fences
    blocks, outside = fences.split(text)
    outside = prose.without_tags(outside)
    chosen = _choose(blocks, entry_point, starter)
    if chosen is not None and not defines(chosen.code, entry_point):
        among = prose.cut(outside, entry_point)
        if defines(among, entry_point) > 1:
            return _normalised(among, "bare among prose", [], entry_point, starter)  # the blocks are something else
    if chosen is not None:
        steps = [f"block {blocks.index(chosen) + 1} of {len(blocks)}"] if len(blocks) > 1 else []
        program = chosen.code if chosen.closed else prose.cut_end(chosen.code, entry_point)
        steps += ["prose cut off"] if program != chosen.code else []
        return _normalised(program, "fenced", steps, entry_point, starter)
    method, code = _bare(outside, entry_point, starter)
    return Extraction(None, method) if code is None else _normalised(code, method, [], entry_point, starter)


def _choose(blocks: list[Block], entry_point: str, starter: str) -> Block | None:
    """Return the block that best defines the entry point; of several equally good blocks, return the last. A complete
    program is better than a later block that abridges the program with `...`.

    If no block defines the entry point, return the longest block that can be the function's body, or else the longest
    block.
    """
    defining = [block for block in blocks if defines(block.code, entry_point)]
    if defining:
        return max(reversed(defining), key=lambda block: _quality(block, entry_point))
    bodies = [block for block in blocks if join(block.code, entry_point, starter) is not None]
    likely = bodies or [block for block in blocks if has_code(block.code)] or blocks
    return max(likely, key=lambda block: len(block.code), default=None)


def _quality(block: Block, entry_point: str) -> int:
    """Return 0 for a truncated program, 1 for an abridged program, and otherwise the score of `defines`.

    A program with a syntax error gets the highest score, because it is what the model answered.
    """
    code = textwrap.dedent(block.code)
    broken = not compiles(code)
    if broken and not block.closed:
        return 0
    return 1 if is_abridged(code) else 3 if broken else defines(code, entry_point)


def _bare(text: str, entry_point: str, starter: str) -> tuple[str, str | None]:
    """Return the extraction method and the code of an unfenced answer.

    The code may be the whole answer, the content of a quoted string, a passage surrounded by prose, or a function body.
    """
    spend_on(text)
    if _is_program(text, entry_point):
        return "bare", text
    string = prose.quoted(text, entry_point)
    if string is not None:
        return "triple-quoted", string
    stated = any(begins_statement(line) or line.strip().startswith(">>> ") for line in text.split("\n"))
    part = prose.cut(text, entry_point) if stated else prose.likely_code(text)
    if starter.strip():
        among = () if has_definition(text, entry_point) else prose.stretches(text)
        for inside in (text, *among, prose.first_indented(text), *([part] if part is not None else [])):
            if join(inside, entry_point, starter) is not None:
                return "bare body", inside
    if part is None:
        return "nothing", None
    return ("bare" if part.strip() == text.strip() else "bare among prose"), part


def _is_program(text: str, entry_point: str) -> bool:
    return bool(defines(text, entry_point)) and compiles(textwrap.dedent(text))


def _normalised(code: str, method: str, steps: list[str], entry_point: str, starter: str) -> Extraction:
    program, changes = normalise(code, entry_point, starter)
    return Extraction(program, method, [*steps, *changes])
