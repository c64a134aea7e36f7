"""Write the generated part of the documentation into `docs/reference/`: three pages and two JSON Schemas."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import typer

from repair_bench.agent.experiment.file import Experiment
from repair_bench.cli import app
from repair_bench.traces.record.records import SCHEMA
from repair_bench.traces.record.schema import attempt_schema
from repair_bench.traces.record.schema.tables import Field, tables

FOLDER = Path(__file__).parent / "reference"


def write() -> None:
    """Write the three pages and the two schemas. The address of the record's schema contains its format number."""
    FOLDER.mkdir(exist_ok=True)
    files = {
        "commands.md": commands(),
        "experiment.md": experiment(),
        "record.md": record(),
        "experiment.schema.json": json.dumps(Experiment.model_json_schema(), indent=1),
        f"attempt-{SCHEMA}.schema.json": json.dumps(attempt_schema(), indent=1),
    }
    for name, text in files.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


def commands() -> str:
    """Return the `--help` of every command, including hidden options."""
    group = typer.main.get_command(app)
    parts = [
        "# Commands\n",
        "The help of every command. Exit codes: 0 finished, 1 finished with infrastructure errors or pending episodes,",
        "2 usage error, 130 interrupted (resumable).\n",
    ]
    for name, command in _leaves(group, "repair-bench"):
        for option in command.params:
            option.hidden = False
        text = command.get_help(typer.Context(command, info_name=name))
        parts.append(f"## {name}\n\n```text\n{text.strip()}\n```\n")
    return "\n".join(parts)


def experiment() -> str:
    """Return the fields of an experiment file, from its schema."""
    intro = (
        "TOML. All fields are optional. `repair-bench schema` prints the same, with `--json` as "
        "[JSON Schema](experiment.schema.json).\n"
    )
    return _page("The experiment file", intro, tables(Experiment.model_json_schema(), "Top level"))


def record() -> str:
    """Return the fields of a line of `attempts.jsonl`, from its schema."""
    intro = (
        f"One line of `attempts.jsonl` is one attempt, in format {SCHEMA}. `repair-bench schema attempt` prints "
        f"the same, with `--json` as [JSON Schema](attempt-{SCHEMA}.schema.json).\n"
    )
    return _page("The record", intro, tables(attempt_schema(), "Attempt"))


def _leaves(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    for name, sub in getattr(command, "commands", {}).items():
        if hasattr(sub, "commands"):
            yield from _leaves(sub, f"{path} {name}")
        else:
            yield f"{path} {name}", sub


def _page(title: str, intro: str, parts: Iterable[tuple[str, str, list[Field]]]) -> str:
    found = list(parts)
    titles = {part for part, _, _ in found}
    return "\n".join([f"# {title}\n", intro, *(_table(*part, titles) for part in found)])


def _table(title: str, description: str, fields: list[Field], titles: set[str]) -> str:
    lines = [f"## {title}\n", f"{description}\n", "| field | type | default | meaning |", "| --- | --- | --- | --- |"]
    for field in fields:
        kind = " ".join(f"[{word}](#{word.lower()})" if word in titles else word for word in field.type.split(" "))
        default = f"`{field.default}`" if field.default is not None else ""
        cells = (f"`{field.name}`", kind, default, field.meaning.replace("|", "\\|"))
        lines.append(f"| {' | '.join(cells)} |".replace("{{", "{ {"))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    write()
