"""Verdicts of unit tests in real child processes, and the feedback on them."""

from collections.abc import Callable
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Limits
from repair_bench.prompts.feedback import make_feedback
from repair_bench.suites.checks import UnitTestCheck
from repair_bench.suites.task import Task
from repair_bench.traces.faults import SuiteError
from repair_bench.traces.record.records import Outcome, Verdict

TEST = "def check(candidate): assert candidate(2) == 'expected', 'it should be the expected one'"

Judge = Callable[..., Verdict]


def task(check: UnitTestCheck, framework: str = "python") -> Task:
    return Task("by hand", "01", framework, "answer", "", "", check, "algorithm")


@pytest.fixture
def judge(executor: LocalExecutor) -> Judge:
    """Runs a test program on a source in a real child process; by default through `check(candidate)`."""

    def judge(source: str, test: str = TEST, framework: str = "python", **fields: Any) -> Verdict:
        fields = {"function": "check", "passes_candidate": True, **fields}
        one = task(UnitTestCheck(test=dedent(test), **fields), framework)
        outcome = run_to_end(executor.run(one.check.program(one, dedent(source))))
        return one.check.judge(one, outcome)

    return judge


def told(verdict: Verdict) -> str:
    check = UnitTestCheck(test=TEST, function="check")
    return make_feedback("default", task(check), verdict).text


@pytest.mark.parametrize("sealing", ["stub", "guarded", None])
def test_every_verdict_tells_how_the_test_was_sealed(judge: Judge, sealing: str | None) -> None:
    sources = ["def answer(n): return 'expected'", "def answer(n): return n", "1 / 0", ""]
    assert [judge(source, sealing=sealing).sealed for source in sources] == [sealing] * 4


@pytest.mark.parametrize("sealing", ["stub", "guarded"])
def test_a_wrong_answer_reads_the_same_however_it_is_sealed(judge: Judge, sealing: str) -> None:
    sources = ["def answer(n): return n * [1.5]", "def answer(n):\n    return [][n]", "def answer(): pass"]
    for source in sources:
        sealed, plain = judge(source, sealing=sealing), judge(source, sealing=None)
        assert (sealed.kind, sealed.evidence) == (plain.kind, plain.evidence)


def test_a_wrong_answer_names_objects_that_a_program_changed(judge: Judge) -> None:
    verdict = judge("import math\nmath.isclose = print\ndef answer(n): return 'expected'", sealing="guarded")
    assert verdict.kind == "wrong_answer"
    assert "math.isclose" in verdict.evidence["problem"]
    assert told(verdict)


def test_a_pass_of_a_vacuous_test_has_a_note(judge: Judge) -> None:
    verdict = judge("def answer(n): return n", "def check(candidate): candidate(1)", sealing="guarded")
    assert verdict.kind == "pass"
    assert "returns None" in verdict.evidence["note"]


def test_feedback_on_a_failed_assertion_shows_only_the_result(judge: Judge) -> None:
    verdict = judge("def answer(n): return n * [1.5]")
    assert verdict.kind == "wrong_answer"
    assert [case["got"] for case in verdict.evidence["cases"]] == ["[1.5, 1.5]"]
    assert verdict.evidence["assertion"] == "AssertionError: it should be the expected one"
    assert 'File "test.py", line 1, in check' in verdict.evidence["test_traceback"]
    text = told(verdict)
    assert "[1.5, 1.5]" in text
    assert "expected" not in text
    assert "assert" not in text


def test_a_test_that_chokes_on_none_is_a_wrong_answer(judge: Judge) -> None:
    verdict = judge("def answer(n): n", "def check(candidate): assert candidate(1).expected == 1")
    assert verdict.kind == "wrong_answer"
    assert "raised AttributeError while processing the returned value" in verdict.evidence["problem"]
    assert "None" in told(verdict)
    assert "expected" not in told(verdict)


def test_only_the_last_of_many_returned_values_are_shown(judge: Judge) -> None:
    verdict = judge("def answer(n): return n", "def check(f): assert [f(i) for i in range(10)] == 0")
    (case,) = verdict.evidence["cases"]
    assert case["got"] == "call 8 of 10:\n7\ncall 9 of 10:\n8\ncall 10 of 10:\n9"


def test_a_test_without_calls_shows_no_value(judge: Judge) -> None:
    verdict = judge("def answer(n): return n", "def check(candidate): assert False")
    assert verdict.evidence["cases"] == []
    assert told(verdict)


