"""The settings of an experiment: protocols, files, overrides and options, in this order."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from experiment_options import by_path

from repair_bench import suites
from repair_bench.agent.experiment import settings
from repair_bench.agent.experiment.file import Experiment
from repair_bench.coroutines import run_to_end
from repair_bench.suites.task import Suite
from repair_bench.traces.faults import UsageError

FILE = """
models = ["openai/gpt-4.1", "sim/novice"]
samples = 3

[prompt]
few_shot = [0, 3]
system_text_file = "own.txt"

[repair]
feedback = ["default", "verdict"]

[temperature]
repairs = {start = 0.2, step = 0.3, most = 0.7}

[providers.openai]
requests_per_minute = 60

[budget]
max_cost = 5.0
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "own.txt").write_text("Answer in Python.\n")
    (tmp_path / "study.toml").write_text(FILE)
    return tmp_path / "study.toml"


def made(file: Path | None = None, *, overrides=(), **flags: object) -> Experiment:
    return settings.experiment(settings.collect(file, overrides, by_path(flags)))


def test_file_defines_a_complete_experiment(file: Path) -> None:
    experiment = made(file)
    assert experiment.models == ("openai/gpt-4.1", "sim/novice")
    names = [condition.name for condition in experiment.conditions()]
    assert names == ["0-shot+default", "0-shot+verdict", "3-shot+default", "3-shot+verdict"]
    condition = experiment.conditions()[0]
    assert condition.system_text == "Answer in Python."
    assert [condition.temperature(k) for k in range(5)] == [0.0, 0.2, 0.5, 0.7, 0.7]
    assert experiment.providers["openai"].requests_per_minute == 60
    assert experiment.budget.max_cost == 5.0


def test_options_override_overrides_and_both_override_the_file(file: Path) -> None:
    experiment = made(
        file,
        overrides=["samples=2", "repair.history=last", "temperature.repairs=[0.1, 0.9]", "models=sim/expert"],
        samples=7,
        feedback=["none"],
    )
    assert (experiment.samples, experiment.models) == (7, ("sim/expert",))
    assert experiment.repair.history == ("last",)
    assert experiment.repair.feedback == ("none",)
    assert [experiment.conditions()[0].temperature(k) for k in range(4)] == [0.0, 0.1, 0.9, 0.9]


def test_an_override_may_quote_a_name_with_dots() -> None:
    experiment = made(overrides=['providers."openai/gpt-4.1".temperature=1'])
    assert experiment.providers["openai/gpt-4.1"].temperature == 1.0


def test_override_applies_to_each_prompt_of_a_list() -> None:
    experiment = made(protocol="quantum-katas", max_completion_tokens=100)
    assert len(experiment.prompt) == 7
    assert {prompt.max_completion_tokens for prompt in experiment.prompt} == {100}


def test_temperature_can_be_the_providers_default() -> None:
    condition = made(overrides=["temperature.first=provider", "temperature.repairs=provider"]).conditions()[0]
    assert condition.temperature(0) is condition.temperature(3) is None


def test_experiment_file_of_a_run_is_the_same_experiment(file: Path, tmp_path: Path) -> None:
    for experiment in (Experiment(), made(file), *(made(protocol=name) for name in settings.protocols())):
        kept = tmp_path / "kept.toml"
        kept.write_text(settings.written(experiment))
        assert made(kept) == experiment


def test_protocols_have_the_published_settings() -> None:
    paper, released = made(protocol="quanbench-plus-paper"), made(protocol="quanbench-plus-released")
    assert (paper.max_attempts, released.max_attempts) == (5, 4)
    assert [paper.conditions()[0].temperature(k) for k in (0, 1)] == [0.0, 0.8]
    assert [released.conditions()[0].temperature(k) for k in (0, 1)] == [0.8, 0.8]
    assert (paper.rule, released.rule) == ("paper", "released")
    names = [condition.name for condition in made(protocol="quantum-katas").conditions()]
    assert names == ["default", "minimal", "detailed", "1-shot", "3-shot", "5-shot", "chain_of_thought"]


