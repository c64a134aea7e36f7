"""Exporting a run to other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from repair_bench.cli.output import read_run


def export(
    run_dir: Annotated[Path, typer.Argument(help="A run's directory.")],
    format_: Annotated[
        str,
        typer.Option(
            "--format",
            help="parquet (nested columns), csv (flat, for spreadsheets) or inspect (logs for `inspect view`).",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="File to write, for inspect a directory. [RUN_DIR/attempts.parquet, attempts.csv, inspect]"),
    ] = None,
) -> None:
    """Write a run in the format of another tool."""
    from repair_bench.report import exports

    run = read_run(run_dir)
    for path in exports.export(run, format_, run_dir, out):
        print(path)
    if not run.rows:
        print("no attempt is recorded yet")