def test_a_candidates_exception_has_its_traceback(judge: Judge) -> None:
    verdict = judge("def answer(n):\n    return [][n]")
    assert (verdict.kind, verdict.evidence["type"]) == ("exception", "IndexError")
    assert "return [][n]" in verdict.evidence["traceback"]
    assert "check" not in verdict.evidence["traceback"]


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("import sys\nsys.exit(0)", "SystemExit"),
        ("import sys\ndef answer(n): sys.exit(0)", "SystemExit"),
        ("def answer(n): raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("def answer(n): assert n == 3", "AssertionError"),
        ("def answer(n): return answer(n)", "RecursionError"),
        ("def answer(: pass", "SyntaxError"),
        ("def answer(): return 'expected'", "TypeError"),
        ("import os\ndef answer(n): os._exit(0)", "ProcessDied"),
        ("import os\nos._exit(0)", "ProcessDied"),
        ("import os\ndef answer(n): os.abort()", "ProcessDied"),
    ],
)
def test_ending_without_a_verdict_is_never_a_pass(judge: Judge, source: str, kind: str) -> None:
    verdict = judge(source, "def check(candidate):\n    candidate(2)")
    assert (verdict.kind, verdict.evidence["type"]) == ("exception", kind)


@pytest.mark.parametrize("source", ["", "answer = 3", "def other(n): return 'expected'"])
def test_a_noncallable_entry_point_is_missing_code(judge: Judge, source: str) -> None:
    verdict = judge(source)
    assert (verdict.kind, verdict.evidence["missing"]) == ("no_code", "entry_point")


def test_an_endless_loop_is_a_limit(judge: Judge) -> None:
    verdict = judge("def answer(n):\n    while True: pass", limits=Limits(cpu_seconds=0.3))
    assert (verdict.kind, verdict.evidence["limit"]) == ("limit", "cpu_timeout")


def test_a_misused_callback_is_the_candidates_exception(judge: Judge) -> None:
    verdict = judge(
        "def answer(oracle): return oracle(7)",
        """
        def check(candidate):
            def oracle(qubit): return [0, 1][qubit]
            candidate(oracle)
        """,
    )
    assert (verdict.kind, verdict.evidence["type"]) == ("exception", "IndexError")
    assert "return oracle(7)" in verdict.evidence["traceback"]
    assert "[0, 1]" not in verdict.evidence["traceback"]


def test_an_assertion_in_a_callback_of_the_test_is_the_tests(judge: Judge) -> None:
    verdict = judge(
        "def answer(oracle): return oracle(7)",
        """
        def check(candidate):
            def oracle(qubit): assert qubit in (0, 1), 'expected 0 or 1'
            candidate(oracle)
        """,
    )
    assert verdict.kind == "wrong_answer"
    assert "expected" not in told(verdict)


def test_the_function_that_is_named_is_the_test(judge: Judge) -> None:
    test = "def test_other(): assert False\ndef test_answer(): assert answer(2) == 2"
    source = "def answer(n): return n"
    assert judge(source, test, function="test_answer", passes_candidate=False).kind == "pass"
    assert judge(source, test, function="test_other", passes_candidate=False).kind == "wrong_answer"


def test_a_test_may_run_itself(judge: Judge) -> None:
    assert judge("def answer(n): return n", "assert answer(2) == 2", function=None).kind == "pass"
    assert judge("def answer(n): return n", "assert answer(2) == 3", function=None).kind == "wrong_answer"


def test_the_test_sees_the_candidates_names_and_cannot_change_them(judge: Judge) -> None:
    source = "import math\nbase = 1\ndef helper(): return base\ndef answer(n): return helper() + n"
    test = "base = 100\ndef helper(): return 100\ndef check(candidate): assert candidate(2) == 3 and math.pi > 3"
    assert judge(source, test).kind == "pass"


def test_the_candidate_does_not_see_the_tests_names(judge: Judge) -> None:
    source = "def answer(n): return 'helper' in globals() or 'check' in globals()"
    assert judge(source, "helper = 1\ndef check(candidate): assert candidate(2) is False").kind == "pass"


def test_names_of_the_preamble_are_usable_except_the_entry_point(judge: Judge) -> None:
    preamble = "import math\ndef answer(n):\n    '''Return n squared.'''\n"
    assert judge("def answer(n): return math.pi and 'expected'", preamble=preamble).kind == "pass"
    assert judge("import sys", preamble=preamble).kind == "no_code"


