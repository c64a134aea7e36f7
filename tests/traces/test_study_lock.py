"""`study.lock`: deterministic, atomic, and compared with the run and its changes."""

import json
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from repair_bench.traces.faults import UsageError
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.manifest_fields import ExperimentFields
from repair_bench.traces.run.store import RunStore
from repair_bench.traces.run.study_lock import STUDY_LOCK, Comparison, StudyLock

ASKED = Comparison("condition", "aligned", "sim/one", "none", "default", 5)
EXPERIMENT: ExperimentFields = {"rule": "exact", "suite_contents": {"aligned": ["1", "abc"]}}
LOCK = StudyLock.of(
    {ASKED: 10}, conditions={}, suites={"aligned": ("1", "abc")}, experiment={"rule": "exact"}, analysis={"level": 0.05}
)


def begun(directory: Path) -> Path:
    RunStore.create(directory, Manifest({"experiment": EXPERIMENT}), LOCK)
    return directory


def test_lock_round_trips(tmp_path: Path) -> None:
    LOCK.write(tmp_path)
    found = StudyLock.read(tmp_path)
    assert found == LOCK
    assert found.comparisons == {ASKED: 10}
    assert json.loads((tmp_path / STUDY_LOCK).read_text())["sha256"] == LOCK.hash
    assert StudyLock.read(tmp_path / "elsewhere") is None


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [('"none"', '"verdict"', "was changed"), ('"k": 5', '"k": 1', "was changed"), ("{", "", "cannot be read"),
     ('"sha256"', '"md5"', "cannot be read"), ('"k"', '"n"', "cannot be read"), ('"pairs"', '"n"', "cannot be read"),
     ('"pairs": 10', '"pairs": 6', "was changed")],
)  # fmt: skip
def test_changed_lock_is_detected(tmp_path: Path, old: str, new: str, why: str) -> None:
    LOCK.write(tmp_path)
    path = tmp_path / STUDY_LOCK
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(UsageError, match=why):
        StudyLock.read(tmp_path)


def test_swapped_comparison_is_planned(tmp_path: Path) -> None:
    manifest = Manifest.read(begun(tmp_path / "run"))
    assert manifest.exploratory(ASKED, 10) is False
    assert manifest.exploratory(ASKED.swapped, 10) is False
    assert manifest.exploratory(replace(ASKED, k=1), 10) is True
    assert manifest.replaced(name="other").without("name").of_part().exploratory(ASKED, 10) is False
    assert manifest.of_choice().exploratory(ASKED, 10) is True
    assert "planned" not in manifest.stated


@pytest.mark.parametrize("pairs", [0, 6, 9, 11])
def test_another_number_of_pairs_was_not_planned(tmp_path: Path, pairs: int) -> None:
    manifest = Manifest.read(begun(tmp_path / "run"))
    assert manifest.exploratory(ASKED, pairs) is True
    assert manifest.exploratory(ASKED.swapped, pairs) is True
    assert manifest.of_part().exploratory(ASKED, pairs) is True


def test_plan_of_a_run_without_a_lock_is_unknown(tmp_path: Path) -> None:
    directory = begun(tmp_path / "run")
    (directory / STUDY_LOCK).unlink()
    manifest = Manifest.read(directory)
    assert manifest.exploratory(ASKED, 10) is None
    assert manifest.of_choice().exploratory(ASKED, 10) is None


@pytest.mark.parametrize("name", ["rule", "suite_contents"])
def test_regrade_by_other_rules_was_not_planned(tmp_path: Path, name: str) -> None:
    directory = begun(tmp_path / "run")
    other: ExperimentFields = {"rule": "semantic", "suite_contents": {"aligned": ["2", "def"]}}
    Manifest({"experiment": cast(ExperimentFields, {**EXPERIMENT, name: other[name]})}).write(directory)  # type: ignore[literal-required]
    assert Manifest.read(directory).exploratory(ASKED, 10) is True


def test_run_killed_before_its_manifest_can_be_started_again(tmp_path: Path) -> None:
    LOCK.write(tmp_path)
    RunStore.check_free(tmp_path)
    (tmp_path / "mine.txt").touch()
    with pytest.raises(UsageError, match="other files"):
        RunStore.check_free(tmp_path)
