"""Forks repair stored failures with another policy, history or model."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from commands import Done, exit_code

from repair_bench import prompts
from repair_bench.agent import run_setup
from repair_bench.agent.experiment import settings
from repair_bench.agent.experiment.beginnings import episodes
from repair_bench.agent.studies import forking
from repair_bench.agent.studies.forking import stated_in
from repair_bench.executors.options import ExecutorOptions
from repair_bench.suites.task import Suite
from repair_bench.testing.made_up_runs import attempts_of, load_run, written
from repair_bench.traces.faults import UsageError
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


def stored(directory: Path, **fields: Any) -> Path:
    """Write a run of two tasks with the arms `default` and `none`, whose first answers and first repairs fail."""
    experiment = settings.experiment({"models": "sim/one", "repair": {"feedback": ["default", "none"]}, **fields})
    conditions = {condition.name: condition.settings() for condition in experiment.conditions()}
    attempts = [
        attempt
        for task in ("01", "02")
        for arm in conditions
        for attempt in attempts_of("ww", f"{arm}-{task}", task_id=task, condition=arm)
    ]
    manifest: Any = {**experiment.settings(), "conditions": conditions, "prompts": {"version": prompts.VERSION}}
    return written(directory, attempts, Manifest({"experiment": manifest}))


def planned(directory: Path, suite: Suite, attempt: int = 0, **given: Any) -> list[str]:
    """Return the conditions of the episodes that a fork plans."""
    forked, source = forking.read(directory, None, attempt)
    experiment = settings.experiment(forking.settings_of(forked, source, given))
    made = episodes(experiment, [replace(suite, version="1.0")], source.paths, source.stated)
    assert len({episode.id for episode in made}) == len(made)
    return [episode.condition.name for episode in made]


def test_every_argument_names_exactly_one_failed_episode(tmp_path: Path) -> None:
    run = stored(tmp_path / "run")
    for wrong, count in (("default", 2), ("", 4), ("zzzz", 0)):
        with pytest.raises(UsageError, match=f"ids of {count} episodes that failed at attempt 0 begin with '{wrong}'"):
            forking.read(run, ("none-01", wrong), 0)
    _, source = forking.read(run, ("none-01", "default-02"), 1)
    assert [path[-1].episode for path in source.paths] == ["none-01", "default-02"]


def test_fork_keeps_the_failures_on_its_tasks(tmp_path: Path, suite: Suite) -> None:
    _, source = forking.read(stored(tmp_path / "run"), None, 0)
    one = source.chosen(settings.experiment({"only": {"aligned": ["02"]}}), [suite])
    assert {path[-1].task_id for path in one.paths} == {"02"}
    assert one.origin["paths"] == 2
    assert one.origin["digest"] != source.origin["digest"]
    with pytest.raises(UsageError, match="none of the failures is on a task of the fork"):
        source.chosen(settings.experiment({"frameworks": ["cirq"]}), [suite])


def test_an_arm_repairs_the_failures_of_one_arm(tmp_path: Path, suite: Suite) -> None:
    run = stored(tmp_path / "run")
    with pytest.raises(UsageError, match="default would repair failures of both default and none: choose the episodes"):
        planned(run, suite, attempt=1)
    one = stored(tmp_path / "one", repair={"feedback": "default"})
    assert planned(one, suite, attempt=1, repair={"feedback": ["default", "none"]}) == ["default", "none"] * 2


def test_settings_of_first_answers_apply_to_the_repairs_of_a_fork(tmp_path: Path, suite: Suite) -> None:
    one = stored(tmp_path / "one", repair={"feedback": "default"})
    for given in ({"prompt": {"max_completion_tokens": 2000}}, {"temperature": {"first": 0.5}}):
        assert planned(one, suite, **given) == ["default"] * 2
    assert planned(one, suite, tools={"python": [0, 2]}) == ["0-tries", "2-tries"] * 2
    with pytest.raises(UsageError, match="the failures are replies to another prompt"):
        planned(one, suite, prompt={"system": "minimal"})
    two = stored(tmp_path / "two", repair={"feedback": "default"}, tools={"python": [0, 2]})
    assert sorted(planned(two, suite)) == ["0-tries"] * 2 + ["2-tries"] * 2
    with pytest.raises(UsageError, match="4-tries would repair failures of both"):
        planned(two, suite, tools={"python": 4})


@pytest.mark.parametrize(
    ("given", "attempt", "says"),
    [
        ({"critic": {"model": "sim/expert"}}, 0, "the table `critic` has no effect"),
        ({"repair": {"command": "ruff"}}, 0, "repair.command has no effect"),
        ({"repair": {"restart": 5}}, 0, "repair.restart = 5 has no effect"),
        ({"names": {"sim/two": "Two"}}, 0, "names: 'sim/two' is not"),
        ({"providers": {"openai": {}}}, 0, "no model in the experiment uses providers.openai"),
        ({"max_attempts": 1}, 1, "no repair follows attempt 1: set --max-attempts above 1"),
    ],
)
def test_fork_refuses_settings_without_effect(tmp_path: Path, given: Any, attempt: int, says: str) -> None:
    with pytest.raises(UsageError, match=re.escape(says)):
        run_setup.fork(
            stored(tmp_path / "run"), None, attempt, given, out=tmp_path / "new", data=None, executor=ExecutorOptions()
        )


@pytest.mark.slow
@pytest.mark.usefixtures("lent")
def test_fork_of_fewer_tasks_with_another_limit_is_verified(cli: Callable[..., Done]) -> None:
    arms = ("--feedback", "critic", "--feedback", "none", "-c", "critic.model=sim/expert")
    assert cli("run", "--model", "sim/bernoulli?first=0&repair=0", "--out", "first", *arms, *SMALL).returncode == 0
    probed = cli("fork", "first", "--all", "-c", "repair.probe=true", "--out", "new")
    assert "repair.probe has no effect" in probed.stderr
    limits = ("-c", "limit=2", "--max-completion-tokens", "2000", "--max-tokens", "1000000")
    forked = cli("fork", "first", "--all", "--feedback", "verdict", *limits, "--out", "forked", "--json")
    assert forked.returncode == 0, forked.stderr
    manifest, attempts = load_run(Path("forked"))
    assert len(by_episode(attempts)) == manifest.origin["paths"] == 2
    assert cli("verify", "forked").returncode == 0
    assert cli("report", "first", "forked").returncode == 0
