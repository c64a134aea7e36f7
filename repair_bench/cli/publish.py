"""Publishing runs, and checking what was published."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from repair_bench.cli.options import (
    DONE,
    FAULTS,
    DataOption,
    JsonOption,
    PythonOption,
    SandboxOption,
    WorkersOption,
    executor_options,
)
from repair_bench.cli.output import observed, print_json, say

if TYPE_CHECKING:
    from repair_bench.agent.studies.verifying import Source, Verified

MOST_SHOWN = 50
"""Findings of a run that are printed."""


def publish(
    run_dirs: Annotated[list[Path], typer.Argument(metavar="RUN_DIR...", help="A run's directory. Repeats.")],
    out: Annotated[Path, typer.Option(help="Folder of the site to make, or of one to make anew.")],
    author: Annotated[list[str] | None, typer.Option(help="Who is cited, as a name. Repeats.")] = None,
) -> None:
    """Write a site of one run or many, which needs no server: leaderboards, pages, records, a data card, checksums."""
    from repair_bench.agent.training.examples import CANARY
    from repair_bench.analysis.notices import count
    from repair_bench.report import site
    from repair_bench.suites.fetch import SOURCES

    licences = {**dict.fromkeys(("aligned", "conventions"), "Apache-2.0"), **{k: s.licence for k, s in SOURCES.items()}}
    made = site.publish(run_dirs, out, observe=observed, licences=licences, canary=CANARY, authors=author or ())
    print(made.index)
    print(f"{count(made.runs, 'run')}, {count(made.attempts, 'attempt')}, {made.bytes / 2**20:,.1f} MiB")


def verify(
    place: Annotated[Path, typer.Argument(metavar="SITE|RUN_DIR", help="A site that `publish` made, or a run.")],
    sample: Annotated[int, typer.Option(min=0, help="Answers of each run that are executed again.")] = 100,
    seed: Annotated[int, typer.Option(help="Another one draws other answers.")] = 0,
    all_: Annotated[bool, typer.Option("--all", help="Execute every answer again.")] = False,
    data: DataOption = None,
    python: PythonOption = None,
    workers: WorkersOption = None,
    require_sandbox: SandboxOption = "best",
    json_: JsonOption = False,
) -> None:
    """Say which verdicts stand: what is recorded twice must agree, and drawn answers are executed again."""
    from repair_bench.agent.studies import verifying
    from repair_bench.traces.printable import printable

    options = replace(executor_options(workers, python, require_sandbox), private=(place.absolute(),))
    changed, sources = _sources(place)
    for source in sources:
        say(source.manifest.unused(data, options.pythons))
    found = [
        verifying.verify(source, sample=None if all_ else sample, seed=seed, data=data, executor=options)
        for source in sources
    ]
    if json_:
        print_json({"files": changed, "runs": [{**asdict(one), "stands": one.stands} for one in found]})
    else:
        for line in [*changed, *(line for one in found for line in _lines(one))]:
            print(printable(line))
    raise typer.Exit(FAULTS if changed or not all(one.stands for one in found) else DONE)


def _sources(place: Path) -> tuple[list[str], list[Source]]:
    """What of a site's files is not as it was published, and its runs; of a run's directory nothing and the run."""
    from repair_bench.agent.studies.verifying import Source
    from repair_bench.analysis.notices import count
    from repair_bench.report.site import layout, record
    from repair_bench.traces.checksums import differences
    from repair_bench.traces.manifest import Manifest
    from repair_bench.traces.rows import load_rows
    from repair_bench.traces.store import COMPLETIONS

    if not layout.is_site(place):
        run = load_rows(place)
        say(run.notes)
        name = run.manifest.name or place.name
        return [], [Source(name, run.manifest, lambda: ((r.whole(), True) for r in run.rows), place / COMPLETIONS)]
    changed = differences(place)
    sources = []
    for folder in layout.folders_of(place):
        inside = place / layout.RUNS / folder
        records = functools.partial(record.read_record, inside)
        sources.append(Source(folder, Manifest.read(inside), records))
        if missing := record.missing(inside):
            changed.append(f"{folder}: {count(missing, 'attempt')} of the record missing")
    return changed, sources


def _lines(found: Verified) -> Iterator[str]:
    from repair_bench.analysis.notices import count

    shown = [*found.contradictions, *found.differ]
    for one in shown[:MOST_SHOWN]:
        yield f"{found.run}: attempt {one.attempt} of episode {one.episode}: {one.what}"
    if len(shown) > MOST_SHOWN:
        yield f"{found.run}: and {len(shown) - MOST_SHOWN:,} more; --json has all"
    for reason, n in found.unjudged.items():
        yield f"{found.run}: {count(n, 'answer')} cannot be judged here: {reason}"
    yield (
        f"{found.run}: {count(found.attempts, 'attempt')}, {found.compared:,} of them held against their task, "
        f"{count(len(found.contradictions), 'contradiction')}; of {found.drawn:,} of "
        f"{count(found.answers, 'answer')} executed again {count(found.stand, 'verdict')} stand, "
        f"{len(found.differ):,} differ, {sum(found.unjudged.values()):,} cannot be judged here"
    )
