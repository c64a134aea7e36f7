"""The command `schema`."""

from __future__ import annotations

import textwrap
from typing import Annotated

import typer

from repair_bench.cli.options import stop
from repair_bench.cli.output import print_json

_WIDTH = 100


def schema(
    what: Annotated[
        str, typer.Argument(help="experiment (the file of `run`) or attempt (one line of attempts.jsonl).")
    ] = "experiment",
    json_: Annotated[bool, typer.Option("--json", help="Print the JSON Schema.")] = False,
) -> None:
    """Describe every field of an experiment file or of a recorded attempt."""
    from repair_bench.agent.experiment.file import Experiment
    from repair_bench.traces.record.schema import attempt_schema
    from repair_bench.traces.record.schema.tables import tables

    schemas = {"experiment": Experiment.model_json_schema, "attempt": attempt_schema}
    if what not in schemas:
        stop(f"unknown schema {what!r}: choose from {', '.join(schemas)}")
    schema = schemas[what]()
    if json_:
        print_json(schema)
        return
    for title, description, fields in tables(schema, what):
        print(textwrap.fill(f"{title}: {description}", _WIDTH), end="\n\n")
        for field in fields:
            print(f"  {field.name}  ({field.type}{f'; {field.default}' if field.default is not None else ''})")
            if field.meaning:
                print(textwrap.indent(textwrap.fill(field.meaning, _WIDTH - 6, break_on_hyphens=False), " " * 6))
        print()
