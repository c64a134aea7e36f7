"""Shards: the division of episodes, and the merge of shards."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import exit_code
from timeless import timeless_attempts

from repair_bench.agent.experiment.file import Experiment, Repair
from repair_bench.agent.studies.sharding import Shard
from repair_bench.suites.task import Suite
from repair_bench.traces.faults import UsageError
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.study_lock import StudyLock


@pytest.mark.parametrize("text", ["0/3", "4/3", "3", "1/0", "-1/3", "1/3 ", "a/b", ""])
def test_directory_that_is_not_a_shard_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--shard"):
        Shard.parse(text)


@pytest.mark.parametrize("of", [1, 2, 5, 7, pytest.param(1000, marks=pytest.mark.slow)])
def test_shards_partition_episodes_evenly_by_first_attempt(suite: Suite, of: int) -> None:
    experiment = Experiment(models=("sim/novice", "sim/expert"), repair=Repair(feedback=("default", "none")), limit=9)
    episodes = experiment.episodes([suite])
    parts = [Shard(number, of).part(episodes) for number in range(1, of + 1)]
    assert sorted(e.id for part in parts for e in part) == sorted(e.id for e in episodes)
    roots = [{e.root for e in part} for part in parts]
    assert sum(map(len, roots)) == len(set.union(*roots))
    assert max(map(len, roots)) - min(map(len, roots)) <= 1
    assert parts == [Shard(number, of).part(episodes) for number in range(1, of + 1)]


def test_a_shard_has_its_share_of_each_framework(suite: Suite) -> None:
    episodes = Experiment(samples=10).episodes([suite])
    for number in (1, 2, 3):
        shares = Counter(e.task.framework for e in Shard(number, 3).part(episodes))
        assert min(shares.values()) > 0.7 * max(shares.values())


RUN = ("run", "--framework", "qiskit", "--limit", "4", "--max-attempts", "1", "--model", "sim/novice", "--workers", "2",
       "--feedback", "default", "--feedback", "none", "--json")  # fmt: skip


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], lent: None
) -> Callable[..., tuple[int, str, str]]:
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str, str]:
        capfd.readouterr()
        return exit_code(*arguments), *capfd.readouterr()

    return run


@pytest.mark.slow
def test_merged_shards_equal_the_complete_run(command) -> None:
    assert command(*RUN, "--out", "whole")[0] == 0
    for number in (1, 2, 3):
        assert command(*RUN, "--shard", f"{number}/3", "--out", f"s{number}")[0] == 0
    code, out, errors = command("merge", "s2", "s1", "s3", "--out", "merged", "--json")
    assert (code, errors) == (0, "")
    merged, whole = (json.loads(Path(name, "run.json").read_text()) for name in ("merged", "whole"))
    assert json.loads(out)["missing"] == []
    assert timeless_attempts("merged") == timeless_attempts("whole")
    assert merged["experiment"] == whole["experiment"]
    assert merged["episodes"] == whole["episodes"] == 8
    assert "shard" not in merged
    assert [one["number"] for one in merged["merged"]["shards"]] == [1, 2, 3]
    keys = [json.loads(line)["key"] for line in Path("merged", "completions.jsonl").read_text().splitlines()
            if '"completion"' in line]  # fmt: skip
    assert len(keys) == len(set(keys))
    assert StudyLock.read(Path("merged")) == StudyLock.read(Path("whole")) is not None
    before = Path("merged", "attempts.jsonl").read_bytes()
    code, out, _ = command("run", "--resume", "merged", "--json")  # nothing is pending, so no request is sent
    assert code == 0
    assert Path("merged", "attempts.jsonl").read_bytes() == before


@pytest.mark.slow
def test_partial_merge_is_noted_and_completed_by_resuming(command) -> None:
    command(*RUN, "--out", "whole")
    command(*RUN, "--shard", "1/2", "--out", "s1")
    shutil.copytree("s1", "copy")
    code, out, errors = command("merge", "s1", "copy", "--out", "part", "--json")
    assert code == 0
    assert json.loads(out)["missing"] == [2]
    assert "PARTIAL" in errors
    assert "Ignored a duplicate" in errors
    assert timeless_attempts("part") == timeless_attempts("s1")
    assert "PARTIAL" in command("report", "part")[1]
    assert command("run", "--resume", "part", "--json")[0] == 0
    assert timeless_attempts("part") == timeless_attempts("whole")


@pytest.mark.slow
def test_resumed_shard_keeps_its_number(command) -> None:
    command(*RUN, "--shard", "2/2", "--out", "s2")
    lines = Path("s2", "attempts.jsonl").read_text().splitlines(keepends=True)
    Path("s2", "attempts.jsonl").write_text("".join(lines[:-2]) + lines[-2][:40])
    assert command("run", "--resume", "s2", "--shard", "2/2", "--json")[0] == 0
    assert len(timeless_attempts("s2")) == len(lines)
    code, _, errors = command("run", "--resume", "s2", "--shard", "1/2", "--json")
    assert (code, "is shard 2/2" in errors) == (2, True)
    assert Path("s2", "attempts.jsonl").read_text().count("\n") == len(lines)


@pytest.mark.slow
def test_more_shards_than_episodes_leave_some_empty(command) -> None:
    small = (*RUN, "--limit", "1")
    codes = [command(*small, "--shard", f"{number}/2", "--out", f"s{number}")[0] for number in (1, 2)]
    assert codes == [0, 0]
    assert command("merge", "s1", "s2", "--out", "merged")[0] == 0
    assert json.loads(Path("merged", "run.json").read_text())["episodes"] == 2


STUDY = """
models = ["sim/novice"]
frameworks = ["qiskit"]
limit = 4
max_attempts = 1
"""
PAGE = Path(__file__).parents[3] / "docs" / "cluster.md"


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., None]:
    """Run a script of the page in a folder with an experiment."""
    (tmp_path / "study.toml").write_text(STUDY)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"

    def run(text: str, **variables: str) -> None:
        environment = {**os.environ, "PATH": path, **variables}
        subprocess.run(
            ["bash", "-ec", text], cwd=tmp_path, env=environment, check=True, capture_output=True, timeout=300
        )

    return run


def shown(language: str) -> str:
    (text,) = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return text


@pytest.mark.slow
def test_the_slurm_array_of_the_docs_runs_and_is_merged(command, script) -> None:
    for task in ("1", "2", "1"):  # the last one resumes the run
        script(shown("bash"), SLURM_ARRAY_TASK_ID=task, SLURM_ARRAY_TASK_COUNT="2", SLURM_CPUS_PER_TASK="2")
    code, out, _ = command("merge", "shards/1", "shards/2", "--out", "runs/study", "--json")
    assert (code, json.loads(out)["missing"]) == (0, [])
    assert len(timeless_attempts("runs/study")) >= 4


@pytest.mark.slow
def test_the_kubernetes_job_of_the_docs_takes_every_shard(script, tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is absent")
    spec = yaml.safe_load(shown("yaml"))["spec"]
    assert spec["completionMode"] == "Indexed"
    (container,) = spec["template"]["spec"]["containers"]
    (text,) = container["args"]
    script(text, JOB_COMPLETION_INDEX=str(spec["completions"] - 1))
    manifest = json.loads((tmp_path / "shards" / str(spec["completions"]) / "run.json").read_text())
    assert manifest["shard"]["number"] == manifest["shard"]["of"] == spec["completions"]


@pytest.fixture
def shards(tmp_path: Path) -> Path:
    """Two of three shards, written by hand."""
    for number in (1, 2):
        directory = tmp_path / f"s{number}"
        directory.mkdir()
        manifest = {
            "name": directory.name,
            "experiment": {"models": ["m"], "seed": 0, "max_attempts": 0},
            "excluded": [],
            "episodes": 1,
            "sandbox": {"qiskit": {"seccomp": "on" if number == 1 else "refused"}},
            "shard": {"number": number, "of": 3, "episodes_in_all": 3},
        }
        (directory / "run.json").write_text(json.dumps(manifest))
        (directory / "attempts.jsonl").write_text('{"a": 1}\n{"torn')
        (directory / "completions.jsonl").write_text('{"event": "request", "key": "k"}\n')
    return tmp_path


def change(directory: Path, **fields: object) -> None:
    manifest = json.loads((directory / "run.json").read_text())
    (directory / "run.json").write_text(json.dumps({**manifest, **fields}))


def test_merge_takes_complete_lines_and_common_layers(command, shards: Path) -> None:
    code, said, errors = command("merge", "s1", "s2", "--out", "merged", "--json")
    assert (code, errors.split(". ")[0]) == (0, "PARTIAL: missing shards: 3/3")
    assert [json.loads(said)[name] for name in ("attempts", "missing", "episodes")] == [2, [3], 3]
    assert (shards / "merged" / "attempts.jsonl").read_text() == '{"a": 1}\n{"a": 1}\n'
    merged = json.loads((shards / "merged" / "run.json").read_text())
    assert merged["sandbox"] == {"qiskit": {"seccomp": "refused"}}
    assert merged["episodes"] == 3
    assert (shards / "s1" / "attempts.jsonl").read_text().endswith("torn")


def test_merge_keeps_batches_and_adds_budgets(command, shards: Path) -> None:
    for number in (1, 2):
        change(shards / f"s{number}", resources={"budget": {"max_cost": 2.5 * number, "max_tokens": None}})
        (shards / f"s{number}" / "batches.jsonl").write_text(f'{{"event": "prepared", "id": "b{number}"}}\n')
    assert command("merge", "s1", "s2", "--out", "merged")[0] == 0
    lines = (shards / "merged" / "batches.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["b1", "b2"]
    merged = json.loads((shards / "merged" / "run.json").read_text())
    assert merged["resources"]["budget"] == {"max_cost": 7.5, "max_tokens": None}


@pytest.mark.slow
def test_shards_of_one_study_have_one_lock(command, shards: Path) -> None:
    def lock(number: int, level: float) -> None:
        made = StudyLock.of({}, conditions={}, suites={}, experiment={}, analysis={"level": level})
        made.write(shards / f"s{number}")

    lock(1, 0.05)
    assert "different study.lock" in command("merge", "s1", "s2", "--out", "merged")[2]
    lock(2, 0.01)
    assert "different study.lock" in command("merge", "s1", "s2", "--out", "merged")[2]
    lock(2, 0.05)
    assert command("merge", "s1", "s2", "--out", "merged")[0] == 0
    assert StudyLock.read(shards / "merged") == StudyLock.read(shards / "s1")


def test_merging_shards_of_other_experiments_writes_nothing(command, shards: Path) -> None:
    change(shards / "s2", experiment={"models": ["other"], "seed": 0, "max_attempts": 0})
    code, _, errors = command("merge", "s1", "s2", "--out", "merged")
    assert code == 2
    assert 'experiment.models[0]: "m" -> "other"' in errors
    change(shards / "s2", experiment={"models": ["m"], "seed": 0, "max_attempts": 0}, shard=None)
    assert "not a shard" in command("merge", "s1", "s2", "--out", "merged")[2]
    change(shards / "s2", shard={"number": 2, "of": 4, "episodes_in_all": 3})
    assert "of: 3 -> 4" in command("merge", "s1", "s2", "--out", "merged")[2]
    assert sorted(path.name for path in shards.iterdir()) == ["s1", "s2"]


def test_shards_may_differ_in_versions_irrelevant_to_verdicts(command, shards: Path) -> None:
    def begun_with(directory: Path, qiskit: str, **others: str) -> None:
        versions = {"qiskit": {"qiskit": qiskit, **others}}
        change(directory, experiment={"models": ["m"], "seed": 0, "max_attempts": 0, "versions": versions})

    begun_with(shards / "s1", "2.6.2")
    begun_with(shards / "s2", "2.7.0", matplotlib="3.11.2")
    code, _, errors = command("merge", "s1", "s2", "--out", "merged")
    assert (code, "qiskit 2.6.2 -> 2.7.0" in errors) == (2, True)
    begun_with(shards / "s2", "2.6.2", matplotlib="3.11.2")
    accepted = {"at": "2026", "changed": {"versions.qiskit.numpy": ["1", "2"]}, "accepted": ["versions.qiskit.numpy"]}
    change(shards / "s2", resumed=[accepted])
    code, _, errors = command("merge", "s1", "s2", "--out", "merged")
    assert (code, "matplotlib absent -> 3.11.2 (qiskit)" in errors) == (0, True)
    merged = Manifest.read(shards / "merged")
    assert merged.versions == {"qiskit": {"qiskit": "2.6.2"}}
    assert merged.accepted == ["numpy 1 -> 2 (qiskit)"]
    assert [s["versions"]["qiskit"].get("matplotlib") for s in merged.stated["merged"]["shards"]] == [None, "3.11.2"]


def test_merge_does_not_change_a_non_empty_directory(command, shards: Path) -> None:
    assert command("merge", "s1", "s2", "--out", "s1")[0] == 2
    assert "already contains a run" in command("merge", "s1", "--out", "s2")[2]


def test_shards_are_not_merged_into_the_working_directory(command, shards: Path, monkeypatch) -> None:
    (shards / "empty").mkdir()
    monkeypatch.chdir(shards / "empty")
    code, _, errors = command("merge", "../s1", "../s2", "--out", ".")
    assert (code, "choose a new path as --out" in errors) == (2, True)
    assert list(Path().iterdir()) == []
