"""Commands for record formats: export, schema."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Annotated

import typer

from repair_bench.cli.options import DataOption, stop
from repair_bench.cli.output import print_json, read_run, say_unused

_WIDTH = 100


def export(
    run_dir: Annotated[Path, typer.Argument(help="Directory of the run.")],
    format_: Annotated[
        str,
        typer.Option(
            "--format",
            help="parquet: nested columns. csv: flat, for spreadsheets. instances: CSV with one row per "
            "attempt and instance of the `horizon` suite. sft: conversations for training. dpo: preference pairs for "
            "training.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Output file, or output directory for sft and dpo. "
            "[RUN_DIR/attempts.parquet, attempts.csv, instances.csv, sft, dpo]"
        ),
    ] = None,
    data: DataOption = None,
) -> None:
    """Export a run for analysis tools or for training."""
    from repair_bench.report import exports

    if format_ in exports.FORMATS:
        run = read_run(run_dir)
        for path in exports.export(run, format_, run_dir, out):
            print(path)
        if not run.rows:
            print("No attempts have been recorded yet.")
        return

    from repair_bench.agent.training import examples
    from repair_bench.text import count

    if format_ not in examples.LAYOUTS:
        stop(f"unknown --format {format_!r}: choose from {', '.join([*exports.FORMATS, *examples.LAYOUTS])}")
    made = examples.write(read_run(run_dir), format_, out or run_dir / format_, data)
    say_unused(run_dir, data)
    for path in made.files:
        print(path)
    print(count(made.examples, "example"))
    if made.simulated:
        print(f"SIMULATED: {count(made.simulated, 'example')} from simulated models (see `source.simulated`)")
    if made.left_out:
        print("Omitted episodes:")
    for why, number in made.left_out.items():
        print(f"  {number:,} {why}")


def schema(
    record: Annotated[
        str, typer.Argument(help="experiment (the file passed to `run`) or attempt (one line of attempts.jsonl).")
    ] = "experiment",
    json_: Annotated[bool, typer.Option("--json", help="Print the JSON Schema.")] = False,
) -> None:
    """Describe every field of an experiment file or of a recorded attempt."""
    from repair_bench.agent.experiment.file import Experiment
    from repair_bench.traces.record.schema import attempt_schema
    from repair_bench.traces.record.schema.tables import tables

    schemas = {"experiment": Experiment.model_json_schema, "attempt": attempt_schema}
    if record not in schemas:
        stop(f"unknown schema {record!r}: choose from {', '.join(schemas)}")
    schema = schemas[record]()
    if json_:
        print_json(schema)
        return
    for title, description, fields in tables(schema, record):
        print(textwrap.fill(f"{title}: {description}", _WIDTH), end="\n\n")
        for field in fields:
            print(f"  {field.name}  ({field.type}{f'; {field.default}' if field.default is not None else ''})")
            if field.meaning:
                print(textwrap.indent(textwrap.fill(field.meaning, _WIDTH - 6, break_on_hyphens=False), " " * 6))
        print()
