"""The commands `suites ...` on a small custom suite: tables, JSON, written files and exit codes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import Done

from repair_bench.executors.local import LocalExecutor
from repair_bench.testing.made_up_runs import attempts_of, up_to, written
from repair_bench.traces.faults import ExecutorError

Cli = Callable[..., Done]

COIN = """from qiskit import QuantumCircuit

def answer():
    qc = QuantumCircuit(1, 1)
    qc.h(0)
    qc.measure(0, 0)
    return qc
"""
SHARED = {"framework": "qiskit", "entry_point": "answer", "prompt": "Write answer()."}
IS_ONE = {**SHARED, "check": {"kind": "unit_test", "test": "def check(f):\n    assert f() == 1, 'not 1'\n"}}
IS_FAIR = {**SHARED, "check": {"kind": "distribution", "cases": [{"expected": {"0": 0.5, "1": 0.5}}]}}
PASSES = {**IS_ONE, "task_id": "passes", "reference": "def answer():\n    return 1\n"}
FAILS = {**IS_ONE, "task_id": "fails", "reference": "def answer():\n    return 2\n"}
TOSSES = {**IS_FAIR, "task_id": "coin", "reference": COIN}


@pytest.fixture
def on(cli: Cli, tmp_path: Path, lent: None) -> Callable[..., tuple[int, str]]:
    """Call a command on a suite with these tasks, and return its exit code and output."""

    def run(command: str, *tasks: dict[str, Any], options: tuple[str, ...] = ()) -> tuple[int, str]:
        (tmp_path / "tasks.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks))
        done = cli("suites", command, "jsonl", "--data", "tasks.jsonl", *options)
        return done.returncode, done.stdout

    return run


def test_list_as_json_names_every_suite(cli: Cli) -> None:
    rows = {row["suite"]: row["holds"] for row in json.loads(cli("suites", "list", "--json").stdout)}
    assert {"aligned", "conventions", "horizon", "jsonl", "quanbench-plus", "qiskit-humaneval"} <= rows.keys()
    assert all(rows.values())


def test_show_as_json_has_the_fields_of_tasks_without_checks(on: Any) -> None:
    shown = json.loads(on("show", PASSES, TOSSES, options=("--json",))[1])
    assert [row["id"] for row in shown] == ["passes", "coin"]
    assert [row["reference"] for row in shown] == [PASSES["reference"], COIN]
    assert not any("check" in row for row in shown)


def test_show_of_an_unknown_task_is_a_usage_error(cli: Cli) -> None:
    done = cli("suites", "show", "aligned", "99")
    assert done.returncode == 2
    assert "aligned has no task '99' in qiskit; `repair-bench suites show aligned` lists them" in done.stderr


def test_validate_exits_with_1_if_a_reference_fails(on: Any) -> None:
    code, said = on("validate", PASSES, FAILS)
    assert (code, said.splitlines()[-1]) == (1, "2 tasks: pass 1  fails 1")
    assert "not 1" in said
    code, said = on("validate", PASSES, FAILS, options=("--json",))
    assert (code, {row["id"]: row["result"] for row in json.loads(said)}) == (1, {"passes": "pass", "fails": "fails"})
    assert on("validate", PASSES) == (0, "1 task: pass 1\n")


@pytest.mark.slow
def test_isolation_modes_are_printed_and_written(on: Any, cli: Cli, tmp_path: Path) -> None:
    kept, elsewhere = tmp_path / "tasks.sealing.json", tmp_path / "facts.json"
    code, said = on("validate", PASSES, options=("--sealing",))
    assert (code, said.split("\nwrote ")[0]) == (0, "stub 1  guarded 0")
    assert json.loads(kept.read_text())
    kept.write_text(kept.read_text().replace('"stub"', '"guarded"'))
    code, said = on("validate", PASSES, options=("--sealing", "--json", "--out", str(elsewhere)))
    figures = json.loads(said)
    assert (code, figures["stub"], figures["guarded"], figures["file"]) == (0, 1, 0, str(elsewhere))
    assert figures["changed"] == [{"id": "passes", "before": "guarded", "now": "stub"}]
    assert elsewhere.exists()
    code, said = on("validate", PASSES, options=("--sealing",))
    assert [line.split() for line in said.splitlines()[:3]] == [
        ["id", "before", "now"],
        ["passes", "guarded", "stub"],
        ["stub", "1", "guarded", "0"],
    ]
    refused = cli("suites", "validate", "jsonl", "--data", "tasks.jsonl", "--out", "facts.json")
    assert (refused.returncode, refused.stderr) == (2, "repair-bench: --out requires --sealing\n")


@pytest.mark.slow
def test_audit_prints_sentences_and_writes_the_certificate(on: Any, tmp_path: Path) -> None:
    few = ("--mutants", "1")
    code, said = on("audit", PASSES, options=(*few, "--json", "--out", "c"))
    figures = json.loads(said)
    assert code == 0
    assert figures["headline"]
    assert json.loads((tmp_path / "c" / "certificate.json").read_text()) == figures
    code, said = on("audit", PASSES, options=few)
    assert code == 0
    assert said.endswith("\n\n" + "\n".join(figures["headline"]) + "\n")
    assert [path.name for path in tmp_path.glob("**/certificate.json")] == ["certificate.json"]


def test_audit_exits_with_1_if_tasks_cannot_be_graded(on: Any, executor: LocalExecutor, monkeypatch: Any) -> None:
    async def broken(*_: object, **__: object) -> None:
        raise ExecutorError("no machine")

    monkeypatch.setattr(executor, "run", broken)
    code, said = on("audit", PASSES, options=("--mutants", "1", "--json"))
    assert code == 1
    assert json.loads(said)["totals"]["all"]["faults"] > 0


def test_calibrate_prints_rows_and_writes_all_distances(on: Any, tmp_path: Path) -> None:
    code, said = on("calibrate", TOSSES, options=("--json", "--out", "c"))
    figures = json.loads(said)
    stored = json.loads((tmp_path / "c" / "calibration.json").read_text())
    assert code == 0
    assert [task["id"] for task in stored.pop("tasks")] == ["coin"]
    assert stored == figures
    code, said = on("calibrate", TOSSES)
    assert code == 0
    assert "The 99.7% quantile of the null KL distances over 1 task" in said


def test_headroom_is_printed_as_a_table_and_as_json(cli: Cli, tmp_path: Path) -> None:
    made = [*attempts_of("p", "a", task_id="1"), *attempts_of("e", "b", task_id="2")]
    written(tmp_path / "run", made, up_to(0))
    table = cli("suites", "headroom", "run")
    assert (table.returncode, table.stderr) == (0, "")
    assert "First answers, and failures that repairs could solve" in table.stdout
    (row,) = json.loads(cli("suites", "headroom", "run", "--json").stdout)["rows"]
    assert (row["right"]["n"], row["left"]) == (2, 1)
