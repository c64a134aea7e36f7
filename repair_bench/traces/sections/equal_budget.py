"""Repair against resampling at equal budget, from shared first answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from repair_bench.traces import arms
from repair_bench.traces.analysis.budget import at_equal_budget
from repair_bench.traces.analysis.pairs import Paired, pair
from repair_bench.traces.analysis.spending import Unit, running
from repair_bench.traces.sections.base import Row, Section, Studied, families, interval, points

UNITS: tuple[Unit, ...] = ("calls", "tokens", "usd")
SHARES = (0.5, 0.9)
"""Budgets in tokens and dollars: what these shares of the episodes of both arms spent at most."""
_FORMS = {"calls": ",.0f", "tokens": ",.0f", "usd": ",.4f"}


def section(run: Studied) -> Section:
    """One row a model, suite, repairing arm, unit and budget."""
    by_policy = arms.policies(run.paths, run.manifest)
    stated = arms.settings(run.manifest)
    rows: list[dict[str, Any]] = []
    for family in families(run):
        for name, members in family.arms.items():
            if by_policy[name] == arms.RESAMPLING:
                continue
            none = arms.control(name, arms.RESAMPLING, list(family.arms), by_policy, stated)
            if none is None:
                continue
            paired = pair(family.arms[none], members, run.repairs)
            for unit in UNITS:
                found = at_equal_budget(paired, unit, run.repairs, _budgets(paired, unit, run.repairs))
                rows += [
                    {
                        "model": family.model,
                        "suite": family.suite,
                        "prompt": family.prompt,
                        "arm": name,
                        "baseline": none,
                        "unit": unit,
                        "budget": one.budget,
                        **interval(one.difference, "difference"),
                        "open_arm": one.open_other,
                        "open_baseline": one.open_baseline,
                        "unknown": one.unknown,
                    }
                    for one in found
                    if one.difference.estimate is not None
                ]
    return Section(
        "Repair against resampling at equal budget: share solved minus that of new samples, in points",
        "A budget is what an episode may spend. Frameworks and samples together; 95% intervals over problems. left: "
        "unsolved episodes of the arm and of resampling whose attempts ran out before the budget did.",
        rows,
        _shown,
    )


def _budgets(paired: Paired, unit: Unit, repairs: int) -> Sequence[float]:
    if unit == "calls":
        return (repairs + 1.0,)
    spends = sorted(s[-1] for p in paired.pairs for e in p if (s := running(e, unit, repairs)) is not None)
    return sorted({spends[round(share * (len(spends) - 1))] for share in SHARES}) if spends else ()


def _shown(row: dict[str, Any]) -> Row:
    named = {key: str(row[key]) for key in ("model", "suite", "arm")}
    return {
        **named,
        "budget": f"{row['budget']:{_FORMS[row['unit']]}} {'USD' if row['unit'] == 'usd' else row['unit']}",
        "difference": points(row),
        "pairs": f"{row['n']:,}",
        "left": f"{row['open_arm']:,}, {row['open_baseline']:,}",
    }
