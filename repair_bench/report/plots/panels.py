"""Which panels and series a figure has (nothing that differs is ever pooled unsaid), and the words around them."""

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
"""Lines or bars that a panel can hold and be read."""
MAX_BANDS = 4
"""Bands of intervals over each other that can be told apart; with more lines, their ends carry a bar instead."""
MAX_PANELS = 30


@dataclass(frozen=True)
class Panel:
    """One set of axes. `series`: the episodes of each line or bar, by its label."""

    title: str
    """Empty for the only panel of a figure."""
    series: dict[str, list[Episode]]


def names(episodes: Sequence[Episode], manifest: Manifest) -> DisplayNames:
    """Return the short names of what a figure shows."""
    return display_names(manifest, (episode.first for episode in episodes))


def arrange(episodes: Sequence[Episode], names: DisplayNames) -> list[Panel]:
    """One panel where one field differs; else one a framework, and where that would be too many series one a model too.

    The series of a panel are then the models, or the conditions of a model.
    """
    if not episodes:
        return []
    varied = varying(episodes)
    if len(varied) < 2:
        return [Panel("", labelled(episodes, varied or ["framework"], names))]
    apart = [name for name in varied if name == "framework"] or varied[:1]
    inside = [name for name in varied if name not in apart]
    if len(inside) > 1 and len(group(episodes, *inside)) > MAX_SERIES:
        apart, inside = [*inside[:-1], *apart], inside[-1:]
    return [Panel(title, labelled(part, inside, names)) for title, part in labelled(episodes, apart, names).items()]


def varying(episodes: Sequence[Episode], fields: Sequence[str] = FIELDS) -> list[str]:
    return [name for name in fields if len({getattr(e.first, name) for e in episodes}) > 1]


def labelled(episodes: Sequence[Episode], fields: Sequence[str], names: DisplayNames) -> dict[str, list[Episode]]:
    """Episodes by the values of fields, their short names joined to a label; the label is empty without fields."""
    return {" / ".join(map(names.of, fields, key)): members for key, members in group(episodes, *fields).items()}


def labels(panels: Sequence[Panel]) -> list[str]:
    """All series labels of a figure, sorted: a label's place decides its colour in every panel."""
    return sorted({label for panel in panels for label in panel.series})


def span(ns: Sequence[int]) -> str:
    """Counts of a line in several panels, in words: one number where all agree."""
    least, most = min(ns, default=0), max(ns, default=0)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def cut(panels: Sequence[Any], most: int, what: str = "panels") -> tuple[list[Any], list[str]]:
    """At most so many panels or rows, and what has to be said when there were more."""
    if len(panels) <= most:
        return list(panels), []
    warning = f"ONLY {most} of {len(panels)} {what} are drawn: choose some by --only, as in --only framework=qiskit."
    return list(panels)[:most], [warning]


def words(
    title: str,
    episodes: Sequence[Episode],
    manifest: Manifest,
    series: Sequence[Sequence[Episode]],
    notes: Sequence[str],
    warnings: Sequence[str] = (),
) -> Words:
    """The words around a figure: suite and n in the title, what does not vary below it, then what must be said.

    `series`: the episodes of each line or bar, of which the smallest may have to be said. `warnings`: more to be said.
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
        f"up to {count(repairs, 'repair attempt')}" if repairs else "first answers only",
    ]
    ns = [len(counted(members, 0)) for members in series]
    small = sum(n < SMALL for n in ns)
    if small and sum(ns):
        everything.append(
            f"SMALL: {small} of {len(ns)} series stand on fewer than {SMALL} episodes, too few to compare."
        )
    n = f"(n = {count(len(counted(episodes, 0)), 'episode')})".replace(" ", "\N{NO-BREAK SPACE}")
    explained = [legend] if (legend := short.legend()) else []
    return Words(f"{title}: {suites} {n}", ", ".join(facts) if episodes else "", everything, [*notes, *explained])


def nothing(episodes: Sequence[Episode], repairs: int) -> NothingToDraw:
    """Why there is nothing to draw of a run without an episode that counts."""
    if not episodes:
        return NothingToDraw("no attempt is recorded yet")
    states = [e.state(repairs) for e in episodes]
    faults, incomplete = states.count("fault"), states.count("incomplete")
    return NothingToDraw(
        f"no episode can be counted (hit by an infrastructure fault: {faults:,}; not finished: {incomplete:,})"
    )


def _only(episodes: Sequence[Episode], field: str) -> str | None:
    values = group(episodes, field)
    return str(next(iter(values))[0]) if len(values) == 1 else None
