"""Extraction of OpenQASM 3 programs from completions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repair_bench.frameworks import FRAMEWORKS
from repair_bench.prompts.extraction.code_cleanup import Extraction
from repair_bench.prompts.extraction.extract import extract

PROGRAM = 'OPENQASM 3.0;\ninclude "stdgates.inc";\nqubit[2] q;\nh q[0];\ncx q[0], q[1];\n'
STARTER = 'OPENQASM 3.0;\ninclude "stdgates.inc";\n\n// Bell pair\ninput float theta;\n'
LANGUAGE = FRAMEWORKS["openqasm3"].language


def found(completion: str, **more: str) -> Extraction:
    return extract(completion, entry_point="Bell_State", language=LANGUAGE, **more)


@pytest.mark.parametrize("tag", ["", "qasm", "openqasm", "openqasm3", "OpenQASM", "c", "python", "text"])
@pytest.mark.parametrize("around", ["{}", "Here it is:\n\n{}\n\nIt makes a Bell pair."])
def test_a_fenced_program_is_found_whatever_its_tag(tag: str, around: str) -> None:
    assert found(around.format(f"```{tag}\n{PROGRAM}```")).code == PROGRAM


def test_a_program_without_a_fence_is_found_among_prose() -> None:
    assert found(PROGRAM).code == PROGRAM
    told = found(f"The program first entangles the qubits.\n\n{PROGRAM}\nThat is all.")
    assert (told.code, told.method) == (PROGRAM, "bare among prose")
    assert found(f"THINKING: qubit 0 first.\nCODE:\n{PROGRAM}").code == PROGRAM
    assert found(f"<code>{PROGRAM.rstrip()}</code>").code == PROGRAM


def test_of_several_blocks_the_last_that_begins_a_program_wins() -> None:
    other = PROGRAM.replace("h q[0]", "x q[0]")
    snippet = "```qasm\nh q[0];\n```"
    assert found(f"{snippet}\n\n```qasm\n{other}```\nNo, better:\n```qasm\n{PROGRAM}```\n{snippet}").code == PROGRAM
    assert found(f"```qasm\n{PROGRAM}```\nWith Python:\n```python\nprint('a much longer text')\n```").code == PROGRAM


def test_reasoning_chat_tokens_and_smart_quotes_are_removed() -> None:
    thought = f"<think>```qasm\nOPENQASM 3.0;\nx q;\n```</think>\n```qasm\n{PROGRAM}```<|im_end|>"
    assert found(thought).code == PROGRAM
    curly = PROGRAM.replace('"stdgates.inc"', "\u201cstdgates.inc\u201d")
    assert found(f"```qasm\n{curly}```").code == PROGRAM


def test_a_repeated_starter_is_not_joined() -> None:
    part = "input float theta;\nqubit q;\nrz(theta) q;\n"
    joined = found(f"```qasm\n{part.removeprefix('input float theta;')}```", starter=STARTER).code
    assert joined.startswith(STARTER.rstrip())
    assert found(f"```qasm\n{part}```", starter=STARTER).code == part


def test_a_program_that_was_cut_off_is_taken_as_it_is() -> None:
    assert found(f"```qasm\n{PROGRAM}h q[").code == f"{PROGRAM}h q[\n"


def test_the_rest_of_a_starter_code_is_put_below_it() -> None:
    rest = "qubit q;\nrx(theta) q;\n"
    assert found(f"```qasm\n{rest}```", starter=STARTER).code == f"{STARTER}{rest}"
    whole = STARTER + rest
    assert found(f"```qasm\n{whole}```", starter=STARTER).code == whole


def test_an_answer_continues_or_replaces_the_prefill() -> None:
    begun = f"```openqasm3\n{STARTER.rstrip()}"
    rest = "qubit q;\nrx(theta) q;\n"
    assert found(f"{rest}```", starter=STARTER, prefill=begun).code == f"{STARTER}{rest}"
    anew = found(f"```qasm\n{PROGRAM}```", starter=STARTER, prefill=begun)
    assert anew.code == PROGRAM
    assert anew.steps == ["prefill ignored: the answer starts the program again"]


@pytest.mark.parametrize("text", ["", "I cannot do that.", "The qubits are entangled; a bit is measured."])
def test_where_there_is_none_there_is_none(text: str) -> None:
    assert found(text).code is None


PIECES = ["`", "```", "qasm", "\n", "OPENQASM 3;", "qubit q;", " ", "x", "<think>", "}", ";"]


@given(st.lists(st.sampled_from(PIECES)))
def test_any_text_is_taken_without_an_error(pieces: list[str]) -> None:
    code = found("".join(pieces)).code
    assert code is None or code.endswith("\n")
