"""The data from which report sections are made, and the cells and notes that several sections share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from repair_bench.analysis.comparing.effects import planned_tests
from repair_bench.analysis.feedback_use.use import Observed
from repair_bench.analysis.rates.intervals import Interval
from repair_bench.analysis.rates.metrics import Episode, episodes, group
from repair_bench.analysis.rates.statistics import MIN_DIFFERING, SYMMETRIC
from repair_bench.analysis.runs.notices import repairs_of
from repair_bench.analysis.summary import summary
from repair_bench.report.display_names import DisplayNames, display_names
from repair_bench.report.table import Cell, Difference, DifferenceBounds, Number, Rate, Table, Text
from repair_bench.text import count
from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.study_lock import Comparison

KEYS = ("model", "suite", "condition")
FRAMEWORK_KEYS = (*KEYS, "framework")
HEADINGS = (*KEYS, "prompt", "arm")
"""Columns with long values. In a terminal, each value is printed on its own line."""


@dataclass(frozen=True)
class RunData:
    """The data from which a section of the report is made. `repairs`: N, the maximum number of repairs. `summary`: see
    `analysis.summary`.

    `stoppable`: the episodes that adaptive stopping could end; rates do not count these episodes.
    """

    attempts: Sequence[Recorded]
    episodes: Sequence[Episode]
    manifest: Manifest
    repairs: int
    summary: Mapping[str, Any]
    certificate: Mapping[str, Any] | None = None
    observed: Sequence[Observed] = ()
    names: DisplayNames = field(default_factory=DisplayNames)
    stoppable: Sequence[Episode] = ()


@dataclass(frozen=True)
class OptionalTables:
    """Tables that are shown on request: published rates, or a comparison of two sides. `notices` come before all
    figures.
    """

    notices: Sequence[str]
    tables: Mapping[str, Table]


def run_data(
    manifest: Manifest,
    attempts: Sequence[Recorded],
    certificate: Mapping[str, Any] | None = None,
    observed: Sequence[Observed] = (),
) -> RunData:
    """Return the data of a run in the form that sections take as input.

    `certificate`: the result of `repair-bench suites audit --out` for the run's suite and the run's grading rule.
    `observed`: the episodes on tasks with unspecified conventions, with the ideal observer's interpretation of each
    attempt.
    """
    figures = summary(manifest, attempts)
    repairs, stoppable = repairs_of(attempts, manifest), episodes(attempts, stoppable=True)
    names = display_names(manifest, attempts)
    return RunData(attempts, episodes(attempts), manifest, repairs, figures, certificate, observed, names, stoppable)


def named_groups(members: Sequence[Episode], *keys: str) -> Iterator[tuple[dict[str, Any], list[Episode]]]:
    """Group episodes by `keys`.

    For each group, yield the values of `keys`, which become the first cells of a table row, and the group's episodes.
    """
    for values, part in group(members, *keys).items():
        yield dict(zip(keys, values, strict=True)), part


def fields(found: object, *names: str) -> dict[str, Any]:
    return {name: getattr(found, name) for name in names}


def points(curve: Iterable[Interval], name: str = "rate") -> list[dict[str, Any]]:
    return [{"k": k, **interval(point, name)} for k, point in enumerate(curve)]


def curve_cells(curve: Iterable[Mapping[str, Any]]) -> dict[str, Cell]:
    return {solved_within(point["k"]): rate(point) for point in curve}


def first_few(names: Sequence[str]) -> Text:
    """Return one text that lists at most four names and states the number of omitted names."""
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return Text(", ".join(names[:4]) + more)


def interval(estimated: Interval, name: str = "rate") -> dict[str, Any]:
    """Return an interval as JSON data. `name`: the key of the estimate."""
    return {name: estimated.estimate, **fields(estimated, "low", "high", "n", "problems")}


def rate(figures: Mapping[str, Any], name: str = "rate") -> Rate:
    return Rate(figures[name], figures["low"], figures["high"])


def utilisation(figures: Mapping[str, Any], name: str = "estimate") -> Number:
    return Number(figures[name], ".2f", low=figures["low"], high=figures["high"])


def difference(figures: Mapping[str, Any], name: str = "difference") -> Difference:
    return Difference(figures[name], figures["low"], figures["high"])


def bounded(row: Mapping[str, Any]) -> dict[str, Cell]:
    """Return a mapping with a table cell for the bounds of a difference, or an empty mapping if there are no bounds."""
    found = row["bounds"]
    if found is None:
        return {}
    lower, upper = found["lower"], found["upper"]
    return {"bounds": DifferenceBounds(lower["estimate"], upper["estimate"], lower["low"], upper["high"])}


def undecided(rows: Sequence[Mapping[str, Any]], noun: str = "row") -> str:
    """Return a note that explains the column of bounds, or "" if no row has bounds.

    The note includes the result of `depending`.
    """
    return BOUNDED + depending(rows, noun) if any(row["bounds"] is not None for row in rows) else ""


def depending(rows: Iterable[Mapping[str, Any]], noun: str = "row") -> str:
    """Return the number of rows whose sign or significance depends on censored episodes, as a note, or "" if it is 0.

    `noun`: the name of a row.
    """
    n = sum(row["bounds"] is not None and row["bounds"]["decides"] for row in rows)
    return f" In {count(n, noun)}, the sign or significance depends on censored episodes." if n else ""


BOUNDED = (
    " bounds: the lower bound treats censored episodes of the baseline as solved at the next attempt, and those of the "
    "other arm as never solved; the upper bound does the reverse. In brackets: the lower "
    "end of the lower bound's 95% interval, and the upper end of the upper bound's 95% interval."
)
SKEWED = "and skewed effects with mean 0 give p below 0.05 in up to 16% of studies"
"""The error rate of the test if fewer than `SYMMETRIC` problems differ, as measured by `benchmarks/power.py`."""
PLANNED = (
    " planned: comparisons that study.lock named before the first answer, with all pairs finished. exploratory: all "
    "other comparisons."
)


def planning(run: RunData, compared: Comparison, finished: int) -> dict[str, Any]:
    """Return a dict that states whether a comparison is exploratory, and how many pairs were planned.

    The dict is empty if the plan is unknown.
    """
    exploratory = run.manifest.exploratory(compared, finished)
    if exploratory is None:
        return {}
    return {"exploratory": exploratory, "planned_pairs": run.manifest.planned_pairs(compared)}


def mark(row: Mapping[str, Any]) -> str:
    """Return "planned" or "exploratory" for a comparison, or "" if the plan is unknown."""
    return {False: "planned", True: "exploratory", None: ""}[row.get("exploratory")]


def note(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return a note that explains the marks "planned" and "exploratory", or "" if there are no marks."""
    marked = [row for row in rows if "exploratory" in row]
    return PLANNED + unfinished(marked) if marked else ""


