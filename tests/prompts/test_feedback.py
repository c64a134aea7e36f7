"""The feedback of each policy on each kind of failure, and its secrets."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import repair_bench
from repair_bench.prompts.feedback import (
    POLICIES,
    PlaceboSource,
    is_independent,
    make_feedback,
    needs_placebo_source,
    policy,
)
from repair_bench.prompts.feedback.support import support_of
from repair_bench.suites import aligned
from repair_bench.suites.checks.judge import LIMITS, not_returned
from repair_bench.suites.checks.rules import RULES
from repair_bench.suites.task import Task, no_code
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import ExceptionInfo, Outcome, Verdict

CODE = "def Bell_State():\n    return candidate_text\n"
TRACEBACK = (
    'Traceback (most recent call last):\n  File "solution.py", line 2, in Bell_State\n    return candidate_text\n'
    "NameError: name 'candidate_text' is not defined"
)


@pytest.fixture(scope="module")
def operation() -> Task:
    return next(one for one in aligned.load(frameworks=["qiskit"]).tasks if one.id == "27")


def state(*amplitudes: float) -> Outcome:
    seen = {
        "kind": "state",
        "qubits": len(amplitudes).bit_length() - 1,
        "amplitudes": [[a, 0.0] for a in amplitudes],
        "gates": None,
    }
    return Outcome("returned", {"cases": [seen]})


def wrong(**case: object) -> Verdict:
    whole = {"inputs": [1], "hidden": False, "expected": None, "got": None, "distance": None, "mismatch": None, **case}
    return Verdict("wrong_answer", {"cases": [whole], "problem": "the outcome probabilities are incorrect"})


def distribution(left_out: int = 0, **probabilities: float) -> dict:
    named = {key.removeprefix("_"): p for key, p in probabilities.items()}
    return {"bits": len(next(iter(named))), "probabilities": named, "shots": None, "left_out": left_out}


HIDDEN = wrong(
    inputs=["hidden-input"], hidden=True, expected="hidden-right", got="hidden-got", distance={"tv": 0.123456}
)
UNIT_TEST = Verdict(
    "wrong_answer",
    {
        **wrong(inputs=None, got="own-value").evidence,
        "problem": "A unit test of Bell_State failed.",
        "assertion": "AssertionError: wanted right-value",
        "test_traceback": 'File "test", line 3, in check\n    assert grader_inside',
    },
)
DIED = not_returned(Outcome("killed"), "Bell_State")


def failures(task: Task) -> dict[str, Verdict]:
    raised = Outcome(
        "exception", exception=ExceptionInfo("NameError", "name 'candidate_text' is not defined", TRACEBACK)
    )
    other = {"kind": "other", "type": "NoneType", "repr": "None", "problem": "returned None", "mismatch": "type"}
    return {
        "exception": not_returned(raised, task.entry_point),
        "died": DIED,
        "wrong state": task.check.judge(task, state(1.0, 0.0, 0.0, 0.0)),
        "wrong shape": task.check.judge(task, state(1.0, 0.0)),
        "wrong type": task.check.judge(task, Outcome("returned", {"cases": [other]})),
        "unreadable": task.check.judge(task, Outcome("returned", "nonsense")),
        "wrong distribution": wrong(
            got=distribution(_00=1.0), expected=distribution(_00=0.5, _11=0.5), distance={"tv": 0.5, "kl": 0.7}
        ),
        "hidden inputs alone": HIDDEN,
        "unit test": UNIT_TEST,
        "a wrong answer that shows nothing": Verdict("wrong_answer", {"problem": "it is wrong", "cases": []}),
        "no code": no_code(task),
        "no entry point": not_returned(Outcome("no_entry"), task.entry_point),
        **{status: not_returned(Outcome(status), task.entry_point) for status in LIMITS},
    }


DONOR = PlaceboSource(
    "aligned", "17", "qiskit", "GHZ", "wrong_answer", "wrong_answer StateCheck", "what was said of another task"
)


def say(name: str, task: Task, verdict: Verdict) -> str:
    return make_feedback(name, task, verdict, code=CODE, donor=DONOR).text


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_has_feedback_on_every_failure(name, task) -> None:
    for failure, verdict in failures(task).items():
        text = say(name, task, verdict)
        assert bool(text) != is_independent(name), failure
        assert "Undefined" not in text
        assert "None" not in text or "type" in failure, failure
        assert "\n\n\n" not in text, failure
        if text and name != "shuffled":
            assert text.endswith("in one Python code block."), failure


@pytest.mark.parametrize("name", POLICIES)
def test_passed_answers_have_no_feedback(name, task) -> None:
    with pytest.raises(ValueError, match="passed"):
        say(name, task, Verdict("pass"))


@pytest.mark.parametrize("name", POLICIES)
def test_hidden_inputs_and_grader_internals_are_never_shown(name, task) -> None:
    for verdict in failures(task).values():
        text = say(name, task, verdict)
        assert "hidden-" not in text
        assert "0.123456" not in text
        assert "grader_inside" not in text
        assert "QuantumCircuit(2)\n" not in text  # a line of the reference


@pytest.mark.parametrize("name", POLICIES)
def test_only_one_policy_shows_the_expected_answer(name, task) -> None:
    right = ("0.7071|00> + 0.7071|11>", "11: 0.5000", "right-value")
    shown = [text in say(name, task, verdict) for verdict in failures(task).values() for text in right]
    assert any(shown) == (name == "expected")


@pytest.mark.parametrize("name", [name for name in POLICIES if name not in {"verdict", "count", "shuffled", "none"}])
def test_wrong_shapes_missing_code_and_limits_are_named(name, task) -> None:
    assert "expected a state of 2 qubits, got 1 qubit" in say(name, task, failures(task)["wrong shape"])
    assert "does not define the function `Bell_State`" in say(name, task, failures(task)["no entry point"])
    assert "No program was found" in say(name, task, failures(task)["no code"])
    assert "CPU time" in say(name, task, failures(task)["cpu_timeout"])


@pytest.mark.parametrize("name", ["default", "function", "distance", "support", "expected"])
def test_an_exception_has_its_traceback(name, task) -> None:
    assert TRACEBACK in say(name, task, failures(task)["exception"])
    assert "the process terminated" in say(name, task, DIED)


def test_the_default_shows_the_output_of_the_program(task) -> None:
    assert "```\n|00>\n```" in say("default", task, failures(task)["wrong state"])


def test_the_default_counts_omitted_outcomes(task) -> None:
    many = {f"_{i:06b}": 1 / 64 for i in range(60)}
    assert "... and 32 more outcomes" in say("default", task, wrong(got=distribution(left_out=4, **many)))


def test_the_function_is_sent_back_without_its_output(task) -> None:
    text = say("function", task, failures(task)["wrong state"])
    assert CODE.rstrip() in text
    assert "|00>" not in text


def test_feedback_of_the_verdict_is_the_same_for_every_failure(task) -> None:
    assert len({say("verdict", task, verdict) for verdict in failures(task).values()}) == 1


def test_the_output_of_an_exception_has_no_traceback(task) -> None:
    text = say("output", task, failures(task)["exception"])
    assert "NameError: name 'candidate_text' is not defined" in text
    assert "Traceback" not in text
    assert "solution.py" not in text


@cache
def measured(rule: str) -> list[tuple[Task, Verdict]]:
    """The verdicts of every task of the built-in suite on wrong answers that its check measures."""
    return [(task, verdict) for task, verdict in _judged(rule) if verdict.kind == "wrong_answer"]


def _judged(rule: str) -> Iterator[tuple[Task, Verdict]]:
    for task in aligned.load(frameworks=["qiskit"], rule=rule).tasks:
        check = task.check
        case = check.cases[0]
        if check.observe == "distribution":
            check = replace(check, circuit=False)  # samples have other sentences
            bits = len(next(iter(case.expected)))
            even = {f"{i:0{bits}b}": 0.5 / 2**bits for i in range(2**bits)}
            even["0" * bits] += 0.5
            common = {"kind": "distribution", "bits": bits, "probabilities": even, "gates": {"h": bits}}
            answers = [{**common, "shots": shots} for shots in (None, 1000, 10)]
        elif check.observe == "state":
            size = len(case.expected)
            last = [[float(i == size - 1), 0.0] for i in range(size)]
            answers = [{"kind": "state", "qubits": size.bit_length() - 1, "amplitudes": last, "gates": None}]
        else:
            size = len(case.expected)
            rows = [[[float(i == (j ^ 1)), 0.0] for j in range(size)] for i in range(size)]
            answers = [{"kind": "unitary", "qubits": size.bit_length() - 1, "matrix": rows, "gates": {}}]
        for seen in answers:
            yield task, check.judge(task, Outcome("returned", {"cases": [seen] * len(check.cases)}))


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", [name for name in POLICIES if name not in {"shuffled", "distance"}])
def test_only_the_distance_policy_shows_distances(name, rule) -> None:
    seen = measured(rule)
    said = [verdict.evidence["problem"] for _, verdict in seen]
    assert sum("fidelity" in text for text in said) >= 10
    assert sum(bool(re.search(r"distance|divergence", text)) for text in said) >= 10
    for task, verdict in seen:
        text = say(name, task, verdict)
        assert not re.search(r"fidelity|distance|divergence|limit|cases are wrong", text), text
        if name in {"function", "verdict", "shuffled", "none"}:  # the others show values or inputs
            assert not re.search(r"\d\.\d|\de-\d", text), text


def swapped(operation: Task, **gates: int) -> Verdict:
    """Judge a matrix that maps two basis states wrongly."""
    matrix = [[[float(i == (j ^ 1 if j > 1 else j)), 0.0] for j in range(4)] for i in range(4)]
    seen = {"kind": "unitary", "qubits": 2, "matrix": matrix, "gates": gates}
    return operation.check.judge(operation, Outcome("returned", {"cases": [seen] * len(operation.check.cases)}))


def test_the_default_shows_a_wrongly_mapped_input_without_distance(operation) -> None:
    verdict = swapped(operation)
    assert "process fidelity" in verdict.evidence["problem"]
    for name in POLICIES:
        shown = re.search(r"^\|\d\d> -> \|\d\d>$", say(name, operation, verdict), re.MULTILINE)
        assert bool(shown) == (name in {"default", "output", "expected", "critic", "tool", "api"})


def test_only_one_policy_shows_the_number_of_wrong_cases(task) -> None:
    verdict = wrong(mismatch="shape", got="|0>")
    problem = "expected a state of 2 qubits, got 1 qubit"
    verdict = Verdict("wrong_answer", {**verdict.evidence, "problem": f"{problem}; 3 of 8 cases are incorrect"})
    for name in POLICIES:
        assert ("3 of 8 calls are incorrect" in say(name, task, verdict)) == (name == "count")
        assert ("of 8" in say(name, task, verdict)) == (name == "count")
    assert problem in say("function", task, verdict)


def test_a_count_of_calls_shows_no_other_evidence(task) -> None:
    verdicts = [wrong(got=got, mismatch=kind) for got, kind in (("|0>", "shape"), ("|00>", None), ("|11>", "type"))]
    texts = {
        say(
            "count",
            task,
            Verdict("wrong_answer", {**one.evidence, "problem": f"problem {n}; 1 of 3 cases are incorrect"}),
        )
        for n, one in enumerate(verdicts)
    }
    assert len(texts) == 1
    assert "1 of 3 calls is incorrect." in texts.pop()
    assert "result is incorrect.\n" in say("count", task, wrong(got="|00>"))
    assert TRACEBACK in say("count", task, failures(task)["exception"])


def test_a_mismatch_keeps_the_text_of_the_candidates_exception(task) -> None:
    text = "the returned value could not be decoded (ValueError: a distance of 3)"
    verdict = Verdict("wrong_answer", {**wrong(mismatch="type").evidence, "problem": text})
    assert text in say("default", task, verdict)


def test_forbidden_gates_are_named(operation) -> None:
    verdict = swapped(operation, cx=1)
    for name in ("default", "function", "output", "distance", "support", "expected"):
        assert "gates that are not allowed: cx" in say(name, operation, verdict)


def test_the_distance_is_shown_in_the_measures_of_the_check(task) -> None:
    text = say("distance", task, failures(task)["wrong distribution"])
    assert "- total variation distance (0 to 1): 0.5" in text
    assert "KL divergence from the expected distribution (nats): 0.7" in text
    assert "for input (1)" in text
    assert "- infidelity, 1 - fidelity (0 to 1): 0.5" in say("distance", task, failures(task)["wrong state"])


def test_missing_and_unexpected_outcomes_are_shown(task) -> None:
    verdict = wrong(got=distribution(_01=0.5, _00=0.5), expected=distribution(_00=0.5, _11=0.5))
    text = say("support", task, verdict)
    assert "Missing outcomes: 11\n" in text
    assert "Unexpected outcomes: 01\n" in text
    assert "0.5" not in text


def test_right_outcomes_with_wrong_probabilities_are_described(task) -> None:
    verdict = wrong(got=distribution(_11=0.9, _00=0.1, _01=0.0), expected=distribution(_00=0.5, _11=0.5))
    assert "The set of outcomes is correct; their probabilities are not." in say("support", task, verdict)
    phase = wrong(got="0.7071|00> - 0.7071|11>", expected="0.7071|00> + 0.7071|11>", inputs=[])
    assert "The set of basis states is correct; their amplitudes are not." in say("support", task, phase)


def test_omitted_outcomes_are_neither_missing_nor_unexpected(task) -> None:
    verdict = wrong(got=distribution(_01=1.0), expected=distribution(left_out=3, _00=0.5, _11=0.25))
    text = say("support", task, verdict)
    assert "Missing outcomes: 00, 11" in text
    assert "Unexpected" not in text
    kets = wrong(got="|01>", expected="0.25|00> + 0.25|10> + ...")
    assert "Unexpected" not in say("support", task, kets)


def test_a_mapping_is_compared_by_its_output(task) -> None:
    text = say("support", task, wrong(got="|10> -> |10>", expected="|10> -> |11>", inputs=[]))
    assert "Initial state: |10>\n- Missing basis states: |11>\n- Unexpected basis states: |10>" in text


@pytest.mark.parametrize(
    ("value", "support"),
    [
        ("0.7071|00> - 0.7071i|11>", {"|00>", "|11>"}),
        ("|>", {"|>"}),
        ("|01> -> (0.5+0.5i)|00> + ...", {"|00>"}),
        (distribution(_0=1.0, _1=1e-7), {"0"}),
        ("0.5", None),
        ({"type": "NoneType", "repr": "None"}, None),
        (None, None),
    ],
)
def test_the_support_is_read_from_the_evidence(value, support) -> None:
    assert support_of(value) == support


def test_the_expected_answer_follows_that_of_the_model(task) -> None:
    text = say("expected", task, failures(task)["wrong state"])
    assert text.index("Output:\n\n```\n|00>") < text.index("Expected output:\n\n```\n0.7071|00> + 0.7071|11>")
    assert "AssertionError: wanted right-value" in say("expected", task, UNIT_TEST)


def test_the_placebo_is_the_feedback_on_another_task(task) -> None:
    assert say("shuffled", task, failures(task)["wrong state"]) == DONOR.text
    limit = failures(task)["memory"]
    assert say("shuffled", task, limit) == say("default", task, limit)
    made = make_feedback("shuffled", task, failures(task)["wrong state"], donor=DONOR)
    assert made.donor == "aligned/17"
    assert make_feedback("default", task, failures(task)["wrong state"], donor=DONOR).donor is None
    with pytest.raises(ValueError, match="another task"):
        make_feedback("shuffled", task, failures(task)["wrong state"])


def test_every_policy_is_documented() -> None:
    page = Path(repair_bench.__file__).parents[1] / "docs" / "how-to" / "write-an-experiment.md"
    (table,) = re.findall(r"\| feedback \|.*?\n\n", page.read_text(), re.DOTALL)
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == list(POLICIES)
    assert [name for name in POLICIES if is_independent(name)] == ["none"]
    assert [name for name in POLICIES if needs_placebo_source(name)] == ["shuffled"]
    assert all(policy(name).__doc__ for name in POLICIES)


def test_an_unknown_policy_is_refused(task) -> None:
    with pytest.raises(UsageError, match="unknown feedback policy 'praise'"):
        make_feedback("praise", task, Verdict("exception"))


def test_a_policy_is_a_file_and_a_line() -> None:
    folder = Path(repair_bench.__file__).parent / "prompts" / "feedback"
    helpers = {"__init__", "cases", "donors"}
    assert {path.stem for path in folder.glob("*.py")} - helpers == set(POLICIES)


CUT = "Your previous answer was truncated because it reached the maximum length."


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_reports_truncation(name: str, task: Task) -> None:
    for verdict in failures(task).values():
        plain, cut = (make_feedback(name, task, verdict, code=CODE, donor=DONOR, cut=cut) for cut in (False, True))
        assert cut.text == ("" if name == "none" else f"{CUT}\n\n{plain.text}")
        assert (cut.redacted, cut.donor) == (plain.redacted, plain.donor)
