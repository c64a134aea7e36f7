"""The returned values, or the exception without its traceback. This policy reveals no more than the default policy."""

from __future__ import annotations

from repair_bench.prompts.feedback import Failure, default
from repair_bench.prompts.templates import render
from repair_bench.suites.task import Task


def feedback(task: Task, failure: Failure) -> str:
    verdict = failure.verdict
    if verdict.kind == "exception":
        evidence = verdict.evidence
        raised = f"{evidence['type']}: {evidence['message']}".removesuffix(": ")
        # no traceback means that the process died
        problem = raised if evidence["traceback"] else str(evidence["message"])
        return render("feedback_output_exception", task.language, problem=problem)
    if verdict.kind == "wrong_answer":
        return default.wrong_answer(task, verdict)
    return default.feedback(task, failure)
