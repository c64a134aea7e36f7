"""Effects of feedback policies relative to resampling, binary feedback and placebo. All arms share first answers."""

from __future__ import annotations

from repair_bench.analysis.comparing.bounds import stated
from repair_bench.analysis.comparing.effects import CONTROLS, effects_of_arms
from repair_bench.report.sections.base import (
    RunData,
    adjusted_for,
    bounded,
    difference,
    fields,
    low_power_note,
    mark,
    named,
    note,
    planning,
    points,
    undecided,
)
from repair_bench.report.table import Count, PValue, Table, Text


def section(run: RunData) -> Table:
    compared = effects_of_arms(run.episodes, run.manifest, run.repairs)
    rows = [
        {
            **fields(c.group, "model", "suite", "prompt"),
            **fields(c, "arm", "control"),
            "says": CONTROLS.get(c.effect.control, ""),
            "by": points(c.effect.by, "difference"),
            "won": len(c.effect.changed.won),
            "lost": len(c.effect.changed.lost),
            "alone": c.effect.alone,
            "bounds": stated(c.effect.bound, c.effect.by[-1].estimate, c.effect.p_value),
            "differing": c.effect.differing,
            "p": c.effect.p_value,
            "p_holm": c.p_holm,
            **planning(run, c.asks(run.repairs), c.effect.finished),
        }
        for c in compared
    ]
    rows.sort(key=lambda row: bool(row.get("exploratory")))
    several = len({row["arm"] for row in rows}) > 1
    met = {c.effect.control for c in compared}
    controls = [f"control {control}: {CONTROLS[control]}" for control in CONTROLS if control in met]
    return Table.of(
        f"Effect of feedback: FB@{run.repairs}(arm) - FB@{run.repairs}(control), in percentage points",
        rows,
        lambda row: {
            **named(row, ("model", "suite")),
            "arm": Text(row["arm"], "heading" if several else "text"),
            "control": Text(row["control"], "name"),
            "difference": difference(row["by"][-1]),
            "pairs": Count(row["by"][-1]["n"]),
            "won": Count(row["won"]),
            "lost": Count(row["lost"]),
            "p": PValue(row["p"]),
            "p*": PValue(row["p_holm"]),
            **({"status": Text(status)} if (status := mark(row)) else {}),
            **bounded(row),
        },
        f"{'; '.join(controls) + '. ' if controls else ''}Paired by first answer; pooled over frameworks and samples; "
        "95% intervals clustered by problem. won: pairs that only the arm solves. lost: pairs that only the control "
        "solves. p: sign-flip test by problem. "
        f"p*: adjusted for {adjusted_for(run, rows)} (Holm)."
        f"{note(rows)}{low_power_note(rows)}{undecided(rows)}",
    )
