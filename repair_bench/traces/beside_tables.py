"""The tables that set a run beside the published figures, a function each: rows of texts by column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from repair_bench.traces import arms, metrics
from repair_bench.traces.analysis.configurations import best_configurations
from repair_bench.traces.analysis.curves import rate
from repair_bench.traces.analysis.effects import prefill_differences
from repair_bench.traces.analysis.pass_at_k import fewest_samples, pass_at_k_interval
from repair_bench.traces.intervals import Interval
from repair_bench.traces.metrics import Episode, group
from repair_bench.traces.notices import simulated
from repair_bench.traces.plots.prefill import comparisons
from repair_bench.traces.published import Paper
from repair_bench.traces.taxonomy import PASS, QUANBENCH_PLUS, QUANTUM_KATAS, Taxonomy

Row = dict[str, str]
RUN, PUBLISHED = "this run", "published"
_CODE_FB, _TEXT_FB = 4, 5
"""The repairs of QuanBench+'s released code, and of its text."""


@dataclass(frozen=True)
class RunBeside:
    paths: Sequence[Episode]
    manifest: Mapping[str, Any]
    repairs: int

    def name(self, *parts: str) -> str:
        """What a row of the run is called; a simulated model says so."""
        model, *rest = parts
        made_up = " (simulated)" if simulated([model], self.manifest) else ""
        several = [part for part in rest if len({e.first.condition for e in self.paths}) > 1]
        return " / ".join([f"{model}{made_up}", *several])


def _feedback(run: RunBeside, paper: Paper) -> dict[str, Any]:
    rows = []
    five = {(row.model, row.framework): row.pass_at_5 for row in paper.rows("table_6")}
    for (framework,), members in group(run.paths, "framework").items():
        for (model, condition), part in group(members, "model", "condition").items():
            known = metrics.counted(part, run.repairs)
            enough = fewest_samples(part, run.repairs) >= 5
            rows.append(
                {
                    "framework": str(framework),
                    "from": RUN,
                    "name": run.name(str(model), str(condition)),
                    "n": f"{len(known):,}",
                    "Pass@1": _rate(rate(known, 0)),
                    **{f"FB@{k}": _rate(rate(known, k)) if k <= run.repairs else "-" for k in (_CODE_FB, _TEXT_FB)},
                    "FB": "-",
                    "Pass@5": _rate(pass_at_k_interval(part, run.repairs, 5)) if enough else "-",
                }
            )
    for framework in dict.fromkeys(row["framework"] for row in rows):
        rows += [
            {
                "framework": framework,
                "from": PUBLISHED,
                "name": row.model,
                "n": "42",
                "Pass@1": f"{row.pass_at_1:.1f}",
                f"FB@{_CODE_FB}": "-",
                f"FB@{_TEXT_FB}": "-",
                "FB": f"{row.fb:.1f}",
                "Pass@5": f"{five[row.model, row.framework]:.1f}",
            }
            for row in paper.rows("table_2")
            if row.framework == framework
        ]
    rows.sort(key=lambda row: (row["framework"], row["from"] == PUBLISHED))
    return _table("Pass@1, Pass@1 with feedback and Pass@5, in %", "Tables 2 and 6", rows)


def _shares(taxonomy: Taxonomy) -> Callable[[RunBeside, Paper], dict[str, Any]]:
    """Shares of the failures of all models and conditions together."""

    def table(run: RunBeside, paper: Paper) -> dict[str, Any]:
        before, after = metrics.errors(run.paths, run.repairs, taxonomy.of)
        quanbench = taxonomy is QUANBENCH_PLUS
        given: dict[str, tuple[float | None, float | None]] = {}
        if quanbench:
            given = {row.error_class: (row.before, row.after) for row in paper.rows("error_shares")}
        else:
            totals: Counter[str] = Counter()
            for row in paper.rows("table_7"):
                totals[row.group] += row.count
            given = {name: (100 * n / totals.total(), None) for name, n in totals.items()}
        rows = [
            {
                "class": name,
                "run before": _share(before, name),
                "run after": _share(after, name) if run.repairs else "-",
                "paper before": _given(given.get(name, (None, None))[0]),
                **({"paper after": _given(given.get(name, (None, None))[1])} if quanbench else {}),
            }
            for name in taxonomy.names
        ]
        where = "appendices J and K" if quanbench else "Table 7"
        made = _table(
            f"Shares of the failures by class, in %; all models and conditions together ({taxonomy.name})", where, rows
        )
        return {**made, "note": taxonomy.note}

    return table


def _prefill(run: RunBeside, paper: Paper) -> dict[str, Any]:
    rows: list[Row] = []
    for without, with_, kind in comparisons(run.paths, run.manifest):
        sides = [[e for e in run.paths if e.first.condition == name] for name in (without, with_)]
        for row in prefill_differences(sides[0], sides[1], run.repairs):
            by = {str(name): _points(i) for name, i in row.by_framework.items()}
            cells = {name: by.get(name, "-") for name in ("qiskit", "cirq", "pennylane")}
            rows.append(
                {"from": RUN, "name": f"{run.name(row.model)}, {kind}", **cells, "average": _points(row.average)}
            )
    if rows:
        rows += [
            {
                "from": PUBLISHED,
                "name": row.model,
                **{name: f"{getattr(row, name):+.1f}" for name in ("qiskit", "cirq", "pennylane", "average")},
            }
            for row in paper.rows("table_1")
        ]
    return _table("Pass@1 with prefill minus without, in points", "Table 1", rows)


