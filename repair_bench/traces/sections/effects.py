"""What feedback causes: each policy against resampling, the bare verdict and the placebo, from shared first answers."""

from __future__ import annotations

from typing import Any

from repair_bench.traces import arms
from repair_bench.traces.analysis.effects import CONTROLS, effects
from repair_bench.traces.sections.base import Row, Section, Studied, families, interval, p_value, points
from repair_bench.traces.statistics import holm

_KEYS = ("model", "suite", "prompt")


def section(run: Studied) -> Section:
    """One row a model, suite, arm and control: FB@k of the arm minus FB@k of the control."""
    by_policy = arms.policies(run.paths, run.manifest)
    stated = arms.settings(run.manifest)
    rows: list[dict[str, Any]] = []
    for family in families(run):
        told = [name for name in family.arms if by_policy[name] not in CONTROLS]
        for name in told or [name for name in family.arms if by_policy[name] != arms.RESAMPLING]:
            controls = {c: arms.control(name, c, list(family.arms), by_policy, stated) for c in CONTROLS}
            sets = {c: family.arms[other] for c, other in controls.items() if other is not None}
            policy = by_policy[name]
            for control, effect in effects({**sets, policy: family.arms[name]}, policy, run.repairs).items():
                rows.append(
                    {
                        **dict(zip(_KEYS, (family.model, family.suite, family.prompt), strict=True)),
                        "arm": name,
                        "control": controls[control],
                        "says": CONTROLS[control],
                        "by": [{"k": k, **interval(i, "difference")} for k, i in enumerate(effect.by)],
                        "won": len(effect.changed.won),
                        "lost": len(effect.changed.lost),
                        "alone": effect.alone,
                        "p": effect.changed.p_value,
                    }
                )
    for row, p in zip(rows, holm([row["p"] for row in rows]), strict=True):
        row["p_holm"] = p
    met = {by_policy[row["control"]] for row in rows}
    says = "; ".join(f"against {control}: {CONTROLS[control]}" for control in CONTROLS if control in met)
    return Section(
        f"What feedback causes: FB@{run.repairs} of an arm minus that of a control, in points",
        f"{says}. Pairs share their first answer; frameworks and samples together; 95% intervals over problems. "
        "won, lost: episodes that only one of the two solves; p: exact McNemar, which takes them as independent; "
        f"p*: Holm's, for {len(rows)} tests.",
        rows,
        _shown,
    )


def _shown(row: dict[str, Any]) -> Row:
    last = row["by"][-1]
    return {
        "model": row["model"],
        "suite": row["suite"],
        "arm": row["arm"],
        "against": row["control"],
        "difference": points(last),
        "pairs": f"{last['n']:,}",
        "won": f"{row['won']:,}",
        "lost": f"{row['lost']:,}",
        "p": p_value(row["p"]),
        "p*": p_value(row["p_holm"]),
    }