def test_given_settings_override_those_of_the_protocol(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text('protocol = "quanbench-plus-paper"\nmax_attempts = 2\nsamples = 3\n')
    assert made(overrides=['protocol="quantum-katas"']) == made(protocol="quantum-katas")
    assert made(tmp_path / "study.toml", max_attempts=1).repair.feedback == ("function",)
    for experiment in (
        made(tmp_path / "study.toml", protocol="quanbench-plus-released"),
        made(tmp_path / "study.toml", overrides=["protocol=quanbench-plus-released"]),
    ):
        assert (experiment.rule, experiment.max_attempts, experiment.samples) == ("released", 2, 3)


def test_condition_names_list_non_default_settings() -> None:
    assert [c.name for c in made(feedback=["verdict"]).conditions()] == ["verdict"]
    assert [c.name for c in made(starter=False).conditions()] == ["no-starter"]
    names = [c.name for c in made(overrides=["prompt.starter=[true, false]"]).conditions()]
    assert names == ["starter", "no-starter"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("models = ", "is not TOML"),
        ("colour = 1", "no field 'colour'"),
        ("[prompt]\ncolour = 1", "prompt.colour"),
        ("samples = 0", "--samples 0"),
        ('[repair]\nfeedback = "nonesuch"', "nonesuch"),
        ('[repair]\nhistory = "none"', "repair.history 'none'"),
        ("[prompt]\nfew_shot = 2", "prompt.few_shot"),
        ('[prompt]\nsystem_text_file = "nowhere.txt"', "nowhere.txt"),
        ('[prompt]\ntask_template = "{{ promt }}"', "promt"),
        ("[temperature]\nrepairs = []", "empty"),
        ('protocol = "nonesuch"', "nonesuch"),
        ("[[prompt]]\n[[prompt]]\nsystem_text = 'x'", "set a different `name`"),
        ("[providers.openai]\napi_key = 'sk-1'", "no field"),
        ("[providers.openai.parameters]\napi_key = 'sk-1'", "put the key in an environment variable"),
        ("[providers.openai]\napi_key_env = 'sk-1'", "providers.openai.api_key_env"),
        ("[budget]\nmax_cost = -1", "--max-cost"),
    ],
)
def test_unusable_file_is_reported_in_one_line(content: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(content)
    with pytest.raises(UsageError, match=says.replace("[", r"\[")) as refusal:
        made(tmp_path / "bad.toml")
    assert "\n" not in str(refusal.value)
    assert "sk-1" not in str(refusal.value)


@pytest.mark.parametrize("text", ["samples", "=3", "a b=3"])
def test_unreadable_override_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"path\.to\.field=value"):
        made(overrides=[text])


def test_every_field_of_the_schema_is_documented() -> None:
    schema = Experiment.model_json_schema()
    parts = {name: part for name, part in schema["$defs"].items() if name != "Ramp"}  # documented as a whole
    for owner, part in {"experiment": schema, **parts}.items():
        for name, field in part.get("properties", {}).items():
            assert "description" in field or "$ref" in field, f"{owner}.{name}"


