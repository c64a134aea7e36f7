"""Tables that show a run alongside published figures, with one function per table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from repair_bench.analysis.comparing import arms
from repair_bench.analysis.comparing.effects import prefill_differences
from repair_bench.analysis.published import Paper
from repair_bench.analysis.rates import metrics
from repair_bench.analysis.rates.curves import rate
from repair_bench.analysis.rates.metrics import Episode, group
from repair_bench.analysis.rates.pass_at_k import fewest_samples, pass_at_k_interval
from repair_bench.analysis.rates.selection import best_configurations
from repair_bench.analysis.taxonomy import PASS, QUANBENCH_PLUS, QUANTUM_KATAS, Taxonomy
from repair_bench.report.table import Cell, Count, Difference, Rate, Share, Table, Text, Unknown
from repair_bench.traces.run.manifest import Manifest

Sourced = tuple[str, Table]
"""A location in the paper, and a table with the figures from that location."""
_Row = dict[str, Cell]
_RUN, _PUBLISHED = "this run", "published"
_CODE_FB, _TEXT_FB = 4, 5
"""The maximum number of repairs according to QuanBench+'s released code, and according to the paper."""


@dataclass(frozen=True)
class RunOfPaper:
    episodes: Sequence[Episode]
    manifest: Manifest
    repairs: int

    def name(self, model: str, condition: str = "") -> str:
        """Return the name of a row: the model, and the condition if the run has several conditions."""
        simulated = " (simulated)" if self.manifest.is_simulated(model) else ""
        add_condition = condition and len({e.first.condition for e in self.episodes}) > 1
        return f"{model}{simulated} / {condition}" if add_condition else f"{model}{simulated}"


def _feedback(run: RunOfPaper, paper: Paper) -> Sourced:
    rows: list[_Row] = []
    five = {(row.model, row.framework): row.pass_at_5 for row in paper.tables["table_6"]}
    for (framework,), members in group(run.episodes, "framework").items():
        for (model, condition), part in group(members, "model", "condition").items():
            known = metrics.counted(part, 0)
            enough = fewest_samples(part) >= 5
            fb = {f"FB@{k}": Rate.of(rate(known, k)) if k <= run.repairs else Unknown() for k in (_CODE_FB, _TEXT_FB)}
            rows.append(
                {
                    "framework": Text(str(framework), "heading"),
                    **_named(_RUN, run.name(str(model), str(condition))),
                    "n": Count(len(known)),
                    "Pass@1": Rate.of(rate(known, 0)),
                    **fb,
                    "FB": Unknown(),
                    "Pass@5": Rate.of(pass_at_k_interval(part, 5)) if enough else Unknown(),
                }
            )
        rows += [
            {
                "framework": Text(str(framework), "heading"),
                **_named(_PUBLISHED, row.model),
                "n": Count(42),
                "Pass@1": _given(row.pass_at_1),
                "FB": _given(row.fb),
                "Pass@5": _given(five[row.model, row.framework]),
            }
            for row in paper.tables["table_2"]
            if row.framework == framework
        ]
    return "Tables 2 and 6", _table("Pass@1, Pass@1 with feedback and Pass@5, in %", rows)


def _shares(taxonomy: Taxonomy) -> Callable[[RunOfPaper, Paper], Sourced]:

    def table(run: RunOfPaper, paper: Paper) -> Sourced:
        before, after = metrics.errors(run.episodes, run.repairs, taxonomy.of)
        quanbench = taxonomy is QUANBENCH_PLUS
        if quanbench:
            given = {row.error_class: (row.before, row.after) for row in paper.tables["error_shares"]}
        else:
            totals: Counter[str] = Counter()
            for row in paper.tables["table_7"]:
                totals[row.group] += row.count
            given = {name: (100 * n / totals.total(), None) for name, n in totals.items()}
        rows: list[_Row] = []
        for name in taxonomy.names:
            paper_before, paper_after = given.get(name, (None, None))
            cells: _Row = {
                "class": Text(name, "name"),
                "run before": _share(before, name),
                "run after": _share(after, name) if run.repairs else Unknown(),
                "paper before": _given(paper_before),
            }
            rows.append(cells | ({"paper after": _given(paper_after)} if quanbench else {}))
        title = f"Share of failures by class, in %; pooled over models and conditions ({taxonomy.name})"
        return "appendices J and K" if quanbench else "Table 7", _table(title, rows, taxonomy.note)

    return table


def _prefill(run: RunOfPaper, paper: Paper) -> Sourced:
    frameworks = ("qiskit", "cirq", "pennylane")
    rows: list[_Row] = []
    for without, with_, start in arms.start_pairs(run.episodes, run.manifest):
        base, other = ([e for e in run.episodes if e.first.condition == name] for name in (without, with_))
        for row in prefill_differences(base, other):
            by = {str(name): Difference.of(interval) for name, interval in row.by_framework.items()}
            rows.append(
                {
                    **_named(_RUN, f"{run.name(row.model)}, {start}"),
                    **{name: by.get(name, Unknown()) for name in frameworks},
                    "average": Difference.of(row.average),
                }
            )
    if rows:
        rows += [
            {
                **_named(_PUBLISHED, row.model),
                **{name: Difference(getattr(row, name) / 100) for name in (*frameworks, "average")},
            }
            for row in paper.tables["table_1"]
        ]
    return "Table 1", _table("Effect of prefill: difference in Pass@1, in percentage points", rows)


