"""A run of `conventions` draws its tasks from a secret seed, and every command that reads the record finds them."""

import json
import shutil
from random import Random

import pytest

from repair_bench.agent.experiment.plan import plan
from repair_bench.agent.experiment.settings import experiment
from repair_bench.suites.conventions import load
from repair_bench.suites.conventions.edition import Edition

pytestmark = pytest.mark.usefixtures("lent")

SUITE = "conventions?bits=2,3&families=fourier"
MODEL = ("--model", "sim/stubborn?ignore=0.9", "--framework", "cirq", "--max-attempts", "2")


def suites_of(directory):
    return json.loads((directory / "run.json").read_text())["experiment"]["suites"]


def prompts(directory):
    lines = (directory / "attempts.jsonl").read_text().splitlines()
    return [message["content"] for line in lines for message in json.loads(line)["messages"]]


@pytest.mark.slow
def test_a_drawn_edition_is_read_by_every_command(cli, tmp_path, monkeypatch):
    monkeypatch.setattr("secrets.randbits", Random(1).getrandbits)
    run = cli("run", "--suite", SUITE, *MODEL, "--out", "run")
    assert run.returncode == 0, run.stderr
    (name,) = suites_of(tmp_path / "run")
    seed = Edition.of(name).seed
    assert seed is not None
    assert Edition.of(name) == Edition.of(f"{SUITE}&seed={seed}")
    assert not any(str(seed) in text for text in prompts(tmp_path / "run"))
    assert name in json.loads((tmp_path / "run/study.lock").read_text())["suites"]
    again = cli("run", "--resume", "run", "--suite", SUITE)
    assert again.returncode == 0, again.stderr
    assert suites_of(tmp_path / "run") == [name]
    other = cli("run", "--resume", "run", "--suite", f"{SUITE}&seed=1")
    assert other.returncode == 2
    assert "cannot be resumed" in other.stderr
    assert "0 contradictions" in cli("verify", "run").stdout
    assert "0 verdicts changed" in cli("regrade", "run", "--out", "regraded").stdout
    assert "Feedback utilisation" in cli("report", "run").stdout
    fork = cli("fork", "run", "--all", "--out", "forked", "--model", "sim/observer")
    assert fork.returncode == 0, fork.stderr
    assert suites_of(tmp_path / "forked") == [name]
    assert cli("run", "--suite", SUITE, *MODEL, "--out", "second").returncode == 0
    assert suites_of(tmp_path / "second") != [name]


@pytest.mark.slow
def test_shards_require_one_seed_and_merge(cli, tmp_path):
    refused = cli("run", "--suite", SUITE, *MODEL, "--shard", "1/2", "--out", "none")
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert f"Pass --suite '{SUITE.partition('&')[0]}&seed=" in refused.stderr
    assert not (tmp_path / "none").exists()
    fixed = refused.stderr.split("'")[1]
    for number in (1, 2):
        done = cli("run", "--suite", fixed, *MODEL, "--shard", f"{number}/2", "--out", f"shard{number}")
        assert done.returncode == 0, done.stderr
    assert cli("merge", "shard1", "shard2", "--out", "whole").returncode == 0
    assert suites_of(tmp_path / "whole") == [fixed]
    assert "0 contradictions" in cli("verify", "whole").stdout


@pytest.mark.slow
def test_a_run_of_an_older_edition_is_reported_with_a_note(cli, tmp_path):
    assert cli("run", "--suite", f"{SUITE}&seed=3", *MODEL, "--out", "run").returncode == 0
    path = tmp_path / "run/run.json"
    content = load(name=f"{SUITE}&seed=3").contents(["cirq"])
    assert content in path.read_text()
    shutil.copytree(tmp_path / "run", tmp_path / "old")
    (tmp_path / "old/run.json").write_text(path.read_text().replace(content, "0" * 64))
    done = cli("report", "old")
    assert done.returncode == 0
    said = [line for line in done.stderr.splitlines() if "conventions" in line]
    assert len(said) == 1
    assert "has changed since the run" in said[0]
    assert "Feedback utilisation" not in done.stdout


def test_plan_of_undrawn_tasks_has_no_lock():
    given = {"models": ["sim/observer"], "frameworks": ["cirq"]}
    assert plan(experiment({**given, "suites": [SUITE]}), None)["study_lock"] is None
    assert plan(experiment({**given, "suites": [f"{SUITE}&seed=3"]}), None)["study_lock"]
