"""Publish one run of a site: its page, its record, its manifest and its entry in the index."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from repair_bench.analysis.comparing.leaderboard import Standing, standings
from repair_bench.analysis.feedback_use.use import Observed
from repair_bench.report import page, plots
from repair_bench.report.page import names
from repair_bench.report.site.layout import INDEX, INPUTS
from repair_bench.report.site.record import restore, write_record
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.manifest_fields import ResumedFields
from repair_bench.traces.run.run_reader import Run, load_rows

Observe = Callable[[Run], Sequence[Observed]]
"""A function that returns the episodes of a run with the ideal observer's interpretation of each attempt."""
TEXTS = 1_000
"""The maximum number of episodes whose texts are shown on the page of a run. The record contains all texts."""
_OF_THE_MACHINE = ("data", "resources", "nodes")
"""The parts of a manifest that describe only the machine."""


@dataclass(frozen=True)
class PublishedRun:
    """The data about one run that are used in the site's index, data card and citation.

    `models`: for each model, whether it is simulated. `notes`: sentences about the files of the run.
    """

    folder: str
    started: str
    attempts: int
    episodes: int
    planned: int | None
    models: Mapping[str, bool]
    suites: tuple[str, ...]
    notes: tuple[str, ...]
    notices: tuple[str, ...]
    standings: tuple[Standing, ...]

    @property
    def marks(self) -> str:
        """Lower-case keywords of the run's notices, such as "partial". Notices on simulated models are left out."""
        found = (re.match(r"[A-Z]{2,}(?: [A-Z]{2,})*", notice) for notice in self.notices)
        words = dict.fromkeys(match[0].lower() for match in found if match)
        return ", ".join(word for word in words if not word.startswith("simulated"))


def publish_record(directory: Path, folder: str, place: Path) -> list[str]:
    """Write the record of a run to `place`. Return the notes on the run's files. Raises UsageError and TraceError."""
    run = load_rows(directory)
    write_record(run, place)
    public(run.manifest).write(place)
    for name in INPUTS:
        if (directory / name).exists():
            shutil.copyfile(directory / name, place / name)
    return [note.replace(str(directory), folder) for note in run.notes]


def publish_page(folder: str, place: Path, notes: Sequence[str], observe: Observe) -> PublishedRun:
    """Build the page of a run from its record in `place`. Raises UsageError and TraceError."""
    with tempfile.TemporaryDirectory(dir=place) as temporary:
        restored = Path(temporary) / folder
        restored.mkdir()
        restore(place, restored)
        return _page(load_rows(restored), folder, place, notes, observe)


def _page(run: Run, folder: str, place: Path, notes: Sequence[str], observe: Observe) -> PublishedRun:
    observed = observe(run)
    extra = page.PageOptions(observed=observed, home="../../index.html", kinds=plots.AFTER_RUN, texts=TEXTS)
    shown = page.write(run.manifest, run.rows, place / INDEX, notes, extra)
    named, rows, figures = shown.manifest, shown.attempts, shown.summary
    return PublishedRun(
        folder=folder,
        started=str(named.created_at or ""),
        attempts=len(rows),
        episodes=figures["total"]["episodes"],
        planned=named.episodes,
        models={model: named.is_simulated(model) for model in sorted({row.model for row in rows})},
        suites=tuple(sorted({row.suite for row in rows})),
        notes=tuple(notes),
        notices=(*figures["notices"], *names.plain(list(notes))),
        standings=tuple(standings(folder, named, rows, figures, observed)),
    )


def public(manifest: Manifest) -> Manifest:
    """Return the manifest without the paths of the machine and the settings of providers.

    The field `api_base` and the names of models are kept, because `study.lock` and the ids of attempts depend on them.
    """
    experiment = manifest.experiment.copy()
    experiment.pop("asked_with", None)  # `verify` compares it only with `resources`, which is removed too
    made = manifest.without(*_OF_THE_MACHINE).replaced(experiment=experiment)
    if short := manifest.resources.get("names"):
        made = made.replaced(resources={"names": short})
    if (regraded := made.stated.get("regraded_from")) is not None:
        made = made.replaced(regraded_from={**regraded, "run": Path(regraded["run"]).name})
    if (merged := made.stated.get("merged")) is not None:
        shards = [{name: value for name, value in shard.items() if name != "nodes"} for shard in merged["shards"]]
        made = made.replaced(merged={**merged, "shards": shards})
    if made.resumed:
        made = made.replaced(resumed=[_public_session(entry) for entry in made.resumed])
    return made


def _public_session(entry: ResumedFields) -> ResumedFields:
    made = entry.copy()
    made["changed"] = {name: c for name, c in entry.get("changed", {}).items() if not name.startswith("resources.")}
    return made
