"""The policy `api`: the documentation of the names in an exception, looked up in the installed framework."""

from collections.abc import Callable

import pytest

from repair_bench.executors.local import LocalExecutor
from repair_bench.grading.judge import Judge
from repair_bench.prompts.feedback import Failure, api, default, make_feedback
from repair_bench.suites.task import Suite, Task

TITLE = "From the documentation of the installed version of"
SECONDS = 8.0
"""Several times the CPU time of a look-up here, with the imports of a framework and its companions."""

Feedback = Callable[..., list[str]]


@pytest.fixture
def names(suite: Suite, executor: LocalExecutor, wait: Callable) -> Feedback:
    """Return the lines on names after a program with these lines ran and failed."""

    def feedback(framework: str, imports: str, body: str = "return None") -> list[str]:
        task = next(one for one in suite.tasks if one.id == "16" and one.framework == framework)
        code = f"{imports}\n\ndef {task.entry_point}():\n    {body}\n"
        judged = wait(Judge(executor).code(task, code))
        assert judged.verdict.kind == "exception"
        program = api.program(task, Failure(judged.verdict, code))
        assert program is not None
        ran = wait(executor.run(program))
        assert ran.status == "returned"
        assert (ran.cpu_seconds or 0) < SECONDS
        text = make_feedback("api", task, judged.verdict, code=code, ran=ran).text
        assert text.endswith("in one Python code block.")
        assert (TITLE in text) == bool(ran.stdout.strip())
        return [line for line in text.splitlines() if line.startswith("- ")]

    return feedback
