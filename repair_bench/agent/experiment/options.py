"""Command-line options for fields of the experiment; other fields are set by `-c PATH=VALUE`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from repair_bench.agent.experiment.fields import Declared, declared


@dataclass(frozen=True)
class FieldOption:
    """An option that sets the field at `path`. `everyday`: `run --help` shows it."""

    path: str
    flag: str
    everyday: bool
    field: Declared


def field_option(path: str, flag: str | None = None, *, everyday: bool = False) -> FieldOption:
    """Return an option with the field's type, default and help. `flag`: None for the field's name, as in `--limit`."""
    own = path.rpartition(".")[2].replace("_", "-")
    return FieldOption(path, flag or f"--{own}", everyday, declared(path))


OPTIONS = (
    field_option("models", "--model", everyday=True),
    field_option("suites", "--suite", everyday=True),
    field_option("frameworks", "--framework", everyday=True),
    field_option("limit", everyday=True),
    field_option("samples", everyday=True),
    field_option("max_attempts", everyday=True),
    field_option("repair.feedback", everyday=True),
    field_option("prompt.max_completion_tokens"),
    field_option("temperature.first", "--temperature"),
    field_option("rule"),
    field_option("require_sealed"),
    field_option("budget.max_cost", everyday=True),
    field_option("budget.max_tokens"),
    field_option("api_base", everyday=True),
    field_option("protocol", everyday=True),
)


def options(*paths: str) -> tuple[FieldOption, ...]:
    """Return the options of these fields, all shown in the command's help."""
    by_path = {option.path: option for option in OPTIONS}
    return tuple(replace(by_path[path], everyday=True) for path in paths)


def flag_of(path: str) -> str | None:
    """Return the option that sets a field or a part of it, if any."""
    return next((option.flag for option in OPTIONS if f"{path}.".startswith(f"{option.path}.")), None)
