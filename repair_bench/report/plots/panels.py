"""Panels, series and text elements of figures.

A figure that combines data from different suites, models or frameworks contains a notice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from repair_bench.analysis.rates.metrics import Episode, counted, group
from repair_bench.analysis.runs.notices import SMALL, notices, repairs_of
from repair_bench.report.display_names import DisplayNames, display_names
from repair_bench.report.plots import NothingToDraw
from repair_bench.report.plots.style import Words
from repair_bench.text import count
from repair_bench.traces.run.manifest import Manifest

FIELDS = ("suite", "model", "condition", "framework")
MAX_SERIES = 9
"""The maximum number of lines or bars at which a panel is still readable."""
MAX_BANDS = 3
"""The maximum number of overlapping bands that readers can distinguish. If a figure has more lines than this, error
bars show the intervals instead of bands."""
MAX_PANELS = 30


@dataclass(frozen=True)
class Panel:
    """A panel of a figure. `title`: "" for a single panel. `series`: the episodes behind each line or bar, by label."""

    title: str
    series: dict[str, list[Episode]]


def names(episodes: Sequence[Episode], manifest: Manifest) -> DisplayNames:
    return display_names(manifest, (episode.first for episode in episodes))


def arrange(
    episodes: Sequence[Episode], manifest: Manifest, maximum: int = MAX_PANELS
) -> tuple[list[Panel], list[list[Episode]], list[str]]:
    """Arrange episodes in at most `maximum` panels. Return the panels, the episodes of each series, and warnings.

    If some panels are omitted, one of the returned warnings says so. If the episodes differ in at most one of the
    fields in `FIELDS`, the figure has a single panel. If the episodes differ in several fields, the figure has one
    panel per framework, or one panel per combination of framework and model. The series of a panel are the models, or
    the conditions of one model.
    """
    arranged, warnings = cut(_panels(episodes, names(episodes, manifest)), maximum)
    return arranged, [part for panel in arranged for part in panel.series.values()], warnings


def _panels(episodes: Sequence[Episode], names: DisplayNames) -> list[Panel]:
    if not episodes:
        return []
    varied = varying(episodes)
    if len(varied) < 2:
        return [Panel("", labelled(episodes, varied or ["framework"], names))]
    outside = [name for name in varied if name == "framework"] or varied[:1]
    inside = [name for name in varied if name not in outside]
    if len(inside) > 1 and len(group(episodes, *inside)) > MAX_SERIES:
        outside, inside = [*inside[:-1], *outside], inside[-1:]
    return [Panel(title, labelled(part, inside, names)) for title, part in labelled(episodes, outside, names).items()]


def varying(episodes: Sequence[Episode]) -> list[str]:
    return [name for name in FIELDS if len({getattr(e.first, name) for e in episodes}) > 1]


def labelled(episodes: Sequence[Episode], fields: Sequence[str], names: DisplayNames) -> dict[str, list[Episode]]:
    """Group episodes by `fields`.

    The label of a group contains one short name for each field. If `fields` is empty, the label is an empty string.
    """
    return {" / ".join(map(names.of, fields, key)): members for key, members in group(episodes, *fields).items()}


def labels(panels: Sequence[Panel]) -> list[str]:
    """Return the sorted series labels of a figure; the index of a label determines its colour in every panel."""
    return sorted({label for panel in panels for label in panel.series})


def legend(name: str, ns: Sequence[int]) -> str:
    """Return the legend entry for a line, with its number of episodes, or a range if the panels differ."""
    low, high = min(ns, default=0), max(ns, default=0)
    return f"{name} (n = {low:,})" if low == high else f"{name} (n = {low:,} to {high:,})"


def cut(panels: Sequence[Any], maximum: int, noun: str = "panels") -> tuple[list[Any], list[str]]:
    """Return at most `maximum` panels or rows, and a warning if there are more."""
    if len(panels) <= maximum:
        return list(panels), []
    warning = f"ONLY {maximum} of {len(panels)} {noun} are drawn. Select some, e.g. --only framework=qiskit."
    return list(panels)[:maximum], [warning]


def words(
    title: str,
    episodes: Sequence[Episode],
    manifest: Manifest,
    series: Sequence[Sequence[Episode]],
    notes: Sequence[str],
    warnings: Sequence[str] = (),
) -> Words:
    """Return the text around a figure: the title with suite and n, the settings that do not vary, notices and notes.

    `series`: the episodes behind each line or bar. `warnings`: further notices.
    """
    everything, short = [*notices(episodes, manifest), *warnings], names(episodes, manifest)
    repairs = repairs_of((a for e in episodes for a in e.attempts), manifest)
    versions = [f"{short.of('suite', suite)} {version}" for suite, version in group(episodes, "suite", "suite_version")]
    suites = ", ".join(versions) or "an empty run"
    facts = [short.of(f, value) for f in ("model", "framework") if (value := _only(episodes, f)) is not None]
    if (condition := _only(episodes, "condition")) is not None:
        facts.append(f"condition {short.of('condition', condition)}")
    facts += [
        count(len(group(episodes, "suite", "task_id")), "task"),
        f"up to {count(repairs, 'repair round')}" if repairs else "first answers only",
    ]
    ns = [len(counted(members, 0)) for members in series]
    small = sum(n < SMALL for n in ns)
    if small and sum(ns):
        which = f"{small} of {len(ns)} series {'has' if small == 1 else 'have'} " if len(ns) > 1 else ""
        everything.append(f"SMALL: {which}fewer than {SMALL} episodes; do not compare {'them' if which else 'it'}.")
    n = f"(n = {count(len(counted(episodes, 0)), 'episode')})".replace(" ", "\N{NO-BREAK SPACE}")
    explained = filter(None, [*notes, short.legend()])
    return Words(f"{title}: {suites} {n}", ", ".join(facts) if episodes else "", everything, [*explained])


def nothing(episodes: Sequence[Episode], repairs: int) -> NothingToDraw:
    if not episodes:
        return NothingToDraw("No attempts have been recorded yet.")
    states = [e.state(repairs) for e in episodes]
    faults, incomplete = states.count("fault"), states.count("incomplete")
    return NothingToDraw(f"No episode can be counted (infrastructure errors: {faults:,}, unfinished: {incomplete:,}).")


def _only(episodes: Sequence[Episode], field: str) -> str | None:
    values = group(episodes, field)
    return str(next(iter(values))[0]) if len(values) == 1 else None
