"""Exporting a run to other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from repair_bench.cli.options import DataOption, stop
from repair_bench.cli.output import read_run, say_unused


def export(
    run_dir: Annotated[Path, typer.Argument(help="A run's directory.")],
    format_: Annotated[
        str,
        typer.Option(
            "--format",
            help="parquet (nested columns), csv (flat, for spreadsheets), inspect (logs for `inspect view`), or to "
            "train a model on its repairs: sft (conversations) or dpo (pairs).",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="File to write, for inspect, sft and dpo a directory. "
            "[RUN_DIR/attempts.parquet, attempts.csv, inspect, sft, dpo]"
        ),
    ] = None,
    data: DataOption = None,
) -> None:
    """Write a run in the format of another tool."""
    from repair_bench.report import exports

    if format_ not in exports.FORMATS:
        _export_examples(run_dir, format_, out or run_dir / format_, data)
        return
    run = read_run(run_dir)
    for path in exports.export(run, format_, run_dir, out):
        print(path)
    if not run.rows:
        print("no attempt is recorded yet")


def _export_examples(run_dir: Path, layout: str, out: Path, data: Path | None) -> None:
    from repair_bench.agent.training import examples
    from repair_bench.report import exports
    from repair_bench.text import count

    if layout not in examples.LAYOUTS:
        stop(f"no format is called {layout!r}: choose from {', '.join([*exports.FORMATS, *examples.LAYOUTS])}")
    made = examples.write(read_run(run_dir), layout, out, data)
    say_unused(run_dir, data)
    for path in made.files:
        print(path)
    print(count(made.examples, "example"))
    if made.simulated:
        print(f"SIMULATED: {count(made.simulated, 'example')} of simulated models; `source.simulated` marks them")
    if made.left_out:
        print("Left out, in episodes:")
    for why, number in made.left_out.items():
        print(f"  {number:,} {why}")
