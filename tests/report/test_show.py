import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repair_bench.report import show
from repair_bench.testing.made_up_runs import attempt, attempts_of
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Completion, ExceptionInfo, Feedback, Outcome, Verdict

WRONG = Verdict(
    "wrong_answer",
    {
        "problem": "the state is wrong",
        "cases": [
            {"inputs": [1, "a"], "hidden": False, "expected": "|00>", "got": "|11>", "distance": {"infidelity": 1.0},
             "mismatch": None},
            {"inputs": [2], "hidden": True, "expected": {"probabilities": {"0": 1.0}},
             "got": {"probabilities": {"0": 0.25, "1": 0.75}}, "distance": {"tv": 0.75}, "mismatch": "shape"},
        ],
    },
)  # fmt: skip


def test_episode_is_shown_from_prompt_to_verdict():
    raised = Verdict("exception", {"type": "NameError", "message": "no", "traceback": "Traceback\nNameError: no"})
    told = Feedback("shuffled", "it failed", donor="d0")
    answered = Completion("x", {"prompt_tokens": 1200, "completion_tokens": 30}, 0.5, latency_seconds=2.0)
    attempts = [
        attempt("e", code="a = 1\nb = 2\n", verdict=raised),
        attempt("w", 1, code="a = 1\nb = 3\n", feedback=told, verdict=WRONG, completion=answered),
        attempt("w", 2, code="a = 1\nb = 3\n", verdict=WRONG),
    ]
    text = show.text(attempts)
    for said in (
        "condition default",
        "prompt (user)",
        "a task",
        "NameError: no",
        "feedback (shuffled, placebo from source task d0):\nit failed",
        "-b = 2\n+b = 3",
        "code unchanged",
        "input tokens 1,200, output tokens 30, cost $0.50000, latency 2.00 s",
        'input (1, "a"): infidelity 1\n  expected: |00>\n  returned: |11>',
        "input (2), hidden from the model: tv 0.75, wrong shape",
        "1: 0.7500",
        "Only data was passed out of the candidate's process",
    ):
        assert said in text, said


def test_redactions_of_feedback_are_shown():
    told = Feedback("default", "it raised [redacted: text of the test]", redacted=1)
    text = show.text([attempt("w"), attempt("p", 1, feedback=told)])
    assert (
        "feedback (default; 1 redaction: text from a test, a reference or a hidden input was removed):\nit raised"
        in text
    )
    assert "redaction" not in show.text([attempt("w"), attempt("p", 1, feedback=Feedback("default", "no", redacted=0))])


def test_errors_and_off_policy_attempts_are_marked():
    text = show.text([attempt("f"), attempt("p", 1, off_policy=True)])
    assert "infrastructure error (model): 503" in text
    assert "Off-policy" in text


@given(st.text(st.characters(), max_size=60))
def test_control_characters_are_replaced_in_episodes(evil):
    raised = Verdict("exception", {"type": evil, "message": evil, "traceback": evil, "problem": evil})
    outcome = Outcome("exception", None, ExceptionInfo(evil, evil, evil), evil)
    told = Feedback(evil, evil, donor=evil)
    one = attempt("e", model=evil, task_id=evil, condition=evil, code=evil, verdict=raised, outcome=outcome,
                  messages=[{"role": evil, "content": evil}])  # fmt: skip
    two = attempt("e", 1, code=f"x{evil}", feedback=told, verdict=WRONG, completion=Completion(evil, served_by=evil))
    text = show.text([one, two])
    text.encode()
    assert {unicodedata.category(c) for c in text if c not in "\n\t"}.isdisjoint({"Cc", "Cf", "Cs", "Zl", "Zp"})


def test_an_episode_is_found_by_the_start_of_its_id():
    attempts = [*attempts_of("ep", "abc"), *attempts_of("p", "abd"), *attempts_of("p", "x")]
    assert [a.attempt for a in show.find(list(reversed(attempts)), "abc")] == [0, 1]
    with pytest.raises(UsageError, match="2 ids"):
        show.find(attempts, "ab")
    with pytest.raises(UsageError, match="of 0 ids"):
        show.find(attempts, "q")


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"reasoning_content": "so it is"}, "so it is"),
        ({"reasoning": "so it is", "reasoning_content": "so it is", "reasoning_details": [{"data": "x"}]}, "so it is"),
        (
            {
                "reasoning_content": "so it is",
                "thinking_blocks": [
                    {"type": "thinking", "thinking": "so it is", "signature": "x"},
                    {"type": "redacted_thinking", "data": "x"},
                ],
            },
            "so it is\n\n(withheld by the provider)",
        ),
        ({"reasoning_items": [{"id": "rs", "encrypted_content": "x", "summary": []}]}, "(withheld by the provider)"),
        ({"reasoning_items": [{"summary": [{"type": "summary_text", "text": "so it is"}]}]}, "so it is"),
    ],
)
def test_reasoning_is_shown_once(parts, told):
    (shown,) = show.text([attempt("w", completion=Completion("x", parts=parts))]).split("\nreasoning:\n")[1:]
    assert shown.partition("\n\ncode:")[0].partition("\n\n(no code)")[0] == told


def test_tool_runs_are_shown():
    run = {"call": None, "code": "print(42)", "outcome": None, "shown": "Output:\n\n```\n42\n```"}
    text = show.text([attempt("p", executions=1, steps=[{"completion": {}, "runs": [run]}])])
    assert "tool run 1:\nprint(42)" in text
    assert "result:\nOutput:" in text
