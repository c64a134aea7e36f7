"""The pool of failures from which placebo feedback is drawn."""

from collections import Counter
from dataclasses import replace

import pytest
from judging import MadeExecutor

from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Program
from repair_bench.grading.placebo_sources import MAX_TASKS, MAX_TRIES, MIN_PLACEBO_SOURCES, make_donors
from repair_bench.prompts.feedback import PlaceboSource, make_feedback
from repair_bench.prompts.feedback.donors import choose
from repair_bench.suites.task import Suite, no_code
from repair_bench.traces.record.records import ExceptionInfo, Outcome, Verdict

RAISED = Verdict("exception", {"type": "NameError", "message": "", "traceback": "a traceback"})


def few(suite: Suite) -> Suite:
    return replace(suite, tasks=tuple(task for task in suite.tasks if task.id < "13"))


def task_of(suite, task_id: str, framework: str = "cirq"):
    return next(task for task in suite.tasks if task.id == task_id and task.framework == framework)


def made(suite: Suite, outcome: Outcome, framework: str = "cirq") -> tuple[tuple[PlaceboSource, ...], Counter]:
    """Return the pool if every program has this outcome, and the number of executed programs."""
    runs: Counter = Counter()

    async def run(program: Program) -> Outcome:
        runs[program.framework] += 1
        return outcome

    return run_to_end(make_donors(suite, MadeExecutor(run), frameworks=[framework])), runs


@pytest.mark.slow
def test_few_programs_are_executed(suite) -> None:
    raised = Outcome("exception", exception=ExceptionInfo("NameError", "", "Traceback"))
    pool, runs = made(suite, raised)
    assert Counter(one.kind for one in pool)["exception"] == MAX_TASKS
    assert runs["cirq"] <= MAX_TASKS * (1 + MAX_TRIES)
    assert made(few(suite), raised)[0] == made(few(suite), raised)[0]


@pytest.mark.slow
def test_answers_without_code_need_no_execution(suite) -> None:
    pool, _ = made(few(suite), Outcome("memory"))
    assert {one.kind for one in pool} == {"no_code"}
    task = task_of(suite, "16")
    chosen = choose(pool, task, no_code(task), "1")
    assert chosen.text.startswith("No program was found")
    assert "Bell_State" not in chosen.text


@pytest.mark.slow
def test_the_built_in_suite_adds_sources_if_references_are_few(suite) -> None:
    raised = Outcome("exception", exception=ExceptionInfo("NameError", "", "Traceback"))
    own = [replace(task, suite="mine", reference=None) for task in few(suite).tasks]
    pool, _ = made(Suite("mine", "1", "", tuple(own)), raised)
    assert {one.suite for one in pool if one.kind == "exception"} == {"aligned"}
    assert {one.suite for one in pool if one.kind == "no_code"} == {"mine"}


@pytest.mark.slow
def test_the_text_is_that_of_the_default_policy(suite) -> None:
    raised = Outcome("exception", exception=ExceptionInfo("NameError", "x", "Traceback of another"))
    pool, _ = made(few(suite), raised)
    task = task_of(suite, "16")
    chosen = choose(pool, task, RAISED, "1")
    evidence = {"type": "NameError", "message": "x", "traceback": "Traceback of another"}
    assert chosen.text == make_feedback("default", task, Verdict("exception", evidence)).text
    assert make_feedback("shuffled", task, RAISED, donor=chosen).text == chosen.text


@pytest.mark.slow
def test_the_failures_really_happen_and_are_the_same_each_time(suite) -> None:
    executor = LocalExecutor(workers=1)
    try:
        pools = [run_to_end(make_donors(few(suite), executor, frameworks=["cirq"], seed=3)) for _ in range(2)]
    finally:
        executor.shutdown()
    assert pools[0] == pools[1]
    kinds = Counter(one.kind for one in pools[0])
    assert kinds["exception"] >= MIN_PLACEBO_SOURCES
    assert kinds["wrong_answer"] >= MIN_PLACEBO_SOURCES
    assert any("Traceback" in one.text for one in pools[0])
