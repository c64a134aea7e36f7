"""The right answer beside the model's own: the most that feedback can say, an upper bound.

The right outcome probabilities, state or mapping of a wrong answer; of a unit test its assertion's message; the
traceback of an exception. Hidden inputs and what is expected for them stay hidden.
"""

from __future__ import annotations

from repair_bench.prompts.feedback import Failure, cases, default
from repair_bench.suites.task import Task

SHOWS_ASSERTIONS = True


def feedback(task: Task, failure: Failure) -> str:
    """The text shown to the model."""
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
