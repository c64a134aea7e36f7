"""Settings that are not taken from a record on resume: addresses, keys, interpreters, directories."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from repair_bench.agent.experiment.given_again import check_given_again
from repair_bench.agent.experiment.settings import read
from repair_bench.testing.made_up_runs import attempt, written
from repair_bench.traces.faults import UsageError
from repair_bench.traces.run.manifest import Manifest

HOUSE = "http://127.0.0.1:9/v1"
NAMES = {
    "api_base": ({"api_base": HOUSE}, {}, "--api-base http://127.0.0.1:9/v1"),
    "an address of a provider": ({}, {"openai": {"api_base": HOUSE}}, "providers.*openai.*127.0.0.1:9"),
    "a key": ({}, {"openai": {"api_key_env": "AWS_SECRET_ACCESS_KEY"}}, "AWS_SECRET_ACCESS_KEY"),
    "a parameter": ({}, {"openai": {"parameters": {"base_url": HOUSE}}}, "base_url"),
    "a price": ({}, {"openai": {"input_price": 0, "output_price": 0}}, "input_price"),
    "a directory that is written": ({"models": ["manual/../../home"]}, {}, "--model manual/../../home"),
    "a directory that is read": ({"models": ["replay//etc"]}, {}, "--model replay//etc"),
    "an address in a name": ({"models": ["huggingface/https://x.example/m"]}, {}, "--model huggingface/https://x"),
    "a name after a space": ({"models": [" manual/x"]}, {}, "manual/x"),
    "a directory of a critic": ({"critic": {"model": "manual/a b"}}, {}, "-c 'critic.model=manual/a b'$"),
}


@pytest.mark.parametrize("name", NAMES)
def test_settings_not_taken_from_a_record_are_named(name: str) -> None:
    experiment, providers, says = NAMES[name]
    stored = Manifest.from_json({"experiment": experiment, "resources": {"providers": providers}})
    models = stored.experiment.get("models", ["openai/gpt-4.1"])
    with pytest.raises(UsageError, match=says) as caught:
        check_given_again(Path("run"), stored, {}, models)
    assert "\n" not in str(caught.value)
    given: dict[str, Any] = {"api_base": HOUSE, "models": models, "providers": {"openai": {"concurrency": 1}}}
    given["critic"] = {"model": "self"}
    check_given_again(Path("run"), stored, given, models)


def test_plain_run_needs_only_its_address_again() -> None:
    stored = Manifest.from_json({"experiment": {"models": ["openai/gpt-4.1", "sim/novice"], "api_base": None}})
    check_given_again(Path("run"), stored, {}, ["openai/gpt-4.1", "sim/novice"])
    stored.experiment["api_base"] = HOUSE
    with pytest.raises(UsageError, match="--api-base"):
        check_given_again(Path("run"), stored, {}, ["openai/gpt-4.1", "sim/novice"])


@pytest.mark.parametrize(
    "text",
    [
        'pythons.qiskit = "./python"',
        'api_base = "http://127.0.0.1:9/v1"',
        '[providers.openai]\napi_base = "http://127.0.0.1:9/v1"',
        'telemetry.otlp = "http://127.0.0.1:9"',
        'models = ["manual/../../x"]',
        'models = "replay/x"',
        '[[prompt]]\nsystem_text_file = "/etc/hostname"',
        '[prompt]\ntask_template_file = "../../x"',
    ],
)
def test_experiment_file_in_a_run_is_not_trusted(tmp_path: Path, text: str) -> None:
    directory = written(tmp_path / "run", [attempt("p")])
    (directory / "experiment.toml").write_text(text)
    with pytest.raises(UsageError, match="belongs to a run"):
        read(directory / "experiment.toml")
    shutil.copy(directory / "experiment.toml", tmp_path)
    if "_file" not in text:
        assert read(tmp_path / "experiment.toml")