def _categories(run: RunOfPaper, paper: Paper) -> Sourced:
    here = _first_answers(run.episodes, "category")
    title = "Pass@1 by category, in % (run: all models and conditions; published: best of 7 conditions, 16 models)"
    rows = [
        ("category", row.category, "n", len(here.get(row.category, [])), row.rate) for row in paper.tables["table_6"]
    ]
    return "Table 6", _side_by_side(title, here, rows)


def _tiers(run: RunOfPaper, paper: Paper) -> Sourced:
    here = _first_answers(run.episodes, "difficulty")
    rows = [("tier", row.tier, "tasks", row.tasks, row.rate) for row in paper.tables["tiers"]]
    return "section 6.1", _side_by_side("Pass@1 by difficulty, in %", here, rows)


def _first_answers(episodes: Sequence[Episode], field: str) -> dict[str, list[Episode]]:
    distinct = {e.first.id: e for e in episodes}.values()  # arms share their first answers
    return {str(name): members for (name,), members in group(metrics.counted(distinct, 0), field).items()}


def _side_by_side(
    title: str, here: dict[str, list[Episode]], published: Sequence[tuple[str, str, str, int, float]]
) -> Table:
    """Return a table with one row per category or difficulty in `published`.

    The table has no rows if the run contains none of these categories or difficulties.
    """
    rows: list[_Row] = [
        {
            column: Text(name, "name"),
            counted: Count(n),
            _RUN: Rate.of(rate(here.get(name, []), 0)),
            _PUBLISHED: _given(percent),
        }
        for column, name, counted, n, percent in published
    ]
    return _table(title, rows if any(name in here for _, name, *_ in published) else [])


def _models(run: RunOfPaper, paper: Paper) -> Sourced:
    rows: list[_Row] = [
        {
            **_named(_RUN, run.name(best.model)),
            "conditions": Count(len(best.rates)),
            "best": Rate(best.highest),
            "corrected": Rate.of(best.corrected) if len(best.rates) > 1 else Unknown(),
            "mean": Rate(best.mean),
        }
        for best in best_configurations(arms.firsts(run.episodes))
    ]
    rows += [
        {
            **_named(_PUBLISHED, row.model),
            "conditions": Count(7),
            "best": _given(row.best, row.low, row.high),
            "corrected": Unknown(),
            "mean": _given(row.mean),
        }
        for row in paper.tables["models"]
    ]
    title = "Pass@1 of the best condition of each model, and the mean over its conditions, in %"
    note = "corrected: best condition, corrected for selection, with a 95% interval; the paper applies no correction."
    return "Table 4, from the text", _table(title, rows, note)


def _greedy(run: RunOfPaper, paper: Paper) -> Sourced:
    sizes = {"basic": 54, "intermediate": 45, "difficult": 2}
    passed = {row.model: row for row in paper.tables["table_3"]}
    rows: list[_Row] = []
    for (model, condition), part in group(metrics.counted(run.episodes, 0), "model", "condition").items():
        by = _first_answers(part, "difficulty")
        rows.append(
            {
                **_named(_RUN, run.name(str(model), str(condition))),
                "n": Count(len(part)),
                "Pass@1": Rate.of(rate(part, 0)),
                **{name: Share(sum(e.first.passed for e in by.get(name, [])), len(by.get(name, []))) for name in sizes},
            }
        )
    for row in paper.tables["table_2"]:
        counts = passed.get(row.model)
        rows.append(
            {
                **_named(_PUBLISHED, row.model),
                "n": Count(101),
                "Pass@1": _given(row.qiskit_humaneval),
                **{name: Share(getattr(counts, name), size) for name, size in sizes.items() if counts is not None},
            }
        )
    return "Tables II and III", _table("Pass@1 (in %) and first answers passed, by difficulty", rows)


TABLES: dict[str, tuple[Callable[[RunOfPaper, Paper], Sourced], ...]] = {
    "quanbench-plus": (_feedback, _shares(QUANBENCH_PLUS), _prefill),
    "quantum-katas": (_models, _categories, _tiers, _shares(QUANTUM_KATAS)),
    "qiskit-humaneval": (_greedy,),
}
"""The functions that make the tables for a comparison with a paper, keyed by the paper's name. Empty tables are
omitted."""


def _table(title: str, rows: Sequence[_Row], note: str = "") -> Table:
    table = Table.of(title, rows, lambda row: row, note)
    return replace(table, data=tuple(table.texts))


def _named(source: str, name: str) -> _Row:
    return {"from": Text(source, "heading"), "name": Text(name, "name")}


def _share(counts: Counter[str], name: str) -> Rate:
    failed = counts.total() - counts[PASS]
    return Rate(counts[name] / failed if failed else None)


def _given(percent: float | None, low: float | None = None, high: float | None = None) -> Rate:
    """Return a cell for a published rate and its interval, both in %."""
    middle, low, high = (None if value is None else value / 100 for value in (percent, low, high))
    return Rate(middle, low, high, "not published")
