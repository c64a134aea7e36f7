"""QuanBench+'s feedback by its paper's text: the wrong function is sent back; an exception has its traceback.

Its released code sends the output instead: that is the default policy. Of the right answer it reveals the number of
bits or qubits where that was wrong.
"""

from __future__ import annotations

from repair_bench.prompts.feedback import cases, default
from repair_bench.prompts.feedback.failure import Failure
from repair_bench.prompts.templates import render
from repair_bench.suites.task import Task


def feedback(task: Task, failure: Failure) -> str:
    """The text shown to the model."""
    if failure.verdict.kind != "wrong_answer":
        return default.feedback(task, failure)
    return render(
        "feedback_function",
        task.language,
        code=(failure.code or "").rstrip(),
        problem=cases.problem(failure.verdict),
        only_hidden=cases.only_hidden(failure.verdict),
    )
