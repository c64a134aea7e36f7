"""Forks repair stored failures with another policy, history or model."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import exit_code

from repair_bench import prompts
from repair_bench.agent.studies.forking import stated_in
from repair_bench.testing.made_up_runs import load_run
from repair_bench.traces.record.records import Attempt
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.study_lock import STUDY_LOCK, Comparison, StudyLock

SMALL = ("--framework", "qiskit", "--limit", "4", "--max-attempts", "1", "--workers", "2", "--json")


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    monkeypatch.chdir(tmp_path)
    return exit_code


def by_episode(attempts: list[Attempt]) -> dict[str, list[Attempt]]:
    paths: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        paths.setdefault(attempt.episode, []).append(attempt)
    return paths


@pytest.mark.slow
def test_writer_by_repairer(command: Callable[..., int], tmp_path: Path) -> None:
    """Every failed first answer of one model, repaired by another and by itself under two policies."""
    assert command("run", "--model", "sim/bernoulli?first=0&repair=0", "--out", "first", *SMALL) == 0
    _, written = load_run(tmp_path / "first")
    roots = {a.id: a for a in written if a.attempt == 0}
    assert len(roots) == 4

    other = "sim/bernoulli?first=0&repair=1"
    repairing = ["fork", "first", "--all", "--model", other, "--feedback", "verdict", "--feedback", "default"]
    assert command(*repairing, "--out", "forked", "--json") == 0
    manifest, attempts = load_run(tmp_path / "forked")
    assert manifest.origin["run"] == "first"
    paths = by_episode(attempts)
    assert len(paths) == 8
    for path in paths.values():
        first, repair = path
        assert first.code == roots[first.id].code
        assert first.verdict == roots[first.id].verdict
        assert (first.model, first.writer) == (other, "sim/bernoulli?first=0&repair=0")
        assert (repair.parent, repair.attempt, repair.passed) == (first.id, 1, True)
    writer = "@sim/bernoulli?first=0&repair=0"
    assert {a.condition for a in attempts} == {f"verdict{writer}", f"default{writer}"}
    asked = StudyLock.read(tmp_path / "forked")
    assert asked is not None
    assert asked.comparisons.keys() == {
        Comparison("condition", "aligned", other, f"verdict{writer}", f"default{writer}", 1)
    }, "a fork has a question of its own"
    assert not (tmp_path / "forked" / "completions.jsonl").read_text().count(next(iter(roots)))

    one = next(iter(paths))
    once_more = ["fork", "forked", one[:8], "--attempt", "0", "--max-attempts", "3", "-c", f"models='{other}'"]
    assert command(*once_more, "--out", "again", "--json") == 0
    again = load_run(tmp_path / "again")[1]
    assert {a.id for a in again if a.attempt == 0} == {paths[one][0].id}
    assert {a.model for a in again} == {other}


def test_fork_keeps_the_accepted_versions_of_its_origin() -> None:
    stated: Any = {
        "experiment": {"conditions": {}},
        "resumed": [
            {"at": "2026", "changed": {"versions.qiskit.numpy": ["1", "2"]}, "accepted": ["versions.qiskit.numpy"]}
        ],
    }
    origin = stated_in(Manifest(stated), 0)
    assert Manifest({"experiment": {"origin": origin}}).accepted == ["numpy 1 -> 2 (qiskit)"]
    assert "accepted" not in stated_in(Manifest({"experiment": {"conditions": {}}}), 0)


@pytest.mark.slow
def test_bad_choices_are_one_line_and_write_nothing(command: Callable[..., int], tmp_path: Path) -> None:
    assert command("run", "--model", "sim/bernoulli?first=1&repair=1", "--out", "solved", *SMALL) == 0
    assert command("fork", "solved", "--all", "--out", "new") == 2
    assert command("fork", "solved", "--out", "new") == 2
    assert command("fork", "nowhere", "--all", "--out", "new") == 2
    assert command("fork", "solved", "nonesuch", "--out", "new") == 2
    assert not (tmp_path / "new").exists()


@pytest.mark.slow
def test_interrupted_fork_can_be_resumed(command: Callable[..., int], tmp_path: Path) -> None:
    assert command("run", "--model", "sim/bernoulli?first=0&repair=0", "--out", "first", *SMALL) == 0
    assert command("fork", "first", "--all", "--feedback", "verdict", "--out", "forked", "--json") == 0
    whole = (tmp_path / "forked" / "attempts.jsonl").read_text()
    asked = (tmp_path / "forked" / STUDY_LOCK).read_bytes()
    manifest = tmp_path / "first" / "run.json"
    manifest.write_text(manifest.read_text().replace(f'"version": "{prompts.VERSION}"', '"version": "0"', 1))
    assert command("fork", "first", "--all", "--feedback", "verdict", "--out", "mixed", "--json") == 2, "other prompts"
    lines = whole.splitlines(keepends=True)
    (tmp_path / "forked" / "attempts.jsonl").write_text("".join(lines[:3]))
    assert command("run", "--resume", "forked", "--json") == 0
    assert (tmp_path / "forked" / STUDY_LOCK).read_bytes() == asked
    again = [json.loads(line) for line in (tmp_path / "forked" / "attempts.jsonl").read_text().splitlines()]
    assert {(a["episode"], a["id"]) for a in again} == {
        (a["episode"], a["id"]) for a in map(json.loads, whole.splitlines())
    }
