"""The seed of the programs of a task, the same in every command."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from judging import MadeExecutor

from repair_bench import suites
from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.options import ExecutorOptions
from repair_bench.executors.program import Executor, Program
from repair_bench.grading import grade
from repair_bench.grading.audit import Settings, audit
from repair_bench.grading.audit.calibrate import calibrate
from repair_bench.grading.audit.validate import validate
from repair_bench.grading.placebo_sources import make_donors
from repair_bench.suites import aligned
from repair_bench.suites.task import Suite, Task, execution_seed
from repair_bench.traces.faults import ExecutorError, Fault
from repair_bench.traces.record.records import Outcome

DRAWN = "import random\n\ndef answer():\n    return random.getrandbits(32)\n"


def own_tasks(path: Path) -> Suite:
    """Return a task with a random reference, of which only the result under the task's seed is right."""
    own = f"random.Random({execution_seed('jsonl', 'drawn', 'qiskit')})"  # a given seed applies to the candidate
    test = f"import random\ndef check(f):\n    assert f() == {own}.getrandbits(32)\n"
    line = {"task_id": "drawn", "framework": "qiskit", "entry_point": "answer", "prompt": "Draw.", "reference": DRAWN}
    path.write_text(json.dumps({**line, "check": {"kind": "unit_test", "test": test}}) + "\n")
    return run_to_end(suites.load("jsonl", data=path))


def test_the_seed_depends_only_on_the_task() -> None:
    assert execution_seed("qiskit-humaneval", "qiskitHumanEval/63", "qiskit") == 3622353201
    for task in aligned.load().tasks:
        assert task.seed == execution_seed("aligned", task.id, task.framework)
        assert task.check.program(task, "code").seed == task.seed
        assert task.check.program(task, "code", seed=7).seed == 7


Use = Callable[[Suite, Executor], Awaitable[Any]]
USES: dict[str, Use] = {
    "validate": validate,
    "calibrate": lambda suite, executor: calibrate(suite, executor, repetitions=2),
    "audit": lambda suite, executor: audit(suite, executor, Settings(runs=1)),
    "donors": lambda suite, executor: make_donors(suite, executor, frameworks=["qiskit"]),
}


@pytest.mark.slow
@pytest.mark.parametrize("use", USES)
def test_every_command_runs_a_task_under_its_seed(use: str) -> None:
    suite = aligned.load(frameworks=["qiskit"])
    sources = {task.seed: task for task in suite.tasks}
    ran: list[Program] = []

    async def noted(program: Program) -> Outcome:
        ran.append(program)
        raise ExecutorError("nothing is executed here")

    async def go() -> None:
        try:
            await USES[use](suite, MadeExecutor(noted))
        except Fault:
            assert use == "donors"

    run_to_end(go())
    assert ran
    for program in ran:
        assert program.call.entry_point == sources[program.seed].entry_point


def test_an_audit_runs_the_reference_under_other_seeds_too() -> None:
    suite = aligned.load(frameworks=["qiskit"])
    task = suite.tasks[0]
    seeds: list[int] = []

    async def noted(program: Program) -> Outcome:
        if program.source == task.reference:
            seeds.append(program.seed)
        raise ExecutorError("nothing is executed here")

    one = Suite(suite.name, suite.version, suite.content_hash, (task,))
    run_to_end(audit(one, MadeExecutor(noted), Settings(runs=3)))
    assert seeds == [task.seed, 1, 2]


@pytest.mark.slow
def test_validate_and_grade_run_a_task_under_the_same_seed(executor: LocalExecutor, tmp_path: Path) -> None:
    suite = own_tasks(tmp_path / "tasks.jsonl")
    (task,) = suite.tasks
    (row,) = run_to_end(validate(suite, executor))
    assert (row["result"], row["detail"]) == ("pass", "")
    assert not passes(executor, task, seed=0)

    answers = tmp_path / "answers.jsonl"
    answers.write_text(json.dumps({"task_id": "drawn", "code": DRAWN}) + "\n")
    found = grade.grade_file(
        answers, "jsonl", tmp_path / "out.jsonl", data=tmp_path / "tasks.jsonl", executor=ExecutorOptions(2)
    )
    assert found["verdicts"] == {"pass": 1}


def passes(executor: LocalExecutor, task: Task, seed: int) -> bool:
    outcome = run_to_end(executor.run(task.check.program(task, DRAWN, seed=seed)))
    return task.check.judge(task, outcome).kind == "pass"
