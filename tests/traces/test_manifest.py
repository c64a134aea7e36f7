import json
from pathlib import Path

import pytest

from repair_bench.agent.experiment.file import Experiment
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.manifest_fields import ExperimentFields, Fields, ResourceFields

STORED = Path(__file__).parents[1] / "stored_runs"

LATER = {
    "name": "é",
    "later": {"key": [1, None]},
    "experiment": {"max_attempts": 2, "new": 1.0},
    "data": None,
    "episodes": 3,
}
"""A manifest of a newer version: unknown keys, another order, and missing keys."""


def test_manifest_round_trips_byte_for_byte(tmp_path):
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    (tmp_path / "old" / "run.json").write_text(json.dumps(LATER, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    Manifest.read(tmp_path / "old").write(tmp_path / "new")
    assert (tmp_path / "new" / "run.json").read_bytes() == (tmp_path / "old" / "run.json").read_bytes()
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["run.json"]


@pytest.mark.parametrize("run", ["aligned", "arms", "faults"])
def test_stored_manifest_round_trips_and_its_keys_are_declared(run, tmp_path):
    manifest = Manifest.read(STORED / run)
    manifest.write(tmp_path)
    assert json.loads((tmp_path / "run.json").read_bytes()) == json.loads((STORED / run / "run.json").read_bytes())
    assert (tmp_path / "run.json").read_bytes() == (STORED / run / "run.json").read_bytes()
    assert set(manifest.stated) <= set(Fields.__annotations__)
    assert set(manifest.experiment) <= set(ExperimentFields.__annotations__)
    assert set(manifest.resources) <= set(ResourceFields.__annotations__)


def test_manifest_declares_all_fields_of_an_experiment():
    resolved = {"conditions", "asked_with", "prompts", "suite_contents", "limits", "versions", "origin"}
    stated = [name for name, field in Experiment.model_fields.items() if not field.exclude]
    assert stated == [name for name in ExperimentFields.__annotations__ if name not in resolved]
    assert set(Experiment().settings()) == {*stated}
    names = {"sim/journeyman": "J"}
    sending = Experiment(models=["sim/journeyman"], telemetry={"otlp": "http://127.0.0.1:4318"}, names=names)
    assert [*sending.resources()] == [*ResourceFields.__annotations__]


def test_derived_manifest_keeps_the_order_of_keys():
    first = Manifest.from_json(LATER)
    made = first.without("data").replaced(nodes=[], name="two")
    assert list(made.stated) == ["name", "later", "experiment", "episodes", "nodes"]
    assert made.stated == {
        **{key: LATER[key] for key in ("later", "experiment", "episodes")},
        "name": "two",
        "nodes": [],
    }
    assert first.stated == LATER


@pytest.mark.parametrize("stated", [{}, dict.fromkeys(LATER), {"experiment": {"origin": None, "conditions": None}}])
def test_missing_fields_are_none_or_empty(stated):
    manifest = Manifest.from_json(stated)
    nothing = (manifest.name, manifest.created_at, manifest.repairs, manifest.episodes, manifest.shard)
    assert set(nothing) == {None}
    for empty in (
        manifest.conditions,
        manifest.suite_contents,
        manifest.versions,
        manifest.origin,
        manifest.resources,
        manifest.platform,
        manifest.sandbox,
        manifest.simulated,
        manifest.doubted,
        manifest.excluded,
        manifest.exclusions,
    ):
        assert not empty
    assert not manifest.is_regrade
    assert not manifest.is_simulated("a")


def test_simulated_models_are_read():
    named = Manifest({"experiment": {"models": ["a", "b"]}, "simulated": ["b"]})
    assert named.simulated == ["b"]
    assert [named.is_simulated(model) for model in ("a", "b")] == [False, True]


def test_labels_are_read():
    made = Manifest.from_json({"labels": {"weak": [["aligned", "01"]], "wrong": []}})
    assert made.labelled("wrong") == []
    assert made.doubted == {("aligned", "01"): ("weak",)}
