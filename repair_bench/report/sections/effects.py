"""Effects of feedback: each policy compared with resampling, binary feedback and placebo, from shared first answers."""

from __future__ import annotations

from repair_bench.analysis.comparing.bounds import stated
from repair_bench.analysis.comparing.effects import CONTROLS, effects_of_arms
from repair_bench.report.sections.base import (
    RunData,
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
from repair_bench.text import count


def section(run: RunData) -> Table:
    compared = effects_of_arms(run.episodes, run.manifest, run.repairs)
    rows = [
        {
            **fields(c.group, "model", "suite", "prompt"),
            **fields(c, "arm", "control"),
            "says": CONTROLS[c.effect.control],
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
    met = {c.effect.control for c in compared}
    says = "; ".join(f"against {control}: {CONTROLS[control]}" for control in CONTROLS if control in met)
    return Table.of(
        f"What feedback causes: FB@{run.repairs} of an arm minus that of a control, in points",
        rows,
        lambda row: {
            **named(row, ("model", "suite", "arm")),
            "against": Text(row["control"], "name"),
            "difference": difference(row["by"][-1]),
            "pairs": Count(row["by"][-1]["n"]),
            "won": Count(row["won"]),
            "lost": Count(row["lost"]),
            "p": PValue(row["p"]),
            "p*": PValue(row["p_holm"]),
            **({"study": Text(said)} if (said := mark(row)) else {}),
            **bounded(row),
        },
        f"{says}. Pairs share their first answer; frameworks and samples together; 95% intervals over problems. "
        "won, lost: episodes that only one of the two solves; p: a sign-flip test over problems; "
        f"p*: Holm's, for {count(sum(row['p'] is not None for row in rows), 'test')}."
        f"{note(rows)}{low_power_note(rows)}{undecided(rows)}",
    )
