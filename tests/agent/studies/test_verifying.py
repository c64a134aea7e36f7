"""Planted changes are found: in a run's directory and in a site, of a verdict, a completion and a cost."""

import copy
import json
import lzma
import random
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet as pq
from typer.testing import CliRunner

from repair_bench.agent.studies import verifying
from repair_bench.agent.studies.verifying import Source, Verified
from repair_bench.cli import app
from repair_bench.executors.options import ExecutorOptions
from repair_bench.report.exports import parquet
from repair_bench.report.site import record
from repair_bench.suites import aligned
from repair_bench.suites.task import Suite
from repair_bench.traces.checksums import differences, write_sums
from repair_bench.traces.manifest import Manifest
from repair_bench.traces.records import Attempt
from repair_bench.traces.rows import load_rows

STORED = Path(__file__).parents[2] / "stored_runs" / "aligned"
FIRST = 60
PLANTED = 50

Line = dict[str, Any]


@pytest.fixture(scope="module")
def stored() -> list[Line]:
    """The first attempts of a real run."""
    text = lzma.decompress((STORED / "attempts.jsonl.xz").read_bytes()).decode()
    return [json.loads(line) for line in text.splitlines()[:FIRST]]


@cache
def todays() -> Suite:
    return aligned.load()


def written(folder: Path, lines: list[Line], saved: list[Line]) -> Path:
    """A run's directory with these attempts, and the completions as they were saved."""
    folder.mkdir()
    suite = todays()  # it has the tasks of then in other words
    manifest = Manifest.read(STORED)
    experiment = {**manifest.experiment, "suite_contents": {suite.name: [suite.version, suite.content_hash]}}
    manifest.replaced(experiment=experiment).write(folder)  # type: ignore[typeddict-item]
    events = [{"event": "completion", "key": one["id"], "data": one["completion"]} for one in saved]
    for name, rows in (("attempts.jsonl", lines), ("completions.jsonl", events)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def verified(folder: Path, sample: int | None = 0, *, saved: bool = True) -> Verified:
    run = load_rows(folder)

    def records() -> Iterator[tuple[Attempt, bool]]:
        return ((row.whole(), True) for row in run.rows)

    source = Source("run", run.manifest, records, folder / "completions.jsonl" if saved else None)
    return verifying.verify(source, sample=sample, seed=0, data=None, executor=ExecutorOptions(2))


def another_verdict(line: Line) -> None:
    kind = "wrong_answer" if line["verdict"]["kind"] == "pass" else "pass"
    line["verdict"] = {**line["verdict"], "kind": kind, "evidence": {}}


def another_completion(line: Line) -> None:
    text = line["completion"]["text"]
    line["completion"]["text"] = text[: len(text) // 2] + "#" + text[len(text) // 2 :]


def another_cost(line: Line) -> None:
    line["completion"]["cost_usd"] = (line["completion"]["cost_usd"] or 0.0) + 0.01


CHANGES = [another_verdict, another_completion, another_cost]


def planted(stored: list[Line], change: Callable[[Line], None]) -> tuple[list[Line], set[str]]:
    """The run with changes in it, and the ids of the attempts that have one."""
    lines = copy.deepcopy(stored)
    chosen = random.Random(0).sample([line for line in lines if line["outcome"] is not None], PLANTED)
    for line in chosen:
        change(line)
    return lines, {line["id"] for line in chosen}


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
def test_each_change_in_a_run_is_found(change: Callable[[Line], None], stored: list[Line], tmp_path: Path) -> None:
    lines, names = planted(stored, change)
    found = verified(written(tmp_path / "run", lines, stored))
    assert {one.attempt for one in found.contradictions} >= names
    assert not found.stands


@pytest.mark.parametrize("change", CHANGES)
def test_each_change_in_a_site_is_found(change: Callable[[Line], None], stored: list[Line], tmp_path: Path) -> None:
    """Also by someone who makes the checksums anew."""
    small = [{**line, "outcome": line["outcome"] and {**line["outcome"], "value": None}} for line in stored]
    record.write_record(load_rows(written(tmp_path / "run", small, [])), tmp_path / "site")
    write_sums(tmp_path / "site")
    lines, names = planted(small, change)
    rows = [parquet.line(Attempt.from_json(line)) for line in lines]
    parquet.write_lines(rows, tmp_path / "site" / record.RECORD)
    assert differences(tmp_path / "site") == [f"{record.RECORD}: not the file that was published"]
    assert {line.attempt.id for line in record.read_record(tmp_path / "site") if not line.unchanged} == names


def test_a_cost_that_is_not_at_the_prices_of_the_experiment_is_found(stored: list[Line], tmp_path: Path) -> None:
    """Also by someone who changes it in both files; at prices that changed under way nothing is known."""
    lines = copy.deepcopy(stored[:8])
    for line in lines:
        line["completion"] |= {"usage": {"prompt_tokens": 300, "completion_tokens": 100}, "cost_usd": 0.0005}
    folder = written(tmp_path / "run", lines, lines)
    prices = {"input_price": 1.0, "output_price": 2.0}
    manifest = Manifest.read(folder)
    resources = {**manifest.resources, "providers": {lines[0]["model"].partition("/")[0]: prices}}
    manifest.replaced(resources=resources).write(folder)  # type: ignore[typeddict-item]
    assert verified(folder).stands
    lines[5]["completion"]["cost_usd"] = 0.0006
    for name, rows in (("attempts.jsonl", lines), ("completions.jsonl", [])):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = verified(folder)
    assert [(one.attempt, one.what) for one in found.contradictions] == [
        (lines[5]["id"], "it costs 0.0006 USD, and 0.0005 at the prices of the experiment")
    ]
    changed = {"at": "2026-01-01", "changed": {"resources.providers.x.input_price": [1.0, 3.0]}}
    manifest.replaced(resources=resources, resumed=[changed]).write(folder)  # type: ignore[typeddict-item]
    assert verified(folder).stands


def test_a_run_as_it_was_recorded_stands(stored: list[Line], tmp_path: Path) -> None:
    found = verified(written(tmp_path / "run", stored, stored))
    assert (found.stands, found.contradictions, found.drawn) == (True, [], 0)
    assert found.attempts == found.compared == len(stored)


def test_an_attempt_that_is_taken_away_is_missed(stored: list[Line], tmp_path: Path) -> None:
    gone = next(line for line in stored if line["attempt"] == 1)
    after = next(line for line in stored if line["parent"] == gone["id"])
    found = verified(written(tmp_path / "run", [line for line in stored if line is not gone], stored))
    assert [(one.attempt, one.what) for one in found.contradictions] == [
        (after["id"], "it has the number 2, and the one before it 0"),
        (after["id"], "its parent is not the attempt before it"),
    ]


def test_a_record_in_parquet_is_the_record(stored: list[Line], tmp_path: Path) -> None:
    run = load_rows(written(tmp_path / "run", stored[:20], []))
    record.write_record(run, tmp_path)
    lines = list(record.read_record(tmp_path))
    assert all(line.unchanged for line in lines)
    for line, row in zip(lines, run.rows, strict=True):
        before, after = row.whole(), line.attempt
        assert [m["content"] for m in after.messages] == [m["content"] for m in before.messages]
        assert after.replaced(messages=[]) == before.replaced(messages=[])
    assert record.missing(tmp_path) == 0
    parquet.write_lines(list(parquet.lines(run))[:-2], tmp_path / record.RECORD)
    assert record.missing(tmp_path) == 2
    assert pq.read_table(tmp_path / record.RECORD).num_rows == 18


def test_what_cannot_be_judged_here_is_said(stored: list[Line], tmp_path: Path) -> None:
    folder = written(tmp_path / "run", stored, stored)
    manifest = Manifest.read(folder)
    experiment = {**manifest.experiment, "suite_contents": {"aligned": ["0", "other"]}}
    manifest.replaced(experiment=experiment).write(folder)  # type: ignore[typeddict-item]
    found = verified(folder, sample=7)
    assert found.unjudged == {"aligned is here in other contents than version 0 of the run": 7}
    assert (found.stand, found.differ, found.stands) == (0, [], True)


@pytest.mark.slow
def test_answers_are_executed_again(stored: list[Line], tmp_path: Path) -> None:
    """A verdict and its outcome that were both changed are found by executing the answer."""
    lines = copy.deepcopy(stored)[:6]
    changed = next(line for line in lines if line["verdict"]["kind"] == "wrong_answer")
    changed["outcome"] = {**changed["outcome"], "status": "exception", "value": None}
    changed["outcome"]["exception"] = {"type": "ValueError", "message": "no", "traceback": "ValueError: no"}
    changed["verdict"] = {**changed["verdict"], "kind": "exception", "evidence": changed["outcome"]["exception"]}
    folder = written(tmp_path / "run", lines, stored)
    manifest = Manifest.read(folder)
    experiment = {key: value for key, value in manifest.experiment.items() if key != "versions"}
    manifest.replaced(experiment=experiment).write(folder)  # type: ignore[typeddict-item]
    found = verified(folder, sample=None)
    assert found.drawn == found.answers == found.stand + len(found.differ) + sum(found.unjudged.values()) == 6
    assert [one.attempt for one in found.differ] == [changed["id"]] or sum(found.unjudged.values())


@pytest.mark.slow
def test_the_command_says_what_stands(stored: list[Line], tmp_path: Path) -> None:
    folder = written(tmp_path / "run", stored, stored)
    done = CliRunner().invoke(app, ["verify", str(folder), "--sample", "0"])
    assert done.exit_code == 0
    assert done.stdout.startswith("aligned: 60 attempts, 60 of them held against their task, 0 contradictions; of 0")
    lines, _ = planted(stored, another_cost)
    bad = CliRunner().invoke(app, ["verify", str(written(tmp_path / "bad", lines, stored)), "--sample", "0", "--json"])
    assert bad.exit_code == 1
    assert len(json.loads(bad.stdout)["runs"][0]["contradictions"]) == PLANTED
