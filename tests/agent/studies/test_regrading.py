"""Regraded answers: changed verdicts, off-policy attempts, censored episodes."""

import dataclasses
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from commands import exit_code
from judging import A_LITTLE_OFF
from judging import HADAMARD_TEST as RIGHT

from repair_bench import suites
from repair_bench.agent import models, run_setup, session
from repair_bench.agent.studies import regrading
from repair_bench.cli.output import run_progress
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.options import ExecutorOptions
from repair_bench.executors.program import Program
from repair_bench.grading.regrader import departs
from repair_bench.prompts.feedback import POLICIES
from repair_bench.suites import aligned
from repair_bench.suites.task import Suite, Task
from repair_bench.testing.made_up_runs import load_run
from repair_bench.testing.scripted_model import ScriptedModel
from repair_bench.traces.faults import ExecutorError, UsageError
from repair_bench.traces.record.records import Attempt, Feedback, Outcome, Verdict
from repair_bench.traces.run.study_lock import StudyLock

TWO = ExecutorOptions(workers=2)

WRONG = RIGHT.replace("qc.ch(0, 1)", "qc.h(1)")
RAISES = "def Hadmard_Test_h(theta):\n    raise ValueError('no')\n"

Made = Callable[..., Path]


@cache
def only_task_15(rule: str) -> Suite:
    suite = aligned.load(frameworks=["qiskit"], rule=rule)
    return replace(suite, tasks=tuple(task for task in suite.tasks if task.id == "15"))


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lent: None) -> Made:
    """Make a run of task 15 only, whose model gives these answers."""

    async def load(name: str, *, rule: str = "exact", **options: Any) -> Suite:
        return only_task_15(rule)

    monkeypatch.setattr(suites, "load", load)

    def make(*answers: str, **options: Any) -> Path:
        model = ScriptedModel([f"```python{answer}```" for answer in answers])
        given = {"models": [model.name], "frameworks": ["qiskit"], "max_attempts": len(answers) - 1, **options}
        with monkeypatch.context() as patch:
            patch.setattr(models, "create_all", lambda *_, **__: {model.name: model})
            opened = run_setup.start(given, out=tmp_path / "first", data=None, executor=TWO)
            session.drive(opened, concurrency=4, progress=run_progress(opened, quiet=True))
        return tmp_path / "first"

    return make


def again(directory: Path, name: str = "again", **options: Any) -> tuple[dict[str, Any], list[Attempt], dict[str, Any]]:
    """Return the figures, the attempts and the manifest of the regraded run."""
    options = {"rule": None, "data": None, "executor": TWO, **options}
    found = regrading.regrade(directory, directory.parent / name, **options)
    manifest, attempts = load_run(directory.parent / name)
    return found, sorted(attempts, key=lambda one: (one.condition, one.attempt)), manifest


def recorded(directory: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (directory / "attempts.jsonl").read_text().splitlines()]


