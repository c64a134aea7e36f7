"""Tables that show the results of a run next to published results, with caveats. The run is not ranked among the
published results.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from repair_bench.analysis.published import Paper, load
from repair_bench.analysis.rates import metrics
from repair_bench.analysis.rates.metrics import FB_NOTE, group
from repair_bench.analysis.runs.notices import guarded, interval_note, notices, repairs_of, sampled_rules
from repair_bench.report.sections.base import OptionalTables
from repair_bench.report.sections.published_tables import TABLES, RunOfPaper, Sourced
from repair_bench.report.table import Table
from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.run.manifest import Manifest

_NOTE = f"{FB_NOTE} QuanBench+'s released code uses FB@4 (5 generations), the paper FB@5."
_TWINS = {"aligned": "the problems of QuanBench+, with new prompts, references and inputs"}


@dataclasses.dataclass(frozen=True)
class Published:
    """Rates of a run next to rates published in a paper. `caveats`: sentences on the limits of the comparison."""

    paper: Paper
    notices: list[str]
    sourced: list[Sourced]
    caveats: list[str]

    def shown(self) -> OptionalTables:
        head = f"{self.paper.title} ({self.paper.source})"
        tables = {
            f"published-{number}": dataclasses.replace(table, title=f"{table.title}; published: {where}")
            for number, (where, table) in enumerate(self.sourced, start=1)
        }
        first = Table("Comparison with published figures", lines=(head,))
        last = Table("Limits of the comparison", lines=tuple(f"- {caveat}" for caveat in self.caveats), notes=(_NOTE,))
        return OptionalTables(self.notices, {"published": first, **tables, "published-caveats": last})

    def to_json(self) -> dict[str, Any]:
        """Return JSON data; each row in a table's `rows` maps columns to texts. `from`: "this run" or "published"."""
        tables = [
            {"title": table.title, "where": where, "rows": table.texts, "note": " ".join(table.notes)}
            for where, table in self.sourced
        ]
        return {
            "paper": self.paper.name,
            "title": self.paper.title,
            "source": self.paper.source,
            "notices": self.notices,
            "tables": tables,
            "caveats": self.caveats,
            "missing": self.paper.missing,
            "note": _NOTE,
        }


def published(name: str, manifest: Manifest, attempts: Sequence[Recorded]) -> Published:
    """Return tables that show the results of a run next to the results published in a paper.

    Raises UsageError unless `published.PAPERS` has this paper.
    """
    paper = load(name)
    episodes = metrics.episodes(attempts)
    run = RunOfPaper(episodes, manifest, repairs_of(attempts, manifest))
    sourced = [made for table in TABLES[name] if (made := table(run, paper))[1].rows]
    return Published(paper, notices(episodes, manifest), sourced, [*_caveats(name, run), *paper.caveats])


def _caveats(name: str, run: RunOfPaper) -> list[str]:
    caveats = ["This run is not ranked among the published results: tasks, grader, prompts and dates differ."]
    caveats += [
        f"This run uses the suite {suite} ({_TWINS.get(suite, 'other tasks')}) instead of the published tasks."
        for suite in sorted({e.first.suite for e in run.episodes} - {name})
    ]
    if name == "quanbench-plus" and not sampled_rules(run.episodes):
        caveats.append(
            "This run was graded using exact probabilities in each framework's qubit order; the paper compared 1,000 "
            "random shots with one stored sample. `--rule released` grades as the paper's code does."
        )
    if doubted := len(run.manifest.doubted):
        caveats.append(
            f"These rates include {doubted} tasks that are not sound. `report` also shows rates without them."
        )
    if tasks := guarded(run.episodes):
        caveats.append(
            f"These rates include {len(tasks)} tasks with guarded tests. A guarded test runs in the same process as "
            "the tested program. `report` also shows rates without these tasks."
        )
    caveats.append(f"Intervals: {interval_note(group(run.episodes, 'model', 'condition', 'framework').values())}.")
    return caveats
