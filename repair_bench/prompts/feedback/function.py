"""QuanBench+'s feedback as described in its paper: the incorrect program, or the traceback of an exception.

The released code of QuanBench+ shows the model the output of the incorrect program, but not the program itself (see
`default`). If the number of bits or qubits is wrong, the feedback states the expected number.
"""

from __future__ import annotations

from repair_bench.prompts.feedback import Failure, cases, default
from repair_bench.suites.task import Task


def feedback(task: Task, failure: Failure) -> str:
    if failure.verdict.kind != "wrong_answer":
        return default.feedback(task, failure)
    code = (failure.code or "").rstrip()
    return cases.wrong_answer("feedback_function", task, failure.verdict, code=code)
