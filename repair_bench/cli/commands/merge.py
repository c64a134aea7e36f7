"""Joining the shards of an experiment."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from repair_bench.cli.options import JsonOption
from repair_bench.cli.output import print_json, say


def merge(
    run_dirs: Annotated[list[Path], typer.Argument(metavar="RUN_DIR...", help="Runs made with --shard.")],
    out: Annotated[Path, typer.Option(help="Directory to make.")],
    json_: JsonOption = False,
) -> None:
    """Join the shards of an experiment into one run. They are left as they are."""
    from repair_bench.agent.studies import merging

    done = merging.merge(run_dirs, out)
    if json_:
        print_json(done)
    else:
        print(f"{len(done['shards'])} of {done['of']} shards, {done['attempts']:,} attempts: {out}")
    say(done["differs"])
    for directory in done["left_out"]:
        print(f"left out, as the shard was given twice: {directory}", file=sys.stderr)
    if done["missing"]:
        missing = ", ".join(f"{number}/{done['of']}" for number in done["missing"])
        print(
            f"PARTIAL: shards missing: {missing}. Merge all into another --out when they are there, or make up for "
            f"them with: repair-bench run --resume {out}",
            file=sys.stderr,
        )