def unfinished(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return a note on planned comparisons that have fewer pairs than `study.lock` states, or "" if there are none."""
    cut = [row["planned_pairs"] for row in rows if row.get("exploratory") and row["planned_pairs"] is not None]
    if not cut:
        return ""
    return (
        f" Unfinished: {count(len(cut), 'planned comparison')} of {count(max(cut), 'pair')}. Each interim look is an "
        "additional test, so these comparisons are exploratory until --resume completes the run."
    )


def unplanned(run: RunData) -> str:
    """Return a note saying that the comparisons in a table are exploratory, or "" if the plan is unknown."""
    return "" if run.manifest.planned is None else " Exploratory: study.lock plans only comparisons of FB@k."


def adjusted_for(run: RunData, rows: Iterable[Mapping[str, Any]]) -> str:
    """Return a text that states how many tests Holm's correction covers in each family of tests."""
    others = sum(row["p"] is not None and row.get("planned_pairs") is None for row in rows)
    families = {"planned test": planned_tests(run.manifest), "exploratory test": others}
    if run.manifest.planned is None:
        return count(others, "test")
    return " and separately for ".join(count(n, name) for name, n in families.items() if n) or count(0, "test")


def separately(run: RunData) -> str:
    """Return the name of the correction for multiple tests, in parentheses.

    If the run has a plan, the text adds that planned and exploratory tests are corrected separately.
    """
    return " (Holm)" if run.manifest.planned is None else " (Holm, separately for planned and exploratory tests)"


def low_power_note(rows: Iterable[Mapping[str, Any]], noun: str = "row") -> str:
    """Return a note on tests whose `p` is limited because few problems differ, or "" if there are no such tests.

    `noun`: the name of a row.
    """
    differing = [row["differing"] for row in rows if row["p"] is not None]
    none, few = (sum(n < limit for n in differing) for limit in (MIN_DIFFERING, SYMMETRIC))
    texts = (
        (none, f"fewer than {MIN_DIFFERING} problems differ, so p cannot be below 0.05."),
        (few, f"fewer than {SYMMETRIC} problems differ: p assumes symmetric effects, {SKEWED}."),
    )
    return "".join(f" In {count(n, noun)} {text}" for n, text in texts if n)


def named(row: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Cell]:
    return {key: Text(str(row[key]), "heading" if key in HEADINGS else "name") for key in keys}


def solved_within(k: int) -> str:
    return f"FB@{k}" if k else "Pass@1"
