"""Extraction of code from completions in the layouts that models use."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repair_bench.prompts.extraction.extract import extract

CODE = "import cirq\n\n\ndef bell():\n    return cirq.Circuit()\n"
OTHER = "print('an example of its use')\n"
STARTER = 'import cirq\n\n\ndef bell():\n    """Prepare a Bell pair."""\n'

SHAPES = {
    "a python fence": f"```python\n{CODE}```",
    "prose around a fence": f"Here is the program:\n\n```python\n{CODE}```\n\nIt prepares a Bell pair.",
    "a fence without a tag": f"```\n{CODE}```",
    "another tag": f"```py\n{CODE}```",
    "an unusual tag": f"```qiskit-python title=bell.py\n{CODE}```",
    "tildes": f"~~~python\n{CODE}~~~",
    "an unclosed fence": f"```python\n{CODE}",
    "windows line ends": f"```python\n{CODE}```".replace("\n", "\r\n"),
    "a longer fence": f"````python\n{CODE}````",
    "an indented fence": f"1. Write this:\n   ```python\n{CODE}   ```",
    "bare code": CODE,
    "bare code with a byte order mark": "\ufeff" + CODE,
    "bare code after prose": f"Sure, here's the program.\n\n{CODE}",
    "bare code between prose": f"Sure, here's the program.\n\n{CODE}\nI hope that this helps!",
    "two blocks, the entry point in the first": f"```python\n{CODE}```\n\nUse:\n\n```python\n{OTHER}```",
    "two blocks, the entry point in the last": f"Install it:\n\n```bash\nimport nothing\n```\n\n```python\n{CODE}```",
    "two versions, the last wins": f"```python\ndef bell():\n    pass\n```\n\nBetter:\n\n```python\n{CODE}```",
    "after reasoning": f"<think>def bell(): maybe\n```python\nwrong()\n```</think>\n```python\n{CODE}```",
    "thinking and code marks": f"THINKING: a Bell pair needs a Hadamard.\nCODE:\n{CODE}",
    "an indented answer": "\n".join("    " + line if line else line for line in CODE.split("\n")),
    "a triple-quoted answer": f'"""\n{CODE}"""',
    "doctest prompts": "\n".join((">>> " if line[:1].strip() else "... ") + line for line in CODE.rstrip().split("\n")),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_code_comes_out(shape: str) -> None:
    assert extract(SHAPES[shape], entry_point="bell").code == CODE


def test_smart_quotes_are_replaced_when_the_code_needs_it() -> None:
    answer = "```python\ndef bell():\n    return \u201cresult\u201d\n```"
    found = extract(answer, entry_point="bell")
    assert found.code == 'def bell():\n    return "result"\n'
    assert found.steps == ["smart quotes replaced"]


def test_smart_quotes_inside_a_string_stay() -> None:
    answer = "```python\ndef bell():\n    return '\u201cresult\u201d'\n```"
    assert "\u201c" in (extract(answer, entry_point="bell").code or "")


@pytest.mark.parametrize("answer", ["```python\n    return cirq.Circuit()\n```", "    return cirq.Circuit()\n"])
def test_a_body_is_joined_to_the_starter_code(answer: str) -> None:
    found = extract(answer, entry_point="bell", starter=STARTER)
    assert found.code == STARTER + "    return cirq.Circuit()\n"
    assert found.steps == ["appended to the starter code"]


@pytest.mark.parametrize(
    "body", ["circuit = cirq.Circuit()\nreturn circuit", "if True:\n    return 1", "# a comment\nreturn 1"]
)
def test_a_body_that_lost_its_indentation_is_joined_too(body: str) -> None:
    code = extract(f"```python\n{body}\n```", entry_point="bell", starter=STARTER).code
    assert code is not None
    assert code.startswith(STARTER)


@pytest.mark.parametrize("code", ["def ball():\n    return 1\n", "# mine\ndef ball():\n    return 1\n", "x = 1\n"])
def test_a_program_without_the_entry_point_is_unchanged(code: str) -> None:
    assert extract(f"```python\n{code}```", entry_point="bell", starter=STARTER).code == code


def test_fences_inside_the_code_do_not_end_it() -> None:
    code = 'def bell():\n    """Example:\n\n    ```python\n    bell()\n    ```\n    """\n    return 1\n'
    assert extract(f"````python\n{code}````", entry_point="bell").code == code


@pytest.mark.parametrize("answer", ["", "   \n", "I cannot help with that.", "A Bell pair is (|00> + |11>)/sqrt 2."])
def test_prose_contains_no_code(answer: str) -> None:
    assert extract(answer, entry_point="bell").code is None


def test_code_that_does_not_compile_is_code_all_the_same() -> None:
    found = extract("```python\ndef bell(:\n    return 1\n```", entry_point="bell")
    assert found.code == "def bell(:\n    return 1\n"


@given(st.text())
def test_any_text_is_survived(text: str) -> None:
    found = extract(text, entry_point="bell", starter=STARTER)
    assert extract(text, entry_point="bell", starter=STARTER) == found


@pytest.mark.slow
@given(st.text(alphabet=st.characters(codec="ascii", exclude_characters="`~"), max_size=200))
def test_a_fenced_program_survives_any_prose_before_it(prose: str) -> None:
    if "<" in prose or ":" in prose:
        return  # reasoning tags and CODE: marks have separate rules
    assert extract(f"{prose}\n```python\n{CODE}```\n", entry_point="bell").code == CODE
