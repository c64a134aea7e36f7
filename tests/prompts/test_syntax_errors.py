"""An answer with a syntax error is run in any layout, and the feedback shows the line."""

import pytest

from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.prompts.extraction.extract import extract
from repair_bench.prompts.feedback import make_feedback
from repair_bench.suites.task import Task

BODY = "    qc = QuantumCircuit(2)\n    qc.h(0)\n    return qc)\n"
ANSWERS = {
    "a body": BODY,
    "a body in a fence": f"```python\n{BODY}```",
    "a body that lost its indentation": BODY.replace("    ", ""),
    "a body whose first line lost its indentation": BODY.lstrip(),
    "a body between words": f"This is the body:\n\n{BODY}\nThis completes the function.",
    "a program": f"from qiskit import QuantumCircuit\n\n\ndef Bell_State():\n{BODY}",
}


@pytest.mark.parametrize("name", ANSWERS)
def test_the_model_is_shown_the_line_of_its_syntax_error(task: Task, executor: LocalExecutor, name: str) -> None:
    code = extract(ANSWERS[name], entry_point=task.entry_point, starter=task.starter).code
    assert code is not None
    verdict = task.check.judge(task, run_to_end(executor.run(task.check.program(task, code))))
    assert (verdict.kind, verdict.evidence["type"]) == ("exception", "SyntaxError")
    told = make_feedback("default", task, verdict, code=code).text
    assert "return qc)" in told
    assert "unmatched ')'" in told
