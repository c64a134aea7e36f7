"""The path from an answer to its verdict, and the number of programs that run at once."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from judging import MadeExecutor, distribution, returned

from repair_bench import suites
from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.options import ExecutorOptions
from repair_bench.executors.program import Executor, Program
from repair_bench.grading.audit import Settings, audit
from repair_bench.grading.audit.calibrate import calibrate
from repair_bench.grading.audit.sealing import sealing
from repair_bench.grading.audit.validate import validate
from repair_bench.grading.grade import grade_file
from repair_bench.grading.judge import Judge, verdict_on
from repair_bench.grading.loading import use_suite
from repair_bench.grading.placebo_sources import make_donors
from repair_bench.prompts.extraction.extract import extract
from repair_bench.suites import aligned
from repair_bench.suites.checks import Case, DistributionCheck, UnitTestCheck
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import ExecutorError
from repair_bench.traces.record.records import Outcome

CHECK = DistributionCheck(cases=(Case((), {"0": 0.5, "1": 0.5}),))
TASK = Task("by hand", "01", "cirq", "answer", "", "def answer():\n", CHECK, "algorithm")
RIGHT, OFF = returned(distribution({"0": 0.5, "1": 0.5})), returned(distribution({"0": 0.49, "1": 0.51}))
CODE = "def answer():\n    return 1\n"
IN_CIRQ = aligned.load(frameworks=["cirq"])
FENCED = f"Here:\n```python\n{CODE}```\n"


def judge(*outcomes: Outcome | Exception) -> tuple[Judge, list[Program]]:
    """Return a judge whose programs have these outcomes in turn, and the list of its programs."""
    programs: list[Program] = []
    left = iter(outcomes)

    async def run(program: Program) -> Outcome:
        programs.append(program)
        outcome = next(left)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return Judge(MadeExecutor(run)), programs


def test_an_answer_is_extracted_executed_and_judged() -> None:
    by, programs = judge(RIGHT)
    judged = run_to_end(by.answer(TASK, FENCED))
    assert programs == [CHECK.program(TASK, CODE, seed=TASK.seed)]
    assert (judged.code, judged.outcome, judged.fault) == (CODE, RIGHT, None)
    assert judged.extraction == extract(FENCED, entry_point="answer", starter=TASK.starter).record()
    assert judged.verdict == CHECK.judge(TASK, RIGHT)
    assert judged.verdict.kind == "pass"
    assert judged.seconds == RIGHT.cpu_seconds


def test_an_answer_without_code_runs_nothing() -> None:
    by, programs = judge()
    judged = run_to_end(by.answer(TASK, "I would rather not."))
    assert programs == []
    assert (judged.code, judged.outcome, judged.seconds) == (None, None, None)
    assert judged.extraction is not None
    assert judged.verdict.kind == "no_code"
    assert judged.verdict == verdict_on(TASK, None)


def test_an_answer_is_joined_to_its_prefill() -> None:
    by, programs = judge(RIGHT)
    judged = run_to_end(by.answer(TASK, "    return 2\n```", prefill="```python\ndef answer():\n"))
    assert [program.source for program in programs] == [judged.code]
    assert judged.code is not None
    assert judged.code.split() == ["def", "answer():", "return", "2"]


def test_a_fault_is_raised_by_the_verdict() -> None:
    by, _ = judge(ExecutorError("no machine"), ExecutorError("no machine"))
    for judged in (run_to_end(by.answer(TASK, FENCED)), run_to_end(by.code(TASK, CODE))):
        assert (judged.code, judged.outcome, str(judged.fault)) == (CODE, None, "no machine")
        with pytest.raises(ExecutorError, match="no machine"):
            _ = judged.verdict


def test_stored_code_is_not_extracted() -> None:
    by, programs = judge(RIGHT, RIGHT)
    run_to_end(by.code(TASK, FENCED))
    run_to_end(by.code(TASK, CODE, seed=7))
    assert [(program.source, program.seed) for program in programs] == [(FENCED, TASK.seed), (CODE, 7)]


def test_one_outcome_is_judged_under_several_rules() -> None:
    by, programs = judge(OFF)
    judged = run_to_end(by.answer(TASK, FENCED))
    lenient = replace(TASK, check=replace(CHECK, rule="paper"))
    assert (judged.verdict.kind, judged.under(lenient).kind) == ("wrong_answer", "pass")
    assert len(programs) == 1


def many(count: int) -> Suite:
    """Return a suite of tasks with a reference, judged by a distribution."""
    task = replace(TASK, reference=CODE)
    return Suite("by hand", "1", "", tuple(replace(task, id=f"{number:02}") for number in range(count)))


def unit_tests(count: int) -> Suite:
    check = UnitTestCheck(test="def test_answer():\n    answer()\n", function="test_answer")
    return replace(many(count), tasks=tuple(replace(task, check=check) for task in many(count).tasks))


Use = Callable[[Executor], Awaitable[Any]]
USES: dict[str, Use] = {
    "validate": lambda executor: validate(many(30), executor),
    "audit": lambda executor: audit(many(30), executor, Settings(redraws=1, mutants_per_task=0, runs=1)),
    "calibrate": lambda executor: calibrate(many(30), executor, repetitions=2),
    "donors": lambda executor: make_donors(replace(IN_CIRQ, tasks=IN_CIRQ.tasks[:10]), executor, frameworks=["cirq"]),
    "sealing": lambda executor: sealing(unit_tests(30), executor),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("capacity", [pytest.param(1, marks=pytest.mark.slow), 8])
def test_as_many_programs_are_executed_at_once_as_the_executor_runs(use: str, capacity: int) -> None:
    async def run(program: Program) -> Outcome:
        await asyncio.sleep(0.001)
        return Outcome("memory")

    executor = MadeExecutor(run, capacity)
    run_to_end(USES[use](executor))
    assert executor.most == capacity


@pytest.mark.parametrize("use", ["donors", "sealing"])
def test_a_fault_stops_what_cannot_do_without(use: str) -> None:
    async def run(program: Program) -> Outcome:
        await asyncio.sleep(0.001)
        raise ExecutorError("no machine")

    executor = MadeExecutor(run, 8)
    with pytest.raises(ExecutorError, match="no machine"):
        run_to_end(USES[use](executor))
    assert executor.in_flight == 0


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> MadeExecutor:
    """Count the programs that a command passes to its executor."""

    async def run(program: Program) -> Outcome:
        await asyncio.sleep(0.002)
        return Outcome("memory")

    counter = MadeExecutor(run)
    monkeypatch.setattr(LocalExecutor, "run", lambda _, program: counter.run(program))
    monkeypatch.setattr(LocalExecutor, "versions", lambda _, framework: {framework: "1"})
    return counter


@pytest.mark.slow
def test_validate_with_eight_workers_keeps_eight_in_flight(counting: MadeExecutor) -> None:
    rows = use_suite("aligned", None, ExecutorOptions(workers=8), validate)
    assert counting.most == 8
    assert [(row["id"], row["framework"]) for row in rows] == [
        (task.id, task.framework) for task in run_to_end(suites.load("aligned")).tasks
    ]


def test_grade_with_eight_workers_keeps_eight_in_flight_and_the_order(counting: MadeExecutor, tmp_path: Path) -> None:
    lines = [{"task_id": "16", "framework": "qiskit", "code": CODE, "number": number} for number in range(100)]
    answers, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    answers.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = grade_file(answers, "aligned", out, data=None, executor=ExecutorOptions(workers=8))
    assert counting.most == 8
    assert found["verdicts"] == {"limit": 100}
    assert [json.loads(line)["number"] for line in out.read_text().splitlines()] == list(range(100))
