"""QuanBench+'s feedback by its paper's text: the wrong function is sent back; an exception has its traceback.

Its released code sends the output instead: that is the default policy. Of the right answer it reveals the number of
bits or qubits where that was wrong.
"""

from __future__ import annotations

from repair_bench.prompts.feedback import Failure, cases, default
from repair_bench.suites.task import Task


def feedback(task: Task, failure: Failure) -> str:
    """The text shown to the model."""
    if failure.verdict.kind != "wrong_answer":
        return default.feedback(task, failure)
    code = (failure.code or "").rstrip()
    return cases.wrong_answer("feedback_function", task, failure.verdict, code=code)
