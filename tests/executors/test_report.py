"""Descriptions of exceptions, as models receive them."""

from __future__ import annotations

import json
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repair_bench.executors.guest.report import FILENAME, clean, describe_exception


def raised(source):
    """Return the description of the exception that a program raises."""
    try:
        exec(compile(source, FILENAME, "exec", dont_inherit=True), {"__name__": "candidate"})
    except BaseException as error:  # noqa: BLE001 - SystemExit too
        return describe_exception(error, source)
    raise AssertionError("nothing was raised")


def test_the_report_shows_only_the_candidates_lines():
    seen = raised("def half(n):\n    return n / 0  # half\n\nhalf(\n    3)\n")
    assert seen == {
        "type": "ZeroDivisionError",
        "message": "division by zero",
        "traceback": (
            "Traceback (most recent call last):\n"
            '  File "solution.py", line 4, in <module>\n'
            "    half(\n"
            '  File "solution.py", line 2, in half\n'
            "    return n / 0  # half\n"
            "ZeroDivisionError: division by zero"
        ),
    }


def test_library_frames_are_folded_to_the_last_one():
    seen = raised("from qiskit import QuantumCircuit\nqc = QuantumCircuit(2)\nqc.cx(0, 0)\n")
    assert seen["type"] == "qiskit.circuit.exceptions.CircuitError"
    lines = seen["traceback"].splitlines()
    assert lines[1:3] == ['  File "solution.py", line 3, in <module>', "    qc.cx(0, 0)"]
    assert lines[3].startswith('  File "qiskit/circuit/quantumcircuit.py", line ')
    assert len(lines) == 5
    assert "site-packages" not in seen["traceback"]


def test_a_library_frame_between_candidate_frames_stays():
    seen = raised(
        "import json\nclass D(json.JSONEncoder):\n    def default(self, o): 1 / 0\njson.dumps({1: D}, cls=D)\n"
    )
    files = [line.split('"')[1] for line in seen["traceback"].splitlines() if line.startswith("  File")]
    assert files == ["solution.py", "json/encoder.py", "solution.py"]


def test_the_frames_of_a_tasks_inputs_are_not_shown():
    namespace = {}
    exec(compile("def given(): return 1 / 0", "<setup>", "exec"), namespace)
    source = "def f(given):\n    return given()\n"
    exec(compile(source, FILENAME, "exec"), namespace)
    with pytest.raises(ZeroDivisionError) as error:
        namespace["f"](namespace["given"])
    shown = describe_exception(error.value, source)["traceback"]
    assert shown.splitlines()[1:] == [
        '  File "solution.py", line 2, in f',
        "    return given()",
        "ZeroDivisionError: division by zero",
    ]


def test_paths_in_messages_are_shortened():
    seen = raised("from qiskit import does_not_exist")
    assert seen["message"] == "cannot import name 'does_not_exist' from 'qiskit' (qiskit/__init__.py)"
    assert raised("raise OSError('/opt/x/lib/python3.11/site-packages/a/b.py')")["message"] == "a/b.py"


def test_a_syntax_error_shows_the_line_and_the_place():
    seen = raised("def f():\n    x = = 3\n")
    assert seen["message"] == "invalid syntax (solution.py, line 2)"
    assert seen["traceback"] == ('  File "solution.py", line 2\n    x = = 3\n        ^\nSyntaxError: invalid syntax')


def test_a_syntax_error_in_executed_text_is_an_ordinary_exception():
    seen = raised("exec('x = = 3')")
    assert seen["traceback"].startswith("Traceback")
    assert "exec('x = = 3')" in seen["traceback"]


def test_bad_indentation_and_null_bytes_are_described():
    assert raised("if True:\nx = 1")["type"] == "IndentationError"
    assert "null byte" in raised("x = '\0'")["message"]


def test_deep_recursion_gives_a_short_report():
    seen = raised("def f(n):\n    return f(n + 1)\nf(0)\n")
    assert seen["type"] == "RecursionError"
    assert "more times]" in seen["traceback"]
    assert len(seen["traceback"]) < 1000


