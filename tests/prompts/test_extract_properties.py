"""Extraction of the references of the built-in suite from any layout."""

import re
import string
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import repair_bench
from repair_bench.prompts.extraction.extract import extract
from repair_bench.prompts.extraction.source import compiles

TASKS = Path(repair_bench.__file__).parent / "suites" / "aligned" / "tasks"


def entry_point(path: Path) -> str:
    found = re.search(r'^entry_point = "(\w+)"', (path.parent / "task.toml").read_text(), re.MULTILINE)
    assert found is not None
    return found[1]


PROGRAMS = [
    (entry_point(path), path.read_text().strip("\n").rstrip() + "\n") for path in sorted(TASKS.glob("*/solution_*.py"))
]
PROSE = (
    "Here is the program.",
    "Sure! Here's the code:",
    "It prepares (|00> + |11>)/sqrt(2), as asked.",
    "**Explanation**",
    "1. The Hadamard puts the qubit into superposition.\n2. The CNOT entangles the two.",
    "| outcome | p |\n| --- | --- |\n| 00 | 0.5 |",
    "Let me know if you need anything else!",
    "In kets: |psi> = a|0> + b|1>.",
)


def indented(code: str, by: str = "    ") -> str:
    return "".join(by + line if line.strip() else line for line in code.splitlines(keepends=True))


def session(code: str) -> str:
    lines = code.rstrip().split("\n")
    return "\n".join((">>> " if line and not line[0].isspace() else "... ") + line for line in lines) + "\n"


BARE = {
    "as it is": lambda code: code,
    "indented": indented,
    "indented by a tab": lambda code: indented(code, "\t") if "\t" not in code else code,
    "a session": session,
    "quoted": lambda code: f"'''\n{code}'''\n" if "'''" not in code else code,
}
FENCED = {
    "python": lambda code: f"```python\n{code}```\n",
    "no tag": lambda code: f"```\n{code}```\n",
    "tildes": lambda code: f"~~~py\n{code}~~~\n",
    "a long fence": lambda code: f"`````python\n{code}`````\n",
    "in a list": lambda code: indented(f"```python\n{code}```\n", "   "),
    "in a quote": lambda code: "".join(f"> {line}" for line in f"```python\n{code}```\n".splitlines(keepends=True)),
    "never closed": lambda code: f"```python\n{code}",
    "closed in the last line": lambda code: f"```python\n{code.rstrip()}```\n",
}
ENDS = {
    "as they are": lambda text: text,
    "of Windows": lambda text: text.replace("\n", "\r\n"),
    "after reasoning": lambda text: f"<think>\nI could use\n\n```python\ndraft()\n```\n</think>\n\n{text}",
    "after a mark": lambda text: f"THINKING: two gates will do.\nCODE:\n{text}",
    "with a chat token": lambda text: f"{text.rstrip()}\n<|im_end|>",
}

programs = st.sampled_from(PROGRAMS)


@pytest.mark.slow
@given(programs, st.sampled_from(sorted(BARE)), st.sampled_from(sorted(FENCED)), st.sampled_from(sorted(ENDS)))
def test_a_fenced_program_comes_out_of_any_dress(program, bare, fenced, ends) -> None:
    name, code = program
    dressed = ENDS[ends](FENCED[fenced](BARE[bare](code)))
    assert plain(extract(dressed, entry_point=name).code) == plain(code)


@given(programs, st.sampled_from(sorted(BARE)), st.sampled_from(sorted(ENDS)))
def test_a_bare_program_comes_out_of_any_dress(program, bare, ends) -> None:
    name, code = program
    assert plain(extract(ENDS[ends](BARE[bare](code)), entry_point=name).code) == plain(code)


@given(programs, st.sampled_from(sorted(FENCED)), st.sampled_from(PROSE), st.sampled_from(PROSE))
def test_prose_around_a_fenced_program_is_left_behind(program, fenced, before, after) -> None:
    name, code = program
    assert extract(f"{before}\n\n{FENCED[fenced](code)}\n{after}\n", entry_point=name).code == code


@given(programs, st.sampled_from(PROSE), st.sampled_from(PROSE))
def test_prose_around_a_bare_program_is_left_behind(program, before, after) -> None:
    name, code = program
    assert extract(f"{before}\n\n{code}\n{after}\n", entry_point=name).code == code


@given(programs, st.lists(programs, max_size=3), st.data())
def test_the_block_with_the_entry_point_wins_at_any_position(program, others, data) -> None:
    name, code = program
    blocks = [one for other, one in others if other != name]
    blocks.insert(data.draw(st.integers(0, len(blocks))), code)
    answer = "\n".join(f"```python\n{block}```\n\nAnd so on.\n" for block in blocks)
    assert extract(answer, entry_point=name).code == code


@pytest.mark.slow
@given(programs)
def test_a_body_is_joined_to_its_starter(program) -> None:
    name, code = program
    head, colon, body = re.split(rf"(^def {name}\(.*:\n)", code, maxsplit=1, flags=re.MULTILINE)
    if re.search(r"^\S", body, re.MULTILINE):
        return  # a program of several functions
    starter = f'{head}{colon}    """Do it."""\n'
    for answer in (body, f"```python\n{body}```", body.lstrip(), f"```\n{body}```\n\nThat is the body."):
        assert extract(answer, entry_point=name, starter=starter).code == starter + body
    prefill = f"```python\n{starter}".rstrip()
    assert (
        extract(f"\n{body}```\n\nThat is all.", entry_point=name, starter=starter, prefill=prefill).code
        == starter + body
    )
    assert extract(f"```python\n{code}```", entry_point=name, starter=starter, prefill=prefill).code == code


@given(programs, st.data())
def test_a_truncated_answer_is_read_to_its_end(program, data) -> None:
    name, code = program
    arrived = code[: data.draw(st.integers(code.index("def "), len(code)))]
    found = extract(f"```python\n{arrived}", entry_point=name)
    assert plain(found.code) == plain(arrived)


@given(programs)
def test_extraction_is_idempotent(program) -> None:
    name, code = program
    found = extract(code, entry_point=name)
    assert (found.code, found.steps) == (code, [])


SCRAPS = [
    *"`~>'\"\n \t#-*:=()é",
    "def bell():",
    "return 1",
    "```python\n",
    "\n```\n",
    '"""',
    "<think>",
    "</think>",
    "CODE:",
    ">>> ",
]
scraps = st.lists(st.sampled_from(SCRAPS), max_size=40).map("".join)


@pytest.mark.slow
@settings(max_examples=300)
@given(st.one_of(st.text(alphabet=string.printable), scraps), st.one_of(st.just(""), scraps), st.booleans())
@example("```" * 30, "", False)
@example('"""\n' * 50, "", False)
@example("```python\n" * 50, "", True)
def test_any_text_is_survived(text, prefill, with_starter) -> None:
    starter = "def bell():\n" if with_starter else ""
    found = extract(text, entry_point="bell", starter=starter, prefill=prefill)
    assert found.code is None or found.code.endswith("\n")
    if found.code is not None and compiles(found.code) and found.method == "fenced" and not prefill:
        again = extract(found.code, entry_point="bell")
        assert again.code is None or len(again.code) <= len(found.code)


def plain(code: str | None) -> str:
    """Return the text without blank lines and trailing white space, which some layouts do not preserve."""
    return "\n".join(line.rstrip() for line in (code or "").split("\n") if line.strip())
