"""Guarded tests are counted separately, and `--require-sealed` excludes them."""

import functools
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from printing import words

from repair_bench import suites
from repair_bench.coroutines import run_to_end
from repair_bench.suites import jsonl
from repair_bench.suites.checks import UnitTestCheck
from repair_bench.suites.task import Suite, Task
from repair_bench.testing.made_up_runs import load_run

pytestmark = pytest.mark.usefixtures("lent")

REASON = "--require-sealed: the test cannot be isolated from the candidate and must run in the candidate's process"
CODE = "def answer():\n    return [1]\n"
NAMES = {"crosses": "stub", "beside": "guarded", "gone": "guarded"}

Cli = Callable[..., tuple[int, str, str]]


def tasks(path: Path) -> Path:
    test = "def check(f):\n    assert f() == [1]\n"
    line = {"framework": "qiskit", "entry_point": "answer", "prompt": "Write answer().", "reference": CODE}
    rows = [{**line, "task_id": name, "check": {"kind": "unit_test", "test": test}} for name in NAMES]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def cli(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Run commands on a file of tasks with sealing facts, like a published suite."""
    tasks(tmp_path / "tasks.jsonl")
    load = jsonl.load

    @functools.wraps(load)
    def with_facts(**options: Any) -> Suite:
        found: Suite = load(**options)
        return replace(found, tasks=tuple(map(sealed, found.tasks)))

    monkeypatch.setattr(jsonl, "load", with_facts)

    return cli


def sealed(task: Task) -> Task:
    assert isinstance(task.check, UnitTestCheck)
    check = replace(task.check, sealing=NAMES[task.id])
    return replace(task, check=check, excluded="needs an account" if task.id == "gone" else None)


SUITE = ("--suite", "jsonl", "--data", "tasks.jsonl")


@pytest.mark.slow
def test_grade_counts_guarded_verdicts_apart_and_can_refuse_them(cli: Cli, tmp_path: Path) -> None:
    lines = [{"task_id": name, "code": CODE} for name in NAMES]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    code, said, _ = cli("grade", "in.jsonl", *SUITE, "--out", "out.jsonl")
    assert code == 0
    assert said.startswith(
        "pass 2  excluded 1\nof these, guarded (run in the same process as the test): pass 1\n"
        "excluded: 1 answer: needs an account\n"
    )
    written = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [line["sealed"] for line in written] == ["stub", "guarded", None]

    code, said, _ = cli("grade", "in.jsonl", *SUITE, "--out", "strict.jsonl", "--require-sealed", "--json")
    found = json.loads(said)
    assert (code, found["verdicts"]) == (0, {"pass": 1, "excluded": 2})
    assert found["excluded"] == {REASON: 1, "needs an account": 1}
    assert "guarded" not in found


@pytest.mark.slow
def test_validate_counts_guarded_results_apart_and_can_refuse_them(cli: Cli) -> None:
    _, said, _ = cli("suites", "validate", *SUITE[1:])
    assert said == "3 tasks: pass 2  excluded 1\nof these, guarded (run in the same process as the test): pass 1\n"
    _, said, _ = cli("suites", "validate", *SUITE[1:], "--require-sealed", "--json")
    assert {row["id"]: (row["result"], row["detail"]) for row in json.loads(said)} == {
        "crosses": ("pass", ""),
        "beside": ("excluded", REASON),
        "gone": ("excluded", "needs an account"),
    }


@pytest.mark.slow
def test_show_says_how_each_task_is_sealed(cli: Cli) -> None:
    _, said, _ = cli("suites", "show", *SUITE[1:])
    assert "guarded: 1 of 3 tests run in the same process as the candidate; --require-sealed excludes them" in said
    _, said, _ = cli("suites", "show", *SUITE[1:], "--json")
    assert {row["id"]: row["sealed"] for row in json.loads(said)} == NAMES
    _, said, _ = cli("suites", "show", "aligned")
    assert "guarded" not in said


@pytest.mark.slow
def test_run_and_regrade_leave_guarded_tasks_out(cli: Cli, tmp_path: Path) -> None:
    options = (*SUITE, "--framework", "qiskit", "--model", "sim/expert", "--max-attempts", "0")
    code, said, _ = cli("run", *options, "--out", "whole")
    assert code == 0
    assert "The test of 1 task ran in the candidate's process" in words(said)
    full = cli("report", "whole", "--full")[1]
    assert "Solve rate, in %, without 1 task whose test ran in the candidate's process (guarded: 1 verdict)" in words(
        full
    )
    found = json.loads(cli("report", "whole", "--json")[1])
    assert found["guarded"] == {"verdicts": 1, "tasks": 1}
    assert [row["tasks"] for row in (found["rows"] + found["rows_without_guarded"])] == [2, 1]

    (tmp_path / "strict.toml").write_text("require_sealed = true\n")
    code, said, _ = cli("run", "strict.toml", *options, "--out", "strict")
    assert code == 0
    assert f"Excluded (not graded, and not counted in any figure): 1 task ({REASON})" in words(said)
    assert "ran in the candidate's process" not in words(said)
    assert f"1 task ({REASON})" in words(cli("report", "strict", "--full")[1])
    assert {attempt.task_id for attempt in load_run(tmp_path / "strict")[1]} == {"crosses"}
    assert load_run(tmp_path / "strict")[0].experiment["require_sealed"] is True

    code, _, _ = cli("regrade", "whole", "--out", "again", *SUITE[2:], "--require-sealed")
    regraded, attempts = load_run(tmp_path / "again")
    assert (code, {attempt.task_id for attempt in attempts}) == (0, {"crosses"})
    assert ("jsonl", "beside", "qiskit", REASON) in regraded.excluded


def test_a_plan_leaves_guarded_tasks_out(cli: Cli) -> None:
    plan = ("run", *SUITE, "--framework", "qiskit", "--plan", "--json")
    assert json.loads(cli(*plan)[1])["tasks"] == 2
    planned = json.loads(cli(*plan, "--require-sealed")[1])
    assert (planned["tasks"], planned["excluded"]) == (1, 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["quantum-katas", "qiskit-humaneval", "qiskit-humaneval-hard"])
def test_the_published_suites_without_their_guarded_tasks(datasets: Path, name: str) -> None:
    data = datasets / name.removesuffix("-hard")
    before, after = (run_to_end(suites.load(name, data=data, require_sealed=strict)) for strict in (False, True))
    for old, new in zip(before.tasks, after.tasks, strict=True):
        assert new.excluded == (REASON if old.sealed == "guarded" and old.excluded is None else old.excluded)
    assert any(task.excluded == REASON for task in after.tasks) is (name != "quantum-katas")  # none of these is guarded