def _categories(run: RunBeside, paper: Paper) -> dict[str, Any]:
    rows = []
    known = metrics.counted(run.paths, run.repairs)
    here = {str(name): members for (name,), members in group(known, "category").items()}
    for row in paper.rows("table_6"):
        members = here.get(row.category, [])
        cells = {"n": f"{len(members):,}", RUN: _rate(rate(members, 0)), PUBLISHED: f"{row.rate:.1f}"}
        rows.append({"category": row.category, **cells})
    found = any(row["n"] != "0" for row in rows)
    title = (
        "First answers by category, in %: all models and conditions of the run, the best of 7 of 16 models published"
    )
    return _table(title, "Table 6", rows if found else [])


def _models(run: RunBeside, paper: Paper) -> dict[str, Any]:
    prompts = arms.prompts(run.paths)
    rows = [
        {
            "from": RUN,
            "name": run.name(best.model),
            "conditions": f"{len(best.rates)}",
            "best": _rate(best.best),
            "mean": f"{100 * best.mean:.1f}",
        }
        for best in best_configurations([e for e in run.paths if e.first.condition in prompts], run.repairs)
    ]
    rows += [
        {
            "from": PUBLISHED,
            "name": row.model,
            "conditions": "7",
            "best": _given(row.best) + (f" ({row.low}-{row.high})" if row.low is not None else ""),
            "mean": _given(row.mean),
        }
        for row in paper.rows("models")
    ]
    return _table(
        "Pass@1 of a model's best condition, and the mean of all of them, in %", "Table 4, from the text", rows
    )


def _tiers(run: RunBeside, paper: Paper) -> dict[str, Any]:
    known = metrics.counted(run.paths, run.repairs)
    here = {str(name): members for (name,), members in group(known, "difficulty").items()}
    rows = [
        {
            "tier": row.tier,
            "tasks": f"{row.tasks}",
            RUN: _rate(rate(here.get(row.tier, []), 0)),
            PUBLISHED: f"{row.rate}",
        }
        for row in paper.rows("tiers")
    ]
    return _table("First answers by difficulty, in %", "section 6.1", rows if any(r[RUN] != "-" for r in rows) else [])


def _greedy(run: RunBeside, paper: Paper) -> dict[str, Any]:
    levels = ("basic", "intermediate", "difficult")
    passed = {row.model: row for row in paper.rows("table_3")}
    rows = []
    for (model, condition), part in group(metrics.counted(run.paths, run.repairs), "model", "condition").items():
        by = {str(name): members for (name,), members in group(part, "difficulty").items()}
        cells = {name: f"{sum(e.first.passed for e in by.get(name, []))} / {len(by.get(name, []))}" for name in levels}
        named = {"from": RUN, "name": run.name(str(model), str(condition)), "n": f"{len(part):,}"}
        rows.append({**named, "Pass@1": _rate(rate(part, 0)), **cells})
    sizes = dict(zip(levels, (54, 45, 2), strict=True))
    for row in paper.rows("table_2"):
        counts = passed.get(row.model)
        cells = {name: "-" if counts is None else f"{getattr(counts, name)} / {sizes[name]}" for name in levels}
        rows.append(
            {"from": PUBLISHED, "name": row.model, "n": "101", "Pass@1": f"{row.qiskit_humaneval:.1f}", **cells}
        )
    return _table("Pass@1 in %, and tasks passed by difficulty", "Tables II and III", rows)


TABLES: dict[str, tuple[Callable[[RunBeside, Paper], dict[str, Any]], ...]] = {
    "quanbench-plus": (_feedback, _shares(QUANBENCH_PLUS), _prefill),
    "quantum-katas": (_models, _categories, _tiers, _shares(QUANTUM_KATAS)),
    "qiskit-humaneval": (_greedy,),
}


def _table(title: str, where: str, rows: list[Row]) -> dict[str, Any]:
    return {"title": title, "where": where, "rows": rows, "note": ""}


def _rate(found: Interval) -> str:
    return _interval(found, ".1f", "-")


def _points(found: Interval) -> str:
    return _interval(found, "+.1f", "..")


def _interval(found: Interval, form: str, to: str) -> str:
    if found.estimate is None or found.low is None or found.high is None:
        return "-"
    middle, low, high = (format(100 * x, form) for x in (found.estimate, found.low, found.high))
    return f"{middle} ({low}{to}{high})"


def _share(counts: Counter[str], name: str) -> str:
    failed = counts.total() - counts[PASS]
    return f"{100 * counts[name] / failed:.1f}" if failed else "-"


def _given(value: float | None) -> str:
    return "not given" if value is None else f"{value:.1f}"