@pytest.mark.parametrize(
    "text",
    [
        f"samples = {10**23}",
        f"samples = 0x{'f' * 10_000}",
        f"samples = {'9' * 10_000}",
        "samples = inf",
        f"max_attempts = {10**23}",
        f"seed = {10**23}",
        f"limit = {10**23}",
        "[temperature]\nfirst = inf",
        "[temperature]\nfirst = nan",
        "[temperature]\nrepairs = [0.1, inf]",
        "[temperature]\nrepairs = {start = inf, step = 0.1}",
        "[temperature]\nrepairs = {start = nan, step = 0.1}",
        "[temperature]\nrepairs = {start = 0.1, step = -inf}",
        "[temperature]\nrepairs = {start = 0.1, step = 0.1, most = inf}",
        "[budget]\nmax_cost = inf",
        "[budget]\nmax_cost = nan",
        f"[budget]\nmax_tokens = {10**30}",
        f"[prompt]\nmax_completion_tokens = {10**30}",
        "[providers.openai]\nrequests_per_minute = inf",
        "[providers.openai]\ntimeout_seconds = inf",
        "[providers.openai]\nretry_for_seconds = inf",
        "[providers.openai]\ntemperature = nan",
        f"[providers.openai]\nconcurrency = {10**30}",
        "[providers.openai]\nparameters = {top_p = nan}",
        "[providers.openai]\nparameters = {since = 2026-01-01}",
        f"a = {'[' * 100_000}",
        f"a = {'{a=' * 5_000}",
        f"{'a.' * 5_000}b = 1",
        f"[{'a.' * 5_000}b]",
        "a = [[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]",
        'suites = "\x1b[2J"',
    ],
    ids=lambda text: text[:50].replace("\n", " "),
)
def test_invalid_setting_is_refused_in_one_short_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "odd.toml").write_text(text)
    with pytest.raises(UsageError) as refused:
        made(tmp_path / "odd.toml")
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 300 + len(str(tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("text", [f"samples={'9' * 5_000}", f"a={'[' * 5_000}", f"{'a.' * 5_000}b=1", "samples=1e999"])
def test_invalid_override_is_refused_in_one_short_line(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        made(overrides=[text])
    assert len(str(refused.value)) < 300


def test_too_many_episodes_are_refused_before_they_are_planned() -> None:
    suite = run_to_end(suites.load("aligned"))
    with pytest.raises(UsageError, match="reduce --samples"):
        made(samples=1_000_000).episodes([suite])


DEPARTURES = {
    "quanbench-plus-paper": (
        "seed of the shots",
        "reference distribution is exact",
        "even after an exception",
        "Table 1",
    ),
    "quanbench-plus-released": ("seed of the shots", "exact distribution", "sleeping programs", "separate process"),
    "qiskit-humaneval": ("CPU seconds", "Qiskit 1.0", "the test runs in a separate process"),
    "quantum-katas": ("CPU time", "up to 2.3", "200 characters", "Table 7"),
}


@pytest.mark.parametrize(("name", "declared"), DEPARTURES.items())
def test_protocol_declares_each_known_departure(name: str, declared: tuple[str, ...]) -> None:
    assert set(settings.protocols()) == set(DEPARTURES)
    text = settings.protocols()[name].read_text()
    assert "# As in the" in text
    departures = text[text.index("# Differences, with reasons") : text.index("\nsuites =")]
    for words in (*declared, "the installed versions are used"):
        assert words in departures, words
    experiment = made(protocol=name)
    assert experiment.protocol == name
    assert experiment.conditions()[0].starter


def test_only_selects_tasks_of_the_named_suites(suite: Suite) -> None:
    other = replace(suite, name="other", tasks=tuple(replace(task, suite="other") for task in suite.tasks))
    fields = {"suites": [suite.name, "other"], "frameworks": ["qiskit"], "only": {suite.name: ["04", "02"]}}
    chosen = settings.experiment(fields).tasks([suite, other])
    ids = {task.id for task in suite.tasks if task.framework == "qiskit"}
    assert [task.id for task in chosen if task.suite == suite.name] == ["02", "04"]
    assert len(chosen) == 2 + len(ids)
    for only, said in [
        ({suite.name: ["02", "2"]}, f"`only` names the task 2, which {suite.name} does not have"),
        ({"aligne": ["02"]}, "`only` names the suite aligne, which is not in `suites`"),
    ]:
        with pytest.raises(UsageError, match=re.escape(said)):
            settings.experiment({**fields, "only": only}).tasks([suite, other])


@pytest.mark.parametrize("field", ["models", "suites", "frameworks"])
def test_a_name_listed_twice_is_refused(field: str) -> None:
    name = {"models": "sim/novice", "suites": "aligned", "frameworks": "qiskit"}[field]
    with pytest.raises(UsageError, match=f"the {field[:-1]} {name} is listed twice: list it once"):
        settings.experiment({field: [name, name]})
