"""Readers of runs: commands on damaged or empty runs, the examples of a page, and the shipped schema."""

import json
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from repair_bench.cli import main
from repair_bench.testing.made_up_runs import attempt, attempts_of, run, written
from repair_bench.traces.record.records import SCHEMA

PAGE = (Path(__file__).parents[1] / "docs/how-to/read-the-traces.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"^```python\n(import (?:duckdb|pandas as pd)\n\nfirsts(?:.|\n)+?)^```", PAGE, re.MULTILINE)


def line(made: object, **fields: object) -> str:
    return json.dumps(made.to_json() | fields) + "\n"


GOOD = [line(a) for a in attempts_of("ewp", "ep-a")]
FAULTS = [line(attempt("f", 0, f"ep-{name}", task_id=name)) for name in "xyz"]
RUNS = {
    "torn": ([*GOOD, GOOD[0][:50]], "ignored an incomplete last line"),
    "doubled": ([*GOOD, GOOD[1]], "1 lines repeat an attempt"),
    "empty": ([], ""),
    "faults": (FAULTS, ""),
}
COMMANDS = {
    "report": ["report", "{}"],
    "plot": ["plot", "{}", "--kind", "errors"],
    "show": ["show", "{}", "ep-"],
    "csv": ["export", "{}", "--format", "csv"],
}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", RUNS)
def test_every_command_reads_odd_runs_with_a_note(tmp_path, monkeypatch, capfd, name, command):
    lines, said = RUNS[name]
    directory = written(tmp_path / "run", lines)
    monkeypatch.setattr(sys, "argv", ["repair-bench", *(part.format(directory) for part in COMMANDS[command])])
    code: object = 0
    try:
        main()
    except SystemExit as end:
        code = end.code or 0
    out, errors = capfd.readouterr()
    assert said in errors
    assert "Traceback" not in errors
    if command == "show" and name in {"empty", "faults"}:  # no episode, or three with this prefix
        assert code == 2
        assert ("no attempts have been recorded" if name == "empty" else "episode") in errors
        return
    if command == "plot" and name in {"empty", "faults"}:
        assert code == 2
        assert "Not drawn: errors: No " in errors
        return
    assert code == 0, errors
    if name == "empty" and command in {"report", "csv"}:
        assert "no attempts have been recorded yet" in out.lower()
    if name == "faults" and command == "report":
        assert "INFRASTRUCTURE ERRORS: 3 episodes" in out


@pytest.mark.parametrize("command", COMMANDS)
def test_run_of_a_newer_version_is_refused_in_one_line(tmp_path, monkeypatch, capfd, command):
    directory = written(tmp_path / "run", [*GOOD, line(attempt("p", 3), schema=SCHEMA + 1)])
    monkeypatch.setattr(sys, "argv", ["repair-bench", *(part.format(directory) for part in COMMANDS[command])])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    errors = capfd.readouterr().err
    assert f"a newer version wrote the run in format {SCHEMA + 1}" in errors
    assert errors.count("\n") == 1


def test_unknown_export_format_is_a_usage_error(tmp_path, monkeypatch, capfd):
    directory = written(tmp_path / "run", GOOD)
    monkeypatch.setattr(sys, "argv", ["repair-bench", "export", str(directory), "--format", "xlsx"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    assert "choose from parquet, csv, instances" in capfd.readouterr().err


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda s: s.split()[1])
def test_reading_examples_of_the_page_work(tmp_path, monkeypatch, capsys, snippet):
    pytest.importorskip(snippet.split()[1])
    attempts, manifest = run(models=("sim/one",), tasks=7, faults=0.1)
    written(tmp_path / "runs" / "study", attempts, manifest)
    monkeypatch.chdir(tmp_path)
    exec(compile(snippet, "read-the-traces", "exec"), {})
    printed = capsys.readouterr().out
    for framework in ("qiskit", "pennylane", "cirq"):
        firsts = [a for a in attempts if a.attempt == 0 and a.framework == framework and a.verdict is not None]
        (rate,) = re.findall(rf"{framework}\W+([\d.]+)", printed)
        assert float(rate) == pytest.approx(sum(a.passed for a in firsts) / len(firsts), abs=1e-4)


def test_page_shows_both_readers_in_three_lines():
    assert [s.split()[1] for s in SNIPPETS] == ["duckdb", "pandas"]
    assert [sum(map(bool, s.splitlines())) for s in SNIPPETS] == [3, 3]


@pytest.mark.slow
def test_every_line_of_a_real_run_is_valid(tmp_path):
    schema = json.loads(
        (files("repair_bench.traces.record.schema") / "attempt.schema.json").read_text(encoding="utf-8")
    )
    arms = ["--feedback", "default", "--feedback", "none", "--feedback", "expected"]
    command = [*(sys.executable, "-m", "repair_bench", "run", "--model", "sim/novice", "--limit", "4"), *arms]
    subprocess.run([*command, "--out", tmp_path / "r"], check=True, capture_output=True, timeout=300)
    lines = [json.loads(text) for text in (tmp_path / "r" / "attempts.jsonl").read_text().splitlines()]
    for data in lines:
        jsonschema.validate(data, schema)
    assert {"pass", "wrong_answer", "exception"} <= {data["verdict"]["kind"] for data in lines}
