"""An option of `run` is a field of the experiment, and is written in one line."""

import json
import re
import typing
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from repair_bench.agent.experiment import settings
from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.experiment.options import OPTIONS, FieldOption, declared, field_option
from repair_bench.cli import app
from repair_bench.cli.commands.run import loading
from repair_bench.cli.options import takes_fields

FLAGS = """
--model --suite --framework --max-attempts --samples --limit --feedback --rule --require-sealed --temperature
--max-completion-tokens
--max-cost --max-tokens --api-base --protocol -c --plan --data --out --concurrency --workers --python --require-sandbox
--backend --ray-address --shard --resume --preflight --no-preflight --accept-versions --full --pilot --rates --json
--log-level
"""
FORK_FLAGS = """
--all --attempt --model --feedback --max-attempts --max-completion-tokens --max-cost --max-tokens --api-base -c
--data --out --concurrency --workers --python --require-sandbox --preflight --no-preflight --json --log-level
"""


def flags(command: str) -> dict[str, bool]:
    """Return every flag of a command, and whether its help shows it."""
    parameters = typer.main.get_command(app).commands[command].params
    return {
        flag: not getattr(parameter, "hidden", False)
        for parameter in parameters
        for flag in [*parameter.opts, *parameter.secondary_opts]
        if flag.startswith("-")
    }


def pydantic_field(path: str) -> Any:
    model, *names = Experiment, *path.split(".")
    for name in names[:-1]:
        annotation = model.model_fields[name].annotation
        model = annotation if isinstance(annotation, type) else typing.get_args(annotation)[0]
    return model.model_fields[names[-1]]


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.path)
def test_options_match_the_pydantic_fields(option: FieldOption) -> None:
    field, read = pydantic_field(option.path), option.field
    assert read.description == " ".join(field.description.split())
    default = field.get_default(call_default_factory=True)
    assert read.default == default or (read.default is None and option.path == "frameworks")
    assert read.is_list == isinstance(default, tuple)
    value = default[0] if isinstance(default, tuple) else default
    assert value is None or type(value) is read.kind


def test_option_without_a_field_is_refused() -> None:
    with pytest.raises(KeyError):
        field_option("repair.nonesuch")


def test_option_is_in_help_experiment_and_schema() -> None:
    toy_list = (
        field_option("prompt.system_text", everyday=True),
    )  # fmt: skip
    toy = typer.Typer(rich_markup_mode=None)

    @toy.command()
    @takes_fields(toy_list)
    def run(*, fields: dict[str, Any]) -> None:
        made = settings.experiment(settings.collect(None, (), fields))
        typer.echo(json.dumps(made.prompt[0].system_text))

    shown = " ".join(CliRunner().invoke(toy, ["--help"]).stdout.split())
    assert "--system-text <str> Custom system prompt, sent verbatim" in shown
    assert json.loads(CliRunner().invoke(toy, ["--system-text", "Be brief."]).stdout) == "Be brief."
    assert json.loads(CliRunner().invoke(toy, []).stdout) is None
    schema = Experiment.model_json_schema()["$defs"]["Prompt"]["properties"]["system_text"]
    assert " ".join(schema["description"].split()) == toy_list[0].field.description


def test_option_values_reach_their_fields() -> None:
    given: dict[str, Any] = {}
    toy = typer.Typer()

    @toy.command()
    @takes_fields(OPTIONS)
    def run(*, fields: dict[str, Any]) -> None:
        given.update(fields)

    words = "--model a --model b --require-sealed --temperature 0.5 --limit 2"
    assert CliRunner().invoke(toy, words.split()).exit_code == 0
    assert given == {
        "models": ["a", "b"],
        "require_sealed": True,
        "temperature.first": 0.5,
        "limit": 2,
    }
    given.clear()
    assert CliRunner().invoke(toy, []).exit_code == 0
    assert given == {}
    assert CliRunner().invoke(toy, ["--limit", "many"]).exit_code == 2
    assert CliRunner().invoke(toy, ["--temperature", "provider"]).exit_code == 0
    assert given == {"temperature.first": "provider"}
    refused = CliRunner().invoke(toy, ["--temperature", "hot"])
    assert (refused.exit_code, "'hot' is neither a number nor provider" in refused.output) == (2, True)


@pytest.mark.parametrize(("command", "expected"), [("run", FLAGS), ("fork", FORK_FLAGS)])
def test_commands_have_the_expected_flags(command: str, expected: str) -> None:
    assert set(flags(command)) - {"--help", "-h"} == set(expected.split())


def test_run_help_shows_common_options_only() -> None:
    shown = [flag for flag, is_shown in flags("run").items() if is_shown]
    assert 12 <= len(shown) <= 18
    assert {"--model", "--suite", "--max-attempts", "--feedback", "--out", "--resume", "-c"} <= set(shown)
    text = CliRunner().invoke(app, ["run", "--help"]).stdout
    assert "-c PATH=VALUE sets any field" in " ".join(text.split())
    assert "--ray-address" not in text


def test_fork_help_shows_its_fields_with_the_runs_defaults() -> None:
    text = " ".join(CliRunner().invoke(app, ["fork", "--help"]).stdout.split())
    assert all(is_shown for is_shown in flags("fork").values())
    assert text.count("[the run's]") == 3
    assert declared("repair.feedback").description in text
    assert not re.search(r"--feedback [^-]*\[default\]", text)


def test_ctrl_c_while_loading_prints_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as end, loading(quiet=False):
        raise KeyboardInterrupt
    assert end.value.exit_code == 130
    assert capsys.readouterr().err == "repair-bench: interrupted while loading; no request was sent\n"
