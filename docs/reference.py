"""Makes the reference pages from the code when the documentation is built: commands, experiment file, record."""

from collections.abc import Iterator
from typing import Any

import typer
from mkdocs.structure.files import File, Files

from repair_bench.agent.experiment import Experiment
from repair_bench.cli import app
from repair_bench.traces.schema import attempt_schema


def on_files(files: Files, config: Any) -> Files:
    """Add one page for each of the three."""
    pages = {"commands": commands(), "experiment": experiment(), "record": record()}
    for name, text in pages.items():
        files.append(File.generated(config, f"reference/{name}.md", content=text))
    return files


def commands() -> str:
    """What `--help` says of every command."""
    group = typer.main.get_command(app)
    parts = [
        "# Commands\n",
        "Made from the program's own help. Exit codes: 0 done, 1 done with faults or episodes owed, 2 bad usage,",
        "130 interrupted and resumable.\n",
    ]
    for name, command in _leaves(group, "repair-bench"):
        text = command.get_help(typer.Context(command, info_name=name))
        parts.append(f"## {name}\n\n```text\n{text.strip()}\n```\n")
    return "\n".join(parts)


def experiment() -> str:
    """The fields of an experiment file, from its schema."""
    schema = Experiment.model_json_schema()
    intro = "TOML. Every field may be left out. `repair-bench schema` prints the same as JSON.\n"
    parts = ["# The experiment file\n", intro, _table("Top level", schema)]
    for name, part in schema["$defs"].items():
        if "properties" in part:
            parts.append(_table(name, part))
    return "\n".join(parts)


def record() -> str:
    """The fields of a line of `attempts.jsonl`, from its schema."""
    schema = attempt_schema()
    intro = "One line of `attempts.jsonl` is one attempt. `repair-bench schema attempt` prints the same as JSON.\n"
    parts = ["# The record\n", intro, _table("Attempt", schema)]
    for name, part in schema.get("$defs", {}).items():
        if "properties" in part:
            parts.append(_table(name, part))
    return "\n".join(parts)


def _leaves(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    for name, sub in getattr(command, "commands", {}).items():
        if hasattr(sub, "commands"):
            yield from _leaves(sub, f"{path} {name}")
        else:
            yield f"{path} {name}", sub


def _table(title: str, schema: dict[str, Any]) -> str:
    lines = [f"## {title}\n", f"{schema.get('description', '').strip()}\n", "| field | type | default | meaning |"]
    lines.append("| --- | --- | --- | --- |")
    for name, field in schema["properties"].items():
        meaning = " ".join(str(field.get("description", "")).split()).replace("|", "\\|")
        default = f"`{field['default']}`" if "default" in field else ""
        lines.append(f"| `{name}` | {_type(field)} | {default} | {meaning} |".replace("{{", "{ {"))
    return "\n".join(lines) + "\n"


def _type(field: dict[str, Any]) -> str:
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "enum" in field:
        return ", ".join(f"`{value}`" for value in field["enum"])
    for several in ("anyOf", "oneOf"):
        if several in field:
            return " or ".join(_type(one) for one in field[several])
    if field.get("type") == "array":
        return f"list of {_type(field['items'])}" if "items" in field else "list"
    return f"`{field['const']}`" if "const" in field else str(field.get("type", "any"))
