"""The main results in a few rows: rates, planned comparisons, feedback utilisation, and cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from repair_bench.analysis.comparing import pairs
from repair_bench.analysis.comparing.arms import RESAMPLING, by_prompt, policies
from repair_bench.analysis.comparing.bounds import difference_bound, stated
from repair_bench.analysis.comparing.evidence import consults
from repair_bench.analysis.planning.planned_comparisons import paired
from repair_bench.analysis.rates import metrics
from repair_bench.analysis.rates.curves import rate
from repair_bench.analysis.rates.metrics import counted
from repair_bench.analysis.rates.statistics import SYMMETRIC
from repair_bench.analysis.runs.notices import CONTROL, level, mixed
from repair_bench.report.sections import effects as feedback
from repair_bench.report.sections import evidence as kinds
from repair_bench.report.sections import horizon, information
from repair_bench.report.sections.base import (
    KEYS,
    RunData,
    adjusted_for,
    bounded,
    depending,
    difference,
    low_power_note,
    mark,
    planning,
    separately,
    solved_within,
    undecided,
    unfinished,
    utilisation,
)
from repair_bench.report.table import Cell, Count, Difference, PValue, Rate, Sum, Table, Text, Unknown
from repair_bench.text import count
from repair_bench.traces.record.lazy_attempt import Recorded

_SIGNIFICANT = 0.05


def rates(run: RunData) -> Table:
    """Return Pass@1 and FB@N by model, suite and arm, pooled over frameworks and without control tasks."""
    controls = mixed(run.episodes)
    shown = [e for e in run.episodes if e.first.suite not in controls or level(e) != CONTROL]
    groups = [group for group in by_prompt(shown) if any(counted(part, 0) for part in group.arms.values())]
    rows = [
        {
            **_cells(run, group.model, group.suite, arm, bits=group.suite in controls),
            "n": Count(len(counted(part, 0))),
            **{solved_within(k): Rate.of(rate(part, k)) for k in dict.fromkeys((0, run.repairs))},
        }
        for group in groups
        for arm, part in group.arms.items()
    ]
    notes = ["Pooled over frameworks."] if len(metrics.group(shown, "framework")) > 1 else []
    title = "Solve rate within k repairs (FB@k), in %, each task weighted equally; 95% intervals"
    return _table(title, rows, " ".join([*notes, *_controls(run, "Without")]))


def effects(run: RunData) -> Table:
    """Return the planned comparisons of arms, one row each, or a hint if the run has no control arm."""
    found = feedback.section(run).data
    if not found and run.repairs and {*policies(run.episodes, run.manifest).values()} != {RESAMPLING}:
        return Table("", lines=("No control arm: repairs may succeed without feedback. Add --feedback none.",))
    planned = [row for row in found if not row.get("exploratory")]
    rows = [
        {
            **_cells(run, row["model"], row["suite"]),
            "arms": Text(" - ".join(run.names.of("arm", row[name]) for name in ("arm", "control")), "text"),
            "difference": _marked({**row["by"][-1], "p_holm": row["p_holm"]}),
        }
        for row in planned
    ]
    tests = adjusted_for(run, [] if run.manifest.planned else found)
    notes = [f"*: p below {_SIGNIFICANT:g}, adjusted for {tests} (Holm).", *_controls(run, "With")] if planned else []
    notes += _few(planned)
    if more := len(found) - len(planned):
        subject = "" if planned else "Effect of feedback: "
        omitted = f"{subject}{count(more, 'exploratory comparison')} omitted; use --full to show all comparisons."
        notes.append(f"{omitted}{unfinished(found)}")
    last = solved_within(run.repairs)
    title = f"Effect of feedback: {last}(arm) - {last}(control), in percentage points"
    return _table(title, rows, " ".join(notes))


def evidence(run: RunData) -> Table:
    """Return a table with the effects of critics, tools, documentation and questions.

    The table is empty if no arm uses a critic, a tool, documentation or questions.
    """
    by_policy = policies(run.episodes, run.manifest)
    if not any(consults(policy, run.manifest.conditions.get(name, {})) for name, policy in by_policy.items()):
        return Table("")
    found = kinds.rows_of(run)
    rows = [
        {
            **_cells(run, row["model"], row["suite"], row["arm"]),
            **{f"from {policy}": _marked(row["differences"].get(policy)) for policy in kinds.baselines_of(found)},
            **kinds.prices(row),
        }
        for row in found
    ]
    last = solved_within(run.repairs)
    note = f"*: p below {_SIGNIFICANT:g}{separately(run)}. tokens, USD: per solved episode, critics included."
    differences = kinds.differences_of(found)
    note = " ".join([note, *_controls(run, "Without"), *_few(differences)]) + depending(differences, "comparison")
    return _table(f"Evidence: differences in {last}, in percentage points", rows, note if rows else "")


def models(run: RunData) -> Table:
    """Return the comparisons of models that the experiment names, or a hint if it names none."""
    planned = sorted(one for one in run.manifest.planned or () if one.by == "model")
    if planned and not run.manifest.experiment.get("comparisons"):
        return Table(
            "", lines=(f"Also planned: {count(len(planned), 'comparison')} of models. Use `compare --by model`.",)
        )
    rows: list[dict[str, Cell]] = []
    tests: list[dict[str, Any]] = []
    for one in planned:
        found = paired(run.episodes, one)
        gained, p = pairs.difference(found, one.k), pairs.p_value(found, one.k)
        marks = planning(run, one, len(pairs.finished(found, one.k)))
        bounds = stated(difference_bound(found, one.k), gained.estimate, p)
        tests.append({"p": p, "differing": pairs.differing(found, one.k), "bounds": bounds, **marks})
        rows.append(
            {
                "suite": Text(run.names.of("suite", one.suite), "name"),
                "condition": Text(run.names.of("condition", one.within), "name"),
                "compared": Text(" - ".join(run.names.of("model", name) for name in (one.other, one.baseline)), "text"),
                "metric": Text(solved_within(one.k), "name"),
                "difference": Difference.of(gained),
                "pairs": Count(len(found.pairs)),
                "p": PValue(p),
                "status": Text(mark(marks)),
                **bounded(tests[-1]),
            }
        )
    note = f"{low_power_note(tests)}{undecided(tests)}{unfinished(tests)}"
    return _table(
        "Planned comparisons of models, in percentage points",
        rows,
        " ".join([*(_controls(run, "With") if rows else []), note]).strip(),
    )


def use(run: RunData) -> Table:
    """Return feedback utilisation over all levels above 0, one row per arm."""
    over: dict[tuple[str, str, str], Mapping[str, Any]] = {}
    for row in information.section(run).data:
        if row["bits"] != CONTROL and row["use"]["use"] is not None:
            over[row["model"], row["suite"], row["condition"]] = row["use"]  # the row over all levels comes last
    rows = [
        {
            **{key: Text(run.names.of(key, value), "name") for key, value in zip(KEYS, of, strict=True)},
            "utilisation": utilisation(found, "use"),
        }
        for of, found in over.items()
    ]
    title = "Feedback utilisation, with 95% intervals (0: content ignored, 1: ideal observer)"
    note = "If a model ignores feedback in only a few families, the coverage of the intervals is 85% to 90%."
    return _table(title, rows, note if rows else "")


def horizons(run: RunData) -> Table:
    """Return the horizon before any repair and the horizon after the last repair, one row per arm and family."""
    rows = [
        {
            **{key: Text(run.names.of(key, row[key]), "name") for key in (*KEYS, "family")},
            **{f"k={k}": horizon.horizon_cell(row["by"][k], row["sizes"]) for k in sorted({0, run.repairs})},
        }
        for row in horizon.section(run).data
    ]
    return _table("Horizon after k repairs: the instance size at which half of the hidden instances are solved", rows)


def cost(run: RunData) -> str:
    total = run.summary["total"]
    sums = {name: Sum(total[name]["known"], total[name]["unknown"]) for name in ("prompt_tokens", "completion_tokens")}
    models = metrics.group(run.episodes, "model")
    usd = {
        run.names.of("model", model): _cost(attempt for episode in members for attempt in episode.attempts)
        for (model,), members in models.items()
    }
    known = len(usd) > 1 and any(spent.known for spent in usd.values())
    of_each = f" ({', '.join(f'{name} {_usd(spent)}' for name, spent in usd.items())})" if known else ""
    tokens = f"{sums['prompt_tokens']} input tokens, {sums['completion_tokens']} output tokens"
    free = not total["cost_usd"]["known"] and all(run.manifest.is_simulated(model) for (model,) in models)
    by_role = ", ".join(f"{role} {_role_cost(sums, free=free)}" for role, sums in total.get("roles", {}).items())
    spent = "none (simulated)" if free else f"{_usd(_cost(run.attempts))} USD{of_each}"
    return f"Cost: {spent}; {tokens}." + (f" By role: {by_role}." if by_role else "")


def _role_cost(sums: Mapping[str, Any], *, free: bool) -> str:
    read, written = (sums[name] for name in ("prompt_tokens", "completion_tokens"))
    tokens = Sum(read["known"] + written["known"], max(read["unknown"], written["unknown"]))
    usd = Sum(sums["cost_usd"]["known"], sums["cost_usd"]["unknown"], ",.4f")
    return f"{tokens} tokens" if free else f"{usd} USD, {tokens} tokens"


def _controls(run: RunData, word: str) -> list[str]:
    """Return a note on whether control tasks are included, if a suite has both control tasks and other tasks.

    `word`: "With" or "Without".
    """
    return [f"{word} control tasks (bits=0)."] if mixed(run.episodes) else []


def _few(tests: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return a note on the comparisons in which few problems differ, if there are any."""
    few = sum(row["p"] is not None and row["differing"] < SYMMETRIC for row in tests)
    text = f"the arms differ on fewer than {SYMMETRIC} problems, so p is unreliable; see --full."
    return [f"In {count(few, 'comparison')}, {text}"] if few else []


def _marked(figures: Mapping[str, Any] | None) -> Cell:
    if figures is None:
        return Unknown()
    cell, p = difference(figures), figures["p_holm"]
    return Text(f"{cell.figure}{'*' if p is not None and p < _SIGNIFICANT else ''}", more=cell.detail)


def _cost(attempts: Iterable[Recorded]) -> metrics.Total:
    return metrics.cost(metrics.completions(attempts))


def _usd(spent: metrics.Total) -> Sum:
    return Sum(spent.known, spent.unknown, ",.4f")


def _cells(run: RunData, model: str, suite: str, arm: str | None = None, *, bits: bool = False) -> dict[str, Cell]:
    return {
        "model": Text(run.names.of("model", model), "heading"),
        "suite": Text(run.names.of("suite", suite) + (", bits>0" if bits else ""), "name"),
        **({} if arm is None else {"arm": Text(run.names.of("arm", arm), "name")}),
    }


def _table(title: str, rows: list[dict[str, Cell]], note: str = "") -> Table:
    if not rows:
        return Table("", lines=(note,) if note else ())
    return Table.of(title, rows, dict, note)
