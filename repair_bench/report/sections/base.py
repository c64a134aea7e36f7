"""What every section is made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from repair_bench.analysis.feedback_use.use import Observed
from repair_bench.analysis.rates.intervals import Interval
from repair_bench.analysis.rates.metrics import Episode, episodes, group
from repair_bench.analysis.rates.statistics import FEWEST, SYMMETRIC
from repair_bench.analysis.runs.notices import repairs_of
from repair_bench.analysis.summary import summary
from repair_bench.report.display_names import DisplayNames, display_names
from repair_bench.report.table import Cell, Difference, DifferenceBounds, Rate, Table, Text
from repair_bench.text import count
from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.study_lock import Comparison

KEYS = ("model", "suite", "condition")
HEADINGS = ("model", "suite", "condition", "prompt", "arm")
"""The names of rows that can be long."""


@dataclass(frozen=True)
class RunData:
    """A run as sections take it. `repairs`: N, its number of repair attempts. `summary`: see `analysis.summary`."""

    attempts: Sequence[Recorded]
    episodes: Sequence[Episode]
    manifest: Manifest
    repairs: int
    summary: Mapping[str, Any]
    certificate: Mapping[str, Any] | None = None
    observed: Sequence[Observed] = ()
    names: DisplayNames = field(default_factory=DisplayNames)
    stoppable: Sequence[Episode] = ()
    """Those that the run could end early, and that enter no rate."""


@dataclass(frozen=True)
class OptionalTables:
    """What is shown where it is asked for: beside a paper, compared. `notices` come before any figure."""

    notices: Sequence[str]
    tables: Mapping[str, Table]


def studied(
    manifest: Manifest,
    attempts: Sequence[Recorded],
    certificate: Mapping[str, Any] | None = None,
    observed: Sequence[Observed] = (),
) -> RunData:
    """A run as `load_rows` gives it.

    `certificate`: what `repair-bench suites audit --out` wrote of the suite, under the rule that judged the run.
    `observed`: its episodes on tasks that hide a hypothesis, as the ideal observer sees them.
    """
    figures = summary(manifest, attempts)
    repairs, stoppable = repairs_of(attempts, manifest), episodes(attempts, stoppable=True)
    names = display_names(manifest, attempts)
    return RunData(attempts, episodes(attempts), manifest, repairs, figures, certificate, observed, names, stoppable)


def named_groups(members: Sequence[Episode], *keys: str) -> Iterator[tuple[dict[str, Any], list[Episode]]]:
    """Yield the names of each group of episodes, with which its row begins, and its episodes."""
    for values, part in group(members, *keys).items():
        yield dict(zip(keys, values, strict=True)), part


def fields(found: object, *names: str) -> dict[str, Any]:
    return {name: getattr(found, name) for name in names}


def points(curve: Iterable[Interval], name: str = "rate") -> list[dict[str, Any]]:
    """A curve over k as JSON data."""
    return [{"k": k, **interval(point, name)} for k, point in enumerate(curve)]


def curve_cells(curve: Iterable[Mapping[str, Any]]) -> dict[str, Cell]:
    """What `points` made of rates, a column for each k."""
    return {solved_within(point["k"]): rate(point) for point in curve}


def first_few(names: Sequence[str]) -> Text:
    """Four names at most, and the number of the others."""
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return Text(", ".join(names[:4]) + more)


def interval(estimated: Interval, name: str = "rate") -> dict[str, Any]:
    """An interval as JSON data; `name`: what the estimate is called."""
    return {name: estimated.estimate, **fields(estimated, "low", "high", "n", "problems")}


def rate(figures: Mapping[str, Any], name: str = "rate") -> Rate:
    return Rate(figures[name], figures["low"], figures["high"])


def difference(figures: Mapping[str, Any], name: str = "difference") -> Difference:
    return Difference(figures[name], figures["low"], figures["high"])


def bounded(row: Mapping[str, Any]) -> dict[str, Cell]:
    """The last column of a row with a difference that has bounds."""
    found = row["bounds"]
    if found is None:
        return {}
    lower, upper = found["lower"], found["upper"]
    return {"bounds": DifferenceBounds(lower["estimate"], upper["estimate"], lower["low"], upper["high"])}


def undecided(rows: Iterable[Mapping[str, Any]]) -> str:
    """The note on bounds and on rows whose sign or significance depends on them; empty without bounds."""
    found = [row["bounds"] for row in rows if row["bounds"] is not None]
    n = sum(one["decides"] for one in found)
    depends = f" In {count(n, 'row')} the sign or significance depends on them." if n else ""
    return BOUNDED + depends if found else ""


BOUNDED = (
    " bounds: the difference if the baseline's episodes that were cut short were solved at once and the other's never, "
    "and the reverse, with the outer ends of both 95% intervals."
)
SKEWED = "and skewed ones that average 0 give p below 0.05 in up to 16% of studies"
"""What `benchmarks/power.py` measured below that number of problems."""
EXPLORATORY = {False: "planned", True: "exploratory"}
"""What a comparison is called, by whether it is not in `study.lock`."""
ASKED_FIRST = " planned: in study.lock before the first answer, and all its pairs are finished; exploratory: not."


def planning(run: RunData, asked: Comparison, finished: int) -> dict[str, Any]:
    """Whether a comparison is exploratory, and the pairs that it was planned with; empty where that is not known."""
    exploratory = run.manifest.exploratory(asked, finished)
    if exploratory is None:
        return {}
    return {"exploratory": exploratory, "planned_pairs": run.manifest.planned_pairs(asked)}


def mark(row: Mapping[str, Any]) -> str:
    """Whether a comparison was planned, in a word; empty where that is not known."""
    return EXPLORATORY[row["exploratory"]] if "exploratory" in row else ""


def note(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return the meaning of the marks; empty without marks."""
    marked = [row for row in rows if "exploratory" in row]
    return ASKED_FIRST + unfinished(marked) if marked else ""


def unfinished(rows: Iterable[Mapping[str, Any]]) -> str:
    """The note on rows that are exploratory only because they have fewer pairs than `study.lock` plans; or nothing."""
    cut = [row["planned_pairs"] for row in rows if row.get("exploratory") and row["planned_pairs"] is not None]
    if not cut:
        return ""
    return (
        f" Unfinished: {count(len(cut), 'planned comparison')} of {count(max(cut), 'pair')}. Each look before the end "
        "is one more test, so it is exploratory until --resume has finished the run."
    )


def unplanned(run: RunData) -> str:
    """What must be said of comparisons that are not in FB@k; empty where it is not known what was planned."""
    return "" if run.manifest.planned is None else " Exploratory: study.lock plans comparisons in FB@k alone."


def low_power_note(rows: Iterable[Mapping[str, Any]]) -> str:
    """The limits of tests, `p`, of few problems `differing`: skewed effects, and p that cannot be low; or nothing."""
    differing = [row["differing"] for row in rows if row["p"] is not None]
    none, few = (sum(n < limit for n in differing) for limit in (FEWEST, SYMMETRIC))
    texts = (
        (none, f"fewer than {FEWEST} problems differ: p cannot be below 0.05 there."),
        (few, f"fewer than {SYMMETRIC} problems differ: p assumes that effects are symmetric, {SKEWED}."),
    )
    return "".join(f" In {count(n, 'row')} {text}" for n, text in texts if n)


def named(row: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Cell]:
    return {key: Text(str(row[key]), "heading" if key in HEADINGS else "name") for key in keys}


def solved_within(k: int) -> str:
    """What the rate of episodes solved within k repairs is called."""
    return f"FB@{k}" if k else "Pass@1"