def test_causes_of_an_exception_are_summarised():
    source = "def f():\n    {}['a']\ntry:\n    f()\nexcept KeyError as e:\n    raise ValueError('bad')%s\n"
    seen = raised(source % " from e")["traceback"]
    assert seen.startswith("  File \"solution.py\", line 2, in f\n    {}['a']\nKeyError: 'a'\n")
    assert "direct cause" in seen
    assert (
        "While the exception above was being handled, the following exception was raised:"
        in raised(source % "")["traceback"]
    )
    assert "KeyError" not in raised(source % " from None")["traceback"]


def test_an_endless_chain_of_causes_is_cut():
    seen = raised("a = ValueError('a')\nb = ValueError('b', a)\na.__cause__ = b\nb.__cause__ = a\nraise a")
    assert seen["message"] == "a"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exception groups came with Python 3.11")
def test_the_members_of_a_group_are_listed():
    seen = raised("raise ExceptionGroup('both', [ValueError(1), ExceptionGroup('in', [KeyError(2)])])")
    assert seen["message"] == "both (2 sub-exceptions)"
    assert "1 of 2:\n    ValueError: 1" in seen["traceback"]
    assert "2 of 2:\n    ExceptionGroup: in" in seen["traceback"]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="notes came with Python 3.11")
def test_notes_of_an_exception_are_shown():
    assert raised("e = ValueError('x')\ne.add_note('try y')\nraise e")["traceback"].endswith("ValueError: x\ntry y")


def test_a_system_exit_is_described():
    assert raised("import sys; sys.exit(3)")["type"] == "SystemExit"
    assert raised("raise KeyboardInterrupt")["type"] == "KeyboardInterrupt"


def test_a_candidates_exception_class_has_no_module_name():
    assert raised("class Mine(Exception): pass\nraise Mine('x')")["traceback"].endswith("\nMine: x")


@pytest.mark.parametrize("body", ["raise SystemExit", "while True: pass", "return 1", "return self.nope"])
def test_a_message_that_raises_or_loops_is_replaced(body):
    started = time.monotonic()
    source = f"class E(Exception):\n    done = False\n    def __str__(self):\n        {body}\nraise E\n"
    source = source.replace("while True", "import time; end = time.time() + 3\n        while time.time() < end")
    seen = raised(source)
    assert seen["message"] == "<the message of this exception could not be read>"
    assert time.monotonic() - started < 2.5


def test_overridden_attributes_are_ignored():
    source = (
        "class E(SyntaxError):\n"
        "    def __getattribute__(self, name): raise OSError('caught you')\n"
        "    __cause__ = property(lambda self: self)\n"
        "    __traceback__ = 7\n"
        "raise E('m')\n"
    )
    seen = raised(source)
    assert "line 5, in <module>" in seen["traceback"]
    assert "caught you" not in seen["traceback"]


def test_long_messages_keep_their_head_and_tail():
    seen = raised("raise ValueError('start' + 'x' * 1_000_000 + 'end')")
    for text, limit in ((seen["message"], 2000), (seen["traceback"], 4000)):
        assert len(text) <= limit
        assert "start" in text
        assert text.endswith("end")
        assert "characters omitted" in text


def test_reported_text_is_safe_for_logs_and_requests():
    seen = raised("raise ValueError('a\\ud800b\\x1b[31m\\x00c\\nd')")
    assert seen["message"] == "a?b\ufffd[31m\ufffdc\nd"
    json.dumps(seen).encode()
    seen["traceback"].encode()


@given(st.text(st.characters(), max_size=300), st.integers(0, 120))
def test_cleaned_text_is_bounded_printable_and_stable(text, limit):
    cleaned = clean(text, limit)
    assert len(cleaned) <= limit
    cleaned.encode("utf-8")
    assert not [c for c in cleaned if c < " " and c not in "\n\t"]
    assert clean(cleaned, limit) == cleaned


def test_cleaning_hostile_text_is_fast():
    started = time.monotonic()
    clean("/" * 5_000_000, 2000)
    clean("/a" * 2_500_000 + "/site-package", 2000)
    assert time.monotonic() - started < 1
