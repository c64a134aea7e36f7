"""Feedback with the expected answer and the model's answer, as an upper bound on what feedback can reveal.

This policy shows the expected outcome probabilities, state or mapping for a wrong answer, the assertion message for a
unit test, and the traceback for an exception. Hidden inputs and their expected answers stay hidden.
"""

from __future__ import annotations

from repair_bench.prompts.feedback import Failure, cases, default
from repair_bench.suites.task import Task

SHOWS_ASSERTIONS = True


def feedback(task: Task, failure: Failure) -> str:
    verdict = failure.verdict
    if verdict.kind != "wrong_answer":
        return default.feedback(task, failure)
    shown = [
        {
            "inputs": cases.inputs(case, task.language),
            "got": cases.show(case.get("got")),
            "expected": cases.show(case.get("expected")),
        }
        for case in cases.shown(verdict)
    ]
    assertion = verdict.evidence.get("assertion", "")
    return cases.wrong_answer("feedback_expected", task, verdict, cases=shown, assertion=assertion)
