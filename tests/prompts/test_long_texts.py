"""Very long and repetitive completions, which are read in bounded time and reproducibly."""

import pytest

from repair_bench.frameworks.openqasm3 import LANGUAGE
from repair_bench.prompts import tools
from repair_bench.prompts.extraction.extract import MAX_CHARACTERS, ROUGHLY, extract
from repair_bench.traces.record.records import Completion

PROGRAM = "def answer(n):\n    return n\n"
FENCED = f"```python\n{PROGRAM}```\n"
LONG = 7_000_000


@pytest.mark.parametrize("text", [FENCED + " " * LONG, "word " * (LONG // 5) + "\n" + FENCED], ids=["head", "tail"])
def test_program_at_either_end_of_a_long_text_is_found(text: str) -> None:
    extraction = extract(text, entry_point="answer")
    assert extraction.code == PROGRAM
    assert extraction.steps[0] == f"only the first and last {MAX_CHARACTERS // 2:,} characters were read"


def test_long_reasoning_before_the_program_is_removed() -> None:
    text = "<think>\n" + "Wait, let me think.\n" * 20_000 + "</think>\n" + FENCED
    assert extract(text, entry_point="answer").code == PROGRAM


@pytest.mark.parametrize(
    "filler",
    ["try:\n" * 30_000, "def f():\n" * 20_000, "a\n" * 100_000, "CODE:\nimport a\n" * 10_000, "(" * 100_000],
    ids=["try", "def", "lines", "marks", "brackets"],
)
@pytest.mark.parametrize("program", [FENCED, pytest.param(f"{FENCED}{FENCED}", marks=pytest.mark.slow)])
def test_fenced_program_in_a_degenerate_text_is_found(filler: str, program: str) -> None:
    extractions = [extract(f"{program}{filler}", entry_point="answer") for _ in range(2)]
    assert extractions[0].code == PROGRAM
    assert extractions[0] == extractions[1]


def test_rough_search_is_recorded(monkeypatch) -> None:
    monkeypatch.setattr("repair_bench.prompts.extraction.extract.MAX_EFFORT", 100)
    found = extract(f"Here it is.\n{FENCED}{FENCED}Use it well.", entry_point="answer")
    assert (found.code, found.method, found.steps) == (PROGRAM, "fenced", [ROUGHLY])
    nothing = extract("try:\n" * 1_000, entry_point="answer")
    assert (nothing.code, nothing.method, nothing.steps) == (None, "nothing", [ROUGHLY])


def test_openqasm_program_in_a_degenerate_text_is_found() -> None:
    program = "OPENQASM 3.0;\nqubit q;\n"
    text = f"```\n{program}```\n" + "```\nqubit" * 25_000
    assert extract(text, entry_point="", language=LANGUAGE).code == program


def test_many_unclosed_tool_calls_are_an_answer() -> None:
    assert tools.calls_of(Completion("```try\n" * 20_000), {"python": 1}, native=False) == []


def test_first_closed_tool_call_is_taken() -> None:
    text = "```try \nprint(1)\n```try\n``` \n```try\nprint(2)\n```\n"
    (call,) = tools.calls_of(Completion(text), {"python": 1}, native=False)
    assert call.code == "print(1)\n```try\n"
