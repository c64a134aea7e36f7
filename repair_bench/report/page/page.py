"""The page of a run: what was run, figures, tables and episodes in one file."""

from __future__ import annotations

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
"""One concept a file. They are joined in this order and share one scope."""


@dataclass(frozen=True)
class PageOptions:
    """What a page holds where it is asked for.

    `certificate`: of the suite under the run's rule, as JSON data; `paper`: the name of published figures;
    `comparison`: of this run with another, as `analysis.comparison.compare` gives it; `observed`: what the ideal
    observer sees of the run. `refresh`: after how many seconds it loads itself anew, where the run goes on. `home`: the
    address of the page that lists it with others. `kinds`: of plots, None for all there are. `texts`: of how many
    episodes it holds the texts, None for all.
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
    """Write the report of a run, as `load_rows` gives it, to `path`, whole or not at all; the run as its tables have
    it, with printable names.

    `notes`: what has to be said of the run's files. Raises UsageError when the page cannot be written, and for an
    `extra` that does not go with the run.
    """
    attempts = [names.plainly_named(a) for a in attempts]
    run = sections.studied(names.plainly_stated(manifest), attempts, names.plain(extra.certificate), extra.observed)
    write_whole(path, _page(run, notes, extra))
    return run


def _page(run: RunData, notes: Sequence[str], extra: PageOptions) -> Iterator[str]:
    """The document, piece by piece, so that the texts need not fit in memory."""
    with (
        figures.in_background(run.manifest, run.attempts, extra.observed, extra.kinds) as drawing,
        TemporaryFile("w+") as file,
    ):
        values = _values(run, notes, extra)
        blocks = _spooled(episodes.blocks(run.manifest, run.attempts, extra.observed, extra.texts), file)
        drawn, undrawn = drawing()
        yield from document("page.html.j2", _STYLES, _SCRIPTS, **values, figures=drawn, undrawn=undrawn, blocks=blocks)


def _spooled(blocks: Iterable[tuple[str, str]], file: TextIO) -> Iterator[tuple[str, str]]:
    """The blocks, made now and kept in a file until they are asked for."""
    sizes = [(name, file.write(content)) for name, content in blocks]
    file.seek(0)
    return ((name, file.read(size)) for name, size in sizes)


def _values(run: RunData, notes: Sequence[str], extra: PageOptions) -> dict[str, Any]:
    """What the template of a page asks for, except its figures and texts."""
    manifest, attempts = run.manifest, run.attempts
    asked = list(_asked(manifest, attempts, extra))
    notices = [*run.summary["notices"], *(notice for part in asked for notice in part.notices)]
    first, *others = sections.SUMMARY
    return {
        "version": __version__,
        "notices": [*dict.fromkeys(notices), *names.plain(list(notes))],
        "note": run.summary["note"],
        "title": manifest.name or "run",
        "counts": facts.counts(manifest, attempts, run.summary),
        "facts": facts.settings(manifest, attempts),
        "conditions": facts.conditions(manifest),
        "experiment": facts.experiment(manifest),
        "first": sections.tables(run, {first: sections.SUMMARY[first]}),
        "tables": {
            **{name: table for part in asked for name, table in part.tables.items()},
            **sections.tables(run, {name: sections.SUMMARY[name] for name in others}),
            **sections.tables(run, {**sections.ON_PAGE, **sections.SECTIONS}),
        },
        "first_figures": plots.AFTER_RUN,
        "refresh": extra.refresh,
        "home": extra.home,
    }


def _asked(manifest: Manifest, attempts: Sequence[Recorded], extra: PageOptions) -> Iterator[OptionalTables]:
    """The comparison and the published figures that were asked for."""
    if extra.comparison is not None:
        yield comparison.shown(names.plain(dict(extra.comparison)))
    if extra.paper is not None:
        yield published.published(extra.paper, manifest, attempts).shown()
