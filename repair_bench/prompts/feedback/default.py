"""QuanBench+'s feedback: the traceback for an exception, the program's output for a wrong answer.

If the answer has the wrong number of bits or qubits, the feedback states the expected number. The feedback also shows
an input that an operation maps incorrectly. The feedback reveals neither expected values nor distances.
"""

from __future__ import annotations

from typing import Any

from repair_bench.prompts.feedback import Failure, cases
from repair_bench.prompts.templates import render
from repair_bench.suites.task import Task
from repair_bench.traces.record.records import Verdict


def feedback(task: Task, failure: Failure) -> str:
    verdict = failure.verdict
    if instances := cases.instances(verdict):
        return cases.per_instance(task, verdict, [_on_instance(one) for one in instances])
    match verdict.kind:
        case "exception":
            return render("feedback_exception", task.language, traceback=cases.traceback(verdict))
        case "wrong_answer":
            return wrong_answer(task, verdict)
        case "no_code":
            missing = verdict.evidence["missing"]
            return render("feedback_no_code", task.language, missing=missing, entry_point=task.entry_point)
        case _:
            return render("feedback_limit", task.language, problem=verdict.evidence["problem"])


def _on_instance(instance: dict[str, Any]) -> str:
    if instance["cost"] is None:
        return str(instance["problem"])
    return f"cost {instance['cost']}, budget {instance['budget']}"


def wrong_answer(task: Task, verdict: Verdict) -> str:
    """Return a sentence about the error, and the program's output for the visible cases."""
    shown = [
        {"inputs": cases.inputs(case, task.language), "got": cases.show(case.get("got"))}
        for case in cases.shown(verdict)
    ]
    return cases.wrong_answer("feedback_wrong_answer", task, verdict, cases=shown)


def without_request(task: Task, text: str) -> str:
    """Remove the request for a repair from the end of a feedback text."""
    return text.removesuffix(render("feedback_request", task.language)).rstrip()


def with_section(task: Task, text: str, title: str, content: str) -> str:
    """Insert a section before the request for a repair."""
    request = render("feedback_request", task.language)
    return f"{without_request(task, text)}\n\n{title}\n\n{content}\n\n{request}"
