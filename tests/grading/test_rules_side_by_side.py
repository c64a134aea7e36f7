"""Answers under several grading rules, executed once and judged under each."""

import json
from pathlib import Path
from typing import Any

import pytest
from commands import called
from judging import A_LITTLE_OFF, HADAMARD_TEST

from repair_bench.agent import run_setup, session
from repair_bench.cli.output import run_progress
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.options import ExecutorOptions
from repair_bench.executors.program import Program
from repair_bench.grading import grade
from repair_bench.grading.rejudge import rejudge
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Outcome
from repair_bench.traces.run.run_reader import load_rows

TWO = ExecutorOptions(workers=2)
RULES = ("exact", "paper", "released")

OTHER_PHASES = HADAMARD_TEST.replace("qc.measure", "qc.s(0); qc.measure")
RAISES = "def Hadmard_Test_h(theta):\n    raise ValueError\n"


def graded(tmp_path: Path, *codes: str | None, **options: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the graded lines and the summary."""
    lines = [{"task_id": "15", "framework": "qiskit", "completion": code or "Sorry."} for code in codes]
    solutions, out = tmp_path / "solutions.jsonl", tmp_path / "verdicts.jsonl"
    solutions.write_text("".join(json.dumps(line) + "\n" for line in lines))
    summary = grade.grade_file(solutions, "aligned", out, data=None, executor=TWO, **options)
    return [json.loads(line) for line in out.read_text().splitlines()], summary


@pytest.mark.slow
def test_answers_are_executed_once_and_judged_under_every_rule(tmp_path, monkeypatch) -> None:
    programs: list[Program] = []
    run = LocalExecutor.run

    async def noted(self: LocalExecutor, program: Program) -> Outcome:
        programs.append(program)
        return await run(self, program)

    monkeypatch.setattr(LocalExecutor, "run", noted)
    lines, summary = graded(tmp_path, HADAMARD_TEST, A_LITTLE_OFF, RAISES, None, rules=RULES)
    assert len(programs) == 3  # an answer without code is not executed
    assert [line["verdict"] for line in lines] == ["pass", "wrong_answer", "exception", "no_code"]
    assert [line["verdicts"] for line in lines] == [
        {"exact": "pass", "paper": "pass", "released": "pass"},
        {"exact": "wrong_answer", "paper": "pass", "released": "pass"},
        {"exact": "exception", "paper": "exception", "released": "exception"},
        {"exact": "no_code", "paper": "no_code", "released": "no_code"},
    ]
    counts = {"pass": 1, "wrong_answer": 1, "exception": 1, "no_code": 1}
    assert set(summary.pop("versions")) == {"qiskit"}
    assert summary == {
        "solutions": 4,
        "verdicts": counts,
        "rules": {
            "exact": counts,
            "paper": {"pass": 2, "exception": 1, "no_code": 1},
            "released": {"pass": 2, "exception": 1, "no_code": 1},
        },
        "rule_dependent": [{"task_id": "15", "framework": "qiskit", "answers": 1}],
        "faults": 0,
    }


@pytest.mark.slow
def test_the_verdict_is_that_of_the_first_rule(tmp_path) -> None:
    (line,), summary = graded(tmp_path, A_LITTLE_OFF, rules=("paper", "exact", "paper"))
    assert (line["verdict"], line["verdicts"]) == ("pass", {"paper": "pass", "exact": "wrong_answer"})
    assert summary["verdicts"] == {"pass": 1}


@pytest.mark.slow
def test_lines_have_no_verdicts_by_rule_under_one_rule(tmp_path) -> None:
    lines, summary = graded(tmp_path, HADAMARD_TEST, OTHER_PHASES, RAISES)
    assert set(summary.pop("versions")) == {"qiskit"}
    assert summary == {"solutions": 3, "verdicts": {"pass": 2, "exception": 1}, "faults": 0}
    assert not any("verdicts" in line for line in lines)
    assert [line["verdict"] for line in lines] == ["pass", "pass", "exception"]


def test_an_unknown_rule_is_a_usage_error_and_writes_nothing(tmp_path) -> None:
    with pytest.raises(UsageError, match="exact, paper, released"):
        graded(tmp_path, HADAMARD_TEST, rules=("strict",))
    assert [path.name for path in tmp_path.iterdir()] == ["solutions.jsonl"]


@pytest.mark.slow
def test_quanbench_plus_answers_that_depend_on_the_rule_are_named(tmp_path, datasets: Path) -> None:
    data = datasets / "quanbench-plus"
    wanted = ("01", "08", "16", "36")
    rows = [json.loads(line) for line in (data / "qiskit.jsonl").read_text().splitlines()]
    answers = {row["task_id"]: row["canonical_solution"] for row in rows if row["task_id"] in wanted}
    solutions = tmp_path / "solutions.jsonl"
    lines = [{"task_id": task_id, "framework": "qiskit", "code": code} for task_id, code in answers.items()]
    solutions.write_text("".join(json.dumps(line) + "\n" for line in lines))
    summary = grade.grade_file(
        solutions, "quanbench-plus", tmp_path / "out.jsonl", data=data, executor=TWO, rules=("exact", "released")
    )
    assert summary["rules"]["exact"] == {"pass": 4}
    assert summary["rule_dependent"] == [{"task_id": "08", "framework": "qiskit", "answers": 1}]


@pytest.mark.slow
def test_the_outcomes_of_a_run_are_judged_without_execution(tmp_path, monkeypatch) -> None:
    options = {"models": ["sim/journeyman"], "frameworks": ["qiskit"], "limit": 14, "max_attempts": 1}
    opened = run_setup.start(options, out=tmp_path / "run", data=None, executor=TWO)
    session.drive(opened, concurrency=4, progress=run_progress(opened, quiet=True))

    async def never(self: LocalExecutor, program: Program) -> Outcome:
        raise AssertionError(program)

    monkeypatch.setattr(LocalExecutor, "run", never)
    found = rejudge(load_rows(tmp_path / "run"), ("exact", "paper"), data=None)
    (row,) = found["rows"]
    assert (row["model"], row["framework"], row["answers"]) == ("sim/journeyman", "qiskit", 14)
    assert row["passed"]["recorded"] == row["passed"]["exact"] <= row["passed"]["paper"]
    assert all(task["passed"]["recorded"] == task["passed"]["exact"] for task in found["rule_dependent"])
    selected = json.loads(called("report", tmp_path / "run", "--rule", "exact", "--only", "task_id=08", "--json"))
    assert [row["answers"] for row in selected["rows"]] == [1]

    manifest = tmp_path / "run" / "run.json"
    _, content_hash = opened.store.manifest.suite_contents["aligned"]
    manifest.write_text(manifest.read_text().replace(content_hash, "0" * 64))
    with pytest.raises(UsageError, match="different files of aligned"):
        rejudge(load_rows(tmp_path / "run"), ("exact",), data=None)
