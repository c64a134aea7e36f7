"""Watching a run."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Annotated

import typer

from repair_bench.cli.options import EveryOption

SHARE = 0.008
"""Of one core's time that watching takes at most, once it has read what is there."""


def watch(
    run_dir: Annotated[Path, typer.Argument(metavar="RUN_DIR", help="A run's directory; it may begin later.")],
    *,
    once: Annotated[bool, typer.Option("--once", help="Print how it stands now, and leave.")] = False,
    every: EveryOption = 2.0,
) -> None:
    """Show how a run stands while another process writes it: rates so far, faults, waits, spend, time left.

    It reads the files alone, so that any run can be watched from any terminal. It ends when every episode is done;
    Ctrl-C ends the watch and not the run.
    """
    import math
    from functools import partial

    from repair_bench.report import terminal, watching
    from repair_bench.traces.run.manifest import Manifest

    if once:
        Manifest.read(run_dir)  # says so where there is none
        watched = next(watching.looks(run_dir, watching.Pace(every, SHARE), math.inf))
        terminal.show(watching.frame(watched, terminal.width()))
        return
    os.nice(19)
    with contextlib.suppress(KeyboardInterrupt), terminal.live() as draw:
        for watched in watching.looks(run_dir, watching.Pace(every, SHARE), watching.FIRST_LOOK_SECONDS):
            draw(partial(watching.frame, watched))