@pytest.mark.parametrize(
    "body", ["\n    return 'expected'\n", "    x = n\n    return 'expected'", "\n\n    return 'expected'"]
)
def test_a_body_is_joined_to_the_preamble(judge: Judge, body: str) -> None:
    preamble = 'def answer(n):\n    """Say what is expected.\n    """'
    check = UnitTestCheck(test=TEST, function="check", passes_candidate=True, preamble=preamble)
    compile(check.program(task(check), body).source, "joined", "exec")
    assert body in check.program(task(check), body).source


def test_a_whole_program_is_left_as_it_is() -> None:
    check = UnitTestCheck(test=TEST, function="check", preamble="def answer(n):\n    '''n'''")
    source = "from __future__ import annotations\ndef answer(n): return n"
    assert check.program(task(check), source).source == source


def test_the_entry_point_looks_to_the_test_as_it_did(judge: Judge) -> None:
    source = "def answer(n: int = 4) -> str:\n    'What it does.'\n    return 'expected'"
    test = """
        import inspect
        def check(candidate):
            assert inspect.signature(candidate).parameters['n'].default == 4
            assert inspect.getsource(candidate).startswith('def answer(n: int = 4)')
            assert (candidate.__name__, candidate.__doc__) == ('answer', 'What it does.')
            assert inspect.isgeneratorfunction(answer) is False
    """
    assert judge(source, test).kind == "pass"


@pytest.mark.parametrize(
    "source",
    ["def answer(n): yield n", "async def answer(n): return n", "class answer:\n    def __init__(self, n): pass"],
)
def test_only_plain_functions_are_wrapped(judge: Judge, source: str) -> None:
    test = """
        import inspect
        def check(f): assert isinstance(f, type) or inspect.isgeneratorfunction(f) or inspect.iscoroutinefunction(f)
    """
    assert judge(source, test).kind == "pass"


def test_an_invalid_test_is_an_infrastructure_error(judge: Judge) -> None:
    with pytest.raises(SuiteError, match="the test is not valid Python"):
        judge("def answer(n): return n", "def check(:")


@pytest.mark.slow
def test_a_returned_circuit_is_drawn_as_it_was_when_it_was_returned(judge: Judge) -> None:
    source = """
        from qiskit import QuantumCircuit
        def answer(n):
            circuit = QuantumCircuit(n)
            circuit.h(0)
            circuit.cx(0, 1)
            return circuit
    """
    test = "def check(candidate):\n    circuit = candidate(2)\n    circuit.x(0)\n    assert circuit is None"
    verdict = judge(source, test, framework="qiskit")
    (case,) = verdict.evidence["cases"]
    assert "┤ H ├" in case["got"]
    assert "┤ X ├" in case["got"]
    assert case["got"].count("┤ X ├") == 1


def test_returned_values_have_a_reproducible_text(judge: Judge) -> None:
    source = "def answer(n): return [object(), {1: 'a'}, answer]"
    first, again = (judge(source).evidence["cases"] for _ in range(2))
    assert first == again
    assert "0x" not in first[0]["got"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "value", ["'x' * 10**6", "list(range(10**6))", "[[[[[[[[[1]]]]]]]]]", "{i: i for i in range(10**5)}"]
)
def test_texts_of_returned_values_are_short(judge: Judge, value: str) -> None:
    (case,) = judge(f"def answer(n): return {value}").evidence["cases"]
    assert 0 < len(case["got"]) <= 2000


def test_a_value_without_repr_has_a_text(judge: Judge) -> None:
    source = "class Odd:\n    def __repr__(self): 1 / 0\n    def copy(self): 1 / 0\ndef answer(n): return Odd()"
    (case,) = judge(source).evidence["cases"]
    assert "Odd" in case["got"]


KEYS = ["test", "error", "calls", "returned", "type", "message", "traceback"]
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
)


@given(values)
def test_only_a_passed_test_is_a_pass_for_any_value(value: Any) -> None:
    check = UnitTestCheck(test=TEST, function="check")
    verdict = check.judge(task(check), Outcome("returned", value=value))
    assert verdict.kind == ("pass" if value == {"test": "passed"} else "wrong_answer")
    assert verdict.kind == "pass" or told(verdict)
