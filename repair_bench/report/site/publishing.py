"""Making a site: the runs, each in a process of its own where there are several, then what is said of all of them."""

from __future__ import annotations

import dataclasses
import gc
import json
import multiprocessing
import os
import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import repair_bench
from repair_bench.analysis.leaderboard import boards
from repair_bench.report.page.document import document
from repair_bench.report.site import card, layout
from repair_bench.report.site.boards import curves, doubts, table
from repair_bench.report.site.run import Observe, PublishedRun, publish_run
from repair_bench.report.table import Cell, Count, Table, Text
from repair_bench.traces.checksums import SUMS, read_sums, write_sums
from repair_bench.traces.faults import UsageError
from repair_bench.traces.manifest import Manifest
from repair_bench.traces.whole_file import write_whole

_STYLES = ("theme", "layout", "tables", "index")
_SCRIPTS = ("dom", "address", "theme", "sorting", "index")


@dataclass(frozen=True)
class Published:
    """What was written: the page to open, and how much there is of it."""

    index: Path
    runs: int
    attempts: int
    bytes: int


def publish(
    directories: Sequence[Path],
    out: Path,
    *,
    observe: Observe,
    licences: Mapping[str, str],
    canary: str,
    authors: Sequence[str] = (),
) -> Published:
    """Write the site of some runs, whole or not at all; an earlier site at `out` is replaced.

    `observe`: what the ideal observer sees of a run; a function of a module, since other processes call it.
    `licences`: of the suites' tasks, by suite. `canary`: a line that marks data of a benchmark. `authors`: of the
    citation. Raises UsageError where a run cannot be read, is given twice, or `out` holds anything but a site;
    TraceError for a run that is damaged.
    """
    if len({directory.resolve() for directory in directories}) < len(directories):
        raise UsageError("a run is given twice")
    names = layout.folders([Manifest.read(one).name or one.resolve().name for one in directories])
    _check_free(out)
    made = out.with_name(f".{out.name}.{os.getpid()}.new")
    try:
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(parents=True)
        runs = _runs(directories, names, made / layout.RUNS, observe)
        _write_index(runs, made)
        write_whole(made / layout.CARD, [card.card(runs, licences, canary)])
        write_whole(made / layout.CITATION, [card.citation(runs, authors)])
        write_sums(made)
        if out.exists():
            shutil.rmtree(out)
        made.replace(out)
    except OSError as error:
        raise UsageError(f"{error.filename or out} cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(made, ignore_errors=True)
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    return Published(out / layout.INDEX, len(runs), sum(run.attempts for run in runs), size)


def _check_free(out: Path) -> None:
    """Raise UsageError where `out` holds what is no part of a site that was made here."""
    if not out.exists():
        return
    if not out.is_dir():
        raise UsageError(f"{out} is a file: give --out a folder")
    there = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    ours = {*read_sums(out), SUMS} if layout.is_site(out) and (out / SUMS).is_file() else set()
    if others := sorted(there - ours):
        raise UsageError(f"{out} holds other files ({others[0]}): give --out a new folder, or that of a site")


def _runs(directories: Sequence[Path], names: Sequence[str], place: Path, observe: Observe) -> list[PublishedRun]:
    calls = [(directory, name, place / name, observe) for directory, name in zip(directories, names, strict=True)]
    workers = min(len(calls), os.cpu_count() or 1)
    if workers == 1:
        return [publish_run(*call) for call in calls]
    spawn = multiprocessing.get_context("spawn")
    # what a run is made of lives until its page is written: looking for garbage among it is a tenth of the time
    with ProcessPoolExecutor(workers, spawn, gc.set_threshold, (100_000,)) as pool:
        return list(pool.map(publish_run, *zip(*calls, strict=True)))


def _write_index(runs: Sequence[PublishedRun], place: Path) -> None:
    found = boards(standing for run in runs for standing in run.standings)
    marks = {run.folder: run.marks for run in runs}
    shown = [
        {"board": board, "table": table(board, marks), "figure": curves(board, number), "doubts": doubts(board)}
        for number, board in enumerate(found)
    ]
    parts = document(
        "index.html.j2",
        _STYLES,
        _SCRIPTS,
        version=repair_bench.__version__,
        boards=shown,
        suites=list(dict.fromkeys(board.suite for board in found)),
        rules=list(dict.fromkeys(board.rule for board in found)),
        runs=Table.of("", [{"run": run} for run in runs], lambda row: _cells(row["run"])),
        notices={run.folder: run.notices for run in runs if run.notices},
        sums=SUMS,
    )
    write_whole(place / layout.INDEX, parts)
    data = {
        "format": layout.FORMAT,
        "repair_bench": repair_bench.__version__,
        "runs": [{"folder": run.folder, "attempts": run.attempts, "episodes": run.episodes} for run in runs],
        "standings": [dataclasses.asdict(standing) for run in runs for standing in run.standings],
    }
    write_whole(place / layout.SITE, [json.dumps(data, indent=1), "\n"])


def _cells(run: PublishedRun) -> Mapping[str, Cell]:
    return {
        "run": Text(run.folder, "heading", run.marks, address=f"{layout.RUNS}/{run.folder}/{layout.INDEX}"),
        "begun": Text(run.begun[:10], "text"),
        "models": Text(", ".join(run.models), "text"),
        "suites": Text(", ".join(run.suites), "text"),
        "episodes": Count(run.episodes),
        "attempts": Count(run.attempts),
        "record": Text("Parquet", "text", address=f"{layout.RUNS}/{run.folder}/{layout.RECORD}"),
    }
