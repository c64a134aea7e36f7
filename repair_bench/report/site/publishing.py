"""Publish a site: first the runs (in parallel processes), then the index, the data card, and the citation."""

from __future__ import annotations

import dataclasses
import gc
import json
import multiprocessing
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from repair_bench._version import __version__
from repair_bench.analysis.comparing.leaderboard import boards
from repair_bench.report.page.document import document
from repair_bench.report.site import card, layout
from repair_bench.report.site.boards import curves, doubts, table
from repair_bench.report.site.run import Observe, PublishedRun, publish_page, publish_record
from repair_bench.report.table import Cell, Count, Table, Text
from repair_bench.traces.faults import UsageError
from repair_bench.traces.files.atomic_file import sibling, write_whole
from repair_bench.traces.files.checksums import SIGNATURE, SUMS, read_sums, write_sums

_STYLES = ("theme", "layout", "tables", "index")
T = TypeVar("T")
_SCRIPTS = ("dom", "address", "theme", "sorting", "index")


@dataclass(frozen=True)
class Texts:
    """Data that the pages and the data card need, but that the records do not contain.

    `observe`: a function that returns the episodes as the ideal observer sees them. The function must be importable,
    because other processes call it. `licences`: the licence of each suite's tasks. `canary`: a line that marks test
    data.
    """

    observe: Observe
    licences: Mapping[str, str]
    canary: str


@dataclass(frozen=True)
class Published:
    """The path of a published site's index page, and the numbers of runs, attempts and bytes in the site."""

    index: Path
    runs: int
    attempts: int
    bytes: int


def publish(
    directories: Sequence[Path],
    out: Path,
    *,
    texts: Texts,
    authors: Sequence[str] = (),
    sign: Callable[[Path], None] | None = None,
) -> Published:
    """Write a site for a set of runs atomically. An existing site at `out` is replaced.

    `authors`: for the citation. `sign`: a function that signs the checksums of a folder. Raises UsageError if a run
    cannot be read or is passed twice, or if `out` contains other files. Raises TraceError if a run is damaged.
    """
    if len({directory.resolve() for directory in directories}) < len(directories):
        raise UsageError("The same run is listed twice. Pass each run once.")
    names = layout.folders([one.resolve().name for one in directories])
    _check_free(out)
    made = sibling(out, f".{out.name}.{os.getpid()}.new")
    try:
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(parents=True)
        places = [made / layout.RUNS / name for name in names]
        notes = _each(publish_record, directories, names, places)
        runs = _write_pages(made, names, notes, texts, authors)
        write_sums(made)
        if sign is not None:
            sign(made)
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
    """Raise UsageError if `out` contains any file that does not belong to a site."""
    if not out.exists():
        return
    if not out.is_dir():
        raise UsageError(f"{out} is a file. Pass a folder as --out.")
    ours = {*read_sums(out), SUMS, SIGNATURE} if layout.is_site(out) and (out / SUMS).is_file() else set()
    if others := sorted(_files(out) - ours):
        raise UsageError(f"{out} contains other files ({others[0]}). Pass a new folder or an existing site as --out.")


def _files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def rebuild(site: Path, *, texts: Texts) -> tuple[list[str], str]:
    """Rebuild a site, and compare its files with the rebuilt files.

    Returns one sentence per file that differs, or the reason why a comparison is impossible. Raises UsageError if a
    record cannot be read.
    """
    data, names = layout.stated(site), layout.folders_of(site)
    notes, authors = [run.get("notes", []) for run in data["runs"]], data.get("authors", [])
    if data.get("made_with") != _made_with():
        made_with = ", ".join(f"{name} {version}" for name, version in (data.get("made_with") or {}).items())
        return [], f"the pages were generated with different package versions ({made_with or 'not stated'})"
    kept = {f"{layout.RUNS}/{name}/{file}" for name in names for file in layout.KEPT}
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder)
        for file in sorted(kept):
            if (site / file).is_file():
                (made / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(site / file, made / file)
        _write_pages(made, names, notes, texts, authors)
        here, there = _files(made), _files(site)
        wrong = [f"{name}: missing" for name in sorted(here - there)]
        wrong += [
            f"{name}: the file differs from the page rebuilt from the records"
            for name in sorted(here & there - kept)
            if (made / name).read_bytes() != (site / name).read_bytes()
        ]
        wrong += [f"{name}: the file is not part of a site" for name in sorted(there - here - {SUMS, SIGNATURE})]
    return wrong, ""


def _write_pages(
    made: Path, names: Sequence[str], notes: Sequence[Sequence[str]], texts: Texts, authors: Sequence[str]
) -> list[PublishedRun]:
    places = [made / layout.RUNS / name for name in names]
    runs = _each(publish_page, names, places, notes, [texts.observe] * len(names))
    _write_index(runs, made, authors)
    write_whole(made / layout.CARD, [card.card(runs, texts.licences, texts.canary)])
    write_whole(made / layout.BENCHMARK, [card.benchmark(runs)])
    write_whole(made / layout.CITATION, [card.citation(runs, authors)])
    return runs


def _each(function: Callable[..., T], *arguments: Sequence[Any]) -> list[T]:
    """Call a function once per run and return all results. Several runs are processed in parallel."""
    calls = list(zip(*arguments, strict=True))
    workers = min(len(calls), os.cpu_count() or 1)
    if workers <= 1:
        return [function(*call) for call in calls]
    spawn = multiprocessing.get_context("spawn")
    # a run's data is needed until its page is written; frequent garbage collection would cost a tenth of the time
    with ProcessPoolExecutor(workers, spawn, gc.set_threshold, (100_000,)) as pool:
        return list(pool.map(function, *arguments))


def _made_with() -> dict[str, str]:
    """Return the versions of the packages that affect the exact content of a page."""
    return {"repair-bench": __version__, **{name: version(name) for name in ("matplotlib", "numpy")}}


def _write_index(runs: Sequence[PublishedRun], place: Path, authors: Sequence[str]) -> None:
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
        version=__version__,
        boards=shown,
        simulated=any(simulated for run in runs for simulated in run.models.values()),
        suites=list(dict.fromkeys(board.suite for board in found)),
        rules=list(dict.fromkeys(board.rule for board in found)),
        runs=Table.of("", runs, _cells),
        notices={run.folder: run.notices for run in runs if run.notices},
        sums=SUMS,
    )
    write_whole(place / layout.INDEX, parts)
    data = {
        "format": layout.FORMAT,
        "made_with": _made_with(),
        "authors": list(authors),
        "runs": [
            {"folder": run.folder, "attempts": run.attempts, "episodes": run.episodes, "notes": run.notes}
            for run in runs
        ],
        "standings": [dataclasses.asdict(standing) for run in runs for standing in run.standings],
    }
    write_whole(place / layout.SITE, [json.dumps(data, indent=1), "\n"])


def _cells(run: PublishedRun) -> Mapping[str, Cell]:
    return {
        "run": Text(run.folder, "heading", run.marks, address=f"{layout.RUNS}/{run.folder}/{layout.INDEX}"),
        "started": Text(run.started[:10], "text"),
        "models": Text(", ".join(run.models), "text"),
        "suites": Text(", ".join(run.suites), "text"),
        "episodes": Count(run.episodes),
        "attempts": Count(run.attempts),
        "record": Text("Parquet", "text", address=f"{layout.RUNS}/{run.folder}/{layout.RECORD}"),
    }
