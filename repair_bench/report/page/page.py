"""The page of a run: settings, figures, tables and episodes in one file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, TextIO

from repair_bench._version import __version__
from repair_bench.analysis.feedback_use.use import Observed
from repair_bench.report import plots, sections
from repair_bench.report.page import episodes, facts, figures, names
from repair_bench.report.page.document import document
from repair_bench.report.sections import comparison, published
from repair_bench.report.sections.base import OptionalTables, RunData
from repair_bench.traces.files.atomic_file import write_whole
from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.run.manifest import Manifest

_STYLES = ("theme", "layout", "tables", "heatmap", "viewer", "code")
_SCRIPTS = (
    "dom",
    "data",
    "address",
    "classes",
    "theme",
    "sorting",
    "heatmap",
    "filters",
    "list",
    "diff",
    "highlight",
    "code",
    "verdict",
    "episode",
    "keyboard",
    "refresh",
    "main",
)
"""The scripts of the page, in the order in which they are concatenated. They share one scope."""


@dataclass(frozen=True)
class PageOptions:
    """Optional parts of a page.

    `certificate`: the audit of the suite under the rule of the run, as JSON data. `paper`: the name of the paper whose
    published results are shown next to the results of the run. `comparison`: the result of
    `analysis.comparison.compare`. `observed`: the episodes as the ideal observer sees them. `refresh`: the number of
    seconds after which the page of an active run reloads. `home`: the URL of the page that lists the runs. `kinds`:
    kinds of plots. `texts`: the number of episodes whose texts are included. None means all.
    """

    certificate: Mapping[str, Any] | None = None
    paper: str | None = None
    comparison: Mapping[str, Any] | None = None
    observed: Sequence[Observed] = ()
    refresh: int | None = None
    home: str | None = None
    kinds: Sequence[str] | None = None
    texts: int | None = None


_NOTHING_MORE = PageOptions()


def write(
    manifest: Manifest,
    attempts: Sequence[Recorded],
    path: Path,
    notes: Sequence[str] = (),
    extra: PageOptions = _NOTHING_MORE,
) -> RunData:
    """Write the page of a run atomically, and return the run's data with printable names.

    `notes`: sentences about the files of the run. Raises UsageError if the page cannot be written, or if the audit in
    `extra` is for a different suite or rule.
    """
    attempts = [names.plainly_named(a) for a in attempts]
    run = sections.run_data(names.plainly_stated(manifest), attempts, names.plain(extra.certificate), extra.observed)
    write_whole(path, _page(run, notes, extra))
    return run


def _page(run: RunData, notes: Sequence[str], extra: PageOptions) -> Iterator[str]:
    """Yield the document in pieces, because the whole document may not fit into memory."""
    with (
        figures.in_background(run.manifest, run.attempts, extra.observed, extra.kinds) as drawing,
        TemporaryFile("w+") as file,
    ):
        values = _values(run, notes, extra)
        blocks = _spooled(episodes.blocks(run.manifest, run.attempts, extra.observed, extra.texts), file)
        values["figures"], values["undrawn"] = drawing()
        yield from document("page.html.j2", _STYLES, _SCRIPTS, **values, blocks=blocks)


def _spooled(blocks: Iterable[tuple[str, str]], file: TextIO) -> Iterator[tuple[str, str]]:
    """Build all blocks of the page immediately. Store the blocks in a file until they are read."""
    sizes = [(name, file.write(content)) for name, content in blocks]
    file.seek(0)
    return ((name, file.read(size)) for name, size in sizes)


def _values(run: RunData, notes: Sequence[str], extra: PageOptions) -> dict[str, Any]:
    """Return the variables of the page's template, except figures and texts."""
    manifest, attempts = run.manifest, run.attempts
    optional: list[OptionalTables] = []
    if extra.comparison is not None:
        optional.append(comparison.shown(names.plain(dict(extra.comparison))))
    if extra.paper is not None:
        optional.append(published.published(extra.paper, manifest, attempts).shown())
    notices = [*run.summary["notices"], *(notice for part in optional for notice in part.notices)]
    first, *others = sections.SUMMARY
    planned = {"effects"} if manifest.planned else set()  # a planned analysis comes before all others
    later = {name: place for name, place in sections.SECTIONS.items() if name not in planned}
    return {
        "version": __version__,
        "notices": [*dict.fromkeys(notices), *names.plain(list(notes))],
        "note": run.summary["note"],
        "title": manifest.name or "run",
        "counts": facts.counts(manifest, attempts, run.summary),
        "facts": facts.settings(manifest, attempts),
        "conditions": facts.conditions(manifest),
        "experiment": json.dumps(manifest.experiment, indent=1),
        "first": sections.tables(
            run, {**{name: sections.SECTIONS[name] for name in planned}, first: sections.SUMMARY[first]}
        ),
        "tables": {
            **{name: table for part in optional for name, table in part.tables.items()},
            **sections.tables(run, {name: sections.SUMMARY[name] for name in others}),
            **sections.tables(run, {**sections.ON_PAGE, **later}),
        },
        "first_figures": plots.AFTER_RUN,
        "refresh": extra.refresh,
        "home": extra.home,
    }