def record(directory: Path, lines: list[dict[str, Any]]) -> None:
    (directory / "attempts.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def kinds(attempts: Sequence[Attempt]) -> list[tuple[str, bool]]:
    return [(a.verdict.kind, a.off_policy) for a in attempts]


@pytest.mark.slow
def test_regrade_with_equal_settings_changes_nothing(made: Made) -> None:
    run = made(RAISES, WRONG, RIGHT)
    manifest, before = load_run(run)
    found, after, regraded = again(run)
    none = dict.fromkeys(("off_policy", "censored", "excluded", "faults"), 0)
    stated = {"run": str(run.parent / "again"), "of": str(run), "rule": "exact", "answers": 3}
    assert found == {**stated, **none, "changed": {}, "tasks": []}
    same = {"run": "again", "outcome": None}
    assert [replace(a, **same) for a in before] == [replace(a, **same) for a in after]
    assert regraded.stated["regraded_from"] == {"run": str(run), "differs": []}
    assert regraded.is_regrade
    assert {**regraded.experiment, "origin": None} == {**manifest.experiment, "origin": None}
    assert regraded.simulated == ["scripted/test"]


@pytest.mark.slow
def test_regrade_by_a_noisy_rule_repeats_its_samples(made: Made) -> None:
    off = RIGHT.replace("qc.ry(theta, 1)", "qc.ry(theta + 0.8, 1)")
    run = made(off, off, off, rule="paper")
    _, before = load_run(run)
    found, after, regraded = again(run)
    assert (found["changed"], found["off_policy"]) == ({}, 0)
    assert [a.verdict for a in after] == [a.verdict for a in before]
    assert len({repr(a.verdict.evidence["cases"]) for a in before}) == 3
    assert regraded.stated["regraded_from"]["differs"] == []


@pytest.mark.slow
def test_attempts_after_a_new_pass_are_off_policy(made: Made) -> None:
    run = made(A_LITTLE_OFF, WRONG, RIGHT)
    found, after, manifest = again(run, rule="paper")
    assert kinds(load_run(run)[1]) == [("wrong_answer", False), ("wrong_answer", False), ("pass", False)]
    assert kinds(after) == [("pass", False), ("wrong_answer", True), ("pass", True)]
    assert (found["changed"], found["off_policy"], found["censored"]) == ({"wrong_answer -> pass": 1}, 2, 0)
    named = {"suite": "aligned", "task_id": "15", "framework": "qiskit"}
    assert found["tasks"] == [{**named, "answers": 3, "changed": {"wrong_answer -> pass": 1}}]
    assert [a.verdict.rule for a in after] == ["paper"] * 3
    assert manifest.experiment["rule"] == "paper"
    assert StudyLock.read(run.parent / "again") == StudyLock.read(run) is not None
    assert manifest.planned == {}, "by another rule nothing was planned"
    assert 'rule: "exact" -> "paper"' in manifest.stated["regraded_from"]["differs"]


@pytest.mark.slow
def test_episode_whose_pass_is_revoked_is_censored(made: Made) -> None:
    run = made(A_LITTLE_OFF, WRONG, rule="paper")
    assert kinds(load_run(run)[1]) == [("pass", False)]
    found, after, _ = again(run, rule="exact")
    assert kinds(after) == [("wrong_answer", False)]
    assert (found["changed"], found["off_policy"], found["censored"]) == ({"pass -> wrong_answer": 1}, 0, 1)


def test_attempt_after_feedback_on_another_failure_is_off_policy(made: Made) -> None:
    """The stored verdict has another traceback, as if from another version, and only one arm was shown it."""
    run = made(RAISES, WRONG, repair={"feedback": ["default", "verdict"]})
    lines = recorded(run)
    for line in lines:
        if line["attempt"] == 0:
            line["verdict"]["evidence"]["traceback"] = "Traceback of an older interpreter"
    record(run, lines)
    found, after, _ = again(run)
    assert [(a.condition, a.attempt, a.off_policy) for a in after] == [
        ("default", 0, False),
        ("default", 1, True),
        ("verdict", 0, False),
        ("verdict", 1, False),
    ]
    assert (found["changed"], found["off_policy"], found["censored"]) == ({}, 1, 1)


def test_shared_first_attempt_is_executed_once(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    run = made(RAISES, WRONG, repair={"feedback": ["default", "verdict", "expected"]})
    programs = counted(monkeypatch)
    found, after, _ = again(run)
    assert (len(programs), found["answers"], len(after)) == (1 + 3, 1 + 3, 6)


def counted(monkeypatch: pytest.MonkeyPatch, faults: Sequence[int] = ()) -> list[Program]:
    """Return the programs executed from now on; those with these numbers end in a fault."""
    programs: list[Program] = []
    run = LocalExecutor.run

    async def noted(self: LocalExecutor, program: Program) -> Outcome:
        programs.append(program)
        if len(programs) in faults:
            raise ExecutorError("the fork server died twice")
        return await run(self, program)

    monkeypatch.setattr(LocalExecutor, "run", noted)
    return programs


@pytest.mark.slow
def test_interrupted_regrade_can_be_resumed(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    run = made(A_LITTLE_OFF, RAISES, WRONG, RIGHT)
    whole, first, _ = again(run, rule="paper")
    lines = (run.parent / "again" / "attempts.jsonl").read_text().splitlines()
    for kept in (0, 1, 3):
        (run.parent / "again" / "attempts.jsonl").write_text("".join(line + "\n" for line in lines[:kept]))
        with monkeypatch.context() as patch:
            programs = counted(patch)
            found, after, _ = again(run, rule="paper")
        assert found == whole
        assert len(programs) == len(lines) - kept
        assert [replace(a, outcome=None) for a in after] == [replace(a, outcome=None) for a in first]


def test_fault_is_retried(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    run = made(RAISES, WRONG)
    with monkeypatch.context() as patch:
        counted(patch, faults=[2])
        found, after, _ = again(run)
    assert found["faults"] == 1
    assert [a.fault is not None for a in after] == [False, True]
    found, after, _ = again(run)
    assert found["faults"] == 0
    assert [a.verdict.kind for a in after] == ["exception", "wrong_answer"]


def test_missing_answer_stays_pending(made: Made) -> None:
    run = made(RAISES, WRONG)
    lines = recorded(run)
    lines[1] |= {"completion": None, "verdict": None, "outcome": None, "code": None}
    lines[1]["fault"] = {"boundary": "model", "message": "down", "retries": 3}
    record(run, lines)
    found, after, _ = again(run)
    assert (found["answers"], found["faults"]) == (1, 0)
    assert dataclasses.astuple(after[1].fault) == ("model", "down", 3)


def test_prefill_and_answer_are_joined(made: Made) -> None:
    body = RIGHT.split("def Hadmard_Test_h(theta):")[1]
    run = made(RAISES, prompt=[{"assistant_prefill": True}])
    (line,) = recorded(run)
    line["completion"]["text"] = body
    record(run, [line])
    found, (attempt,), _ = again(run)
    assert attempt.extraction["steps"][0] == "appended to the prefill"
    assert found["changed"] == {"exception -> pass": 1}


def test_impossible_regrade_is_a_usage_error(made: Made) -> None:
    run = made(RIGHT)
    with pytest.raises(UsageError, match="exact, paper, released"):
        again(run, rule="fidelity")
    assert not (run.parent / "again").exists()
    again(run)
    with pytest.raises(UsageError, match="is itself a regrade: regrade first instead"):
        again(run.parent / "again", "third")
    with pytest.raises(UsageError, match="different settings"):
        again(run, rule="paper")
    with pytest.raises(UsageError, match="already contains a run"):
        regrading.regrade(run, run, rule=None, data=None, executor=TWO)
    with pytest.raises(UsageError, match="repeat the `repair-bench regrade` command"):
        run_setup.resume(run.parent / "again", {}, data=None, executor=TWO)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("test_regrading.only_task_15", lambda rule: replace(aligned.load(rule=rule), tasks=()))
        with pytest.raises(UsageError, match="aligned no longer has the task '15' in qiskit, so answers to it cannot"):
            again(run, "fourth")
    assert not (run.parent / "fourth").exists()
    record(run, [{**recorded(run)[0], "task_id": "99"}])
    with pytest.raises(UsageError, match="line 1: the run has no task '99' from 'aligned'"):
        again(run, "fourth")


def test_command_reports_changed_verdicts(made: Made, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    run = made(A_LITTLE_OFF, WRONG)
    monkeypatch.chdir(run.parent)
    command = ["regrade", "first", "--out", "new", "--rule", "paper"]
    assert exit_code(*command) == 0
    said = capsys.readouterr().out
    assert "wrong_answer -> pass 1" in said
    assert "2 answers of first graded with the rule paper: 1 verdict changed" in said
    assert "off-policy: 1 attempt that" in said
    assert exit_code(*command, "--json") == 0
    assert json.loads(capsys.readouterr().out)["changed"] == {"wrong_answer -> pass": 1}


@pytest.fixture(scope="module")
def task() -> Task:
    return only_task_15("exact").tasks[0]


def judged(verdict: Verdict, code: str = "the code") -> Attempt:
    names = ("id", "episode", "run", "model", "suite", "suite_version", "task_id", "framework", "category", "condition")
    return Attempt(
        **dict.fromkeys(names, "x"), parent=None, difficulty=None, sample=0, attempt=0, feedback=None, messages=[],
        code=code, verdict=verdict,
    )  # fmt: skip


def told(policy: str, asked: str = "the feedback") -> Attempt:
    after = judged(Verdict("pass"))
    return replace(after, feedback=Feedback(policy, ""), messages=[{"role": "user", "content": asked}])


def wrong(got: str, expected: str, far: float) -> Verdict:
    case = {"inputs": [], "hidden": False, "got": got, "expected": expected, "distance": {"tv": far}, "mismatch": None}
    problem = f"the outcome probabilities are incorrect (total variation distance {far})"
    return Verdict("wrong_answer", {"cases": [case], "problem": problem})


def raised(where: str) -> Verdict:
    return Verdict("exception", {"type": "E", "message": "m", "traceback": f"Traceback: <object at 0x{where}>"})


OLD = wrong("|0>", "|1>", 0.5)


@pytest.mark.parametrize(
    ("new", "departing"),
    [
        (wrong("|+>", "|1>", 0.5), {"default", "output", "expected", "support", "critic", "tool", "api"}),
        (wrong("|0>", "|->", 0.5), {"expected", "support"}),
        (wrong("|0>", "|1>", 0.75), {"distance"}),
        (Verdict("pass"), set(POLICIES)),
        (raised("1"), set(POLICIES) - {"verdict", "none"}),
    ],
)
def test_departure_is_feedback_that_would_differ(task: Task, new: Verdict, departing: set[str]) -> None:
    found = {name for name in POLICIES if departs(task, judged(OLD), judged(new), told(name))}
    assert found - {"support"} == departing - {"support"}


def test_memory_address_is_not_a_change_of_feedback(task: Task) -> None:
    assert not departs(task, judged(raised("7f00")), judged(raised("7f11")), told("default"))


def test_tiny_number_is_not_a_change_of_feedback(task: Task) -> None:
    errors = ({"type": "E", "message": "m", "traceback": f"fidelity {x}"} for x in ("1.571e-30", "4.93e-32", "0.1"))
    old, other_digits, other = (judged(Verdict("exception", error)) for error in errors)
    assert not departs(task, old, other_digits, told("default"))
    assert departs(task, old, other, told("default"))


def test_changed_code_is_a_departure_if_it_was_shown(task: Task) -> None:
    old, new = judged(OLD, "old code"), judged(OLD, "new code")
    assert departs(task, old, new, told("function"))
    assert not departs(task, old, new, told("default"))
    assert departs(task, old, new, told("default", "Your previous answer:\n\nold code\n\nIt is wrong."))
