"""All frameworks together: each model's Pass@1 and FB@N."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

from repair_bench.traces import metrics
from repair_bench.traces.analysis.curves import rate
from repair_bench.traces.metrics import FB_NOTE
from repair_bench.traces.notices import interval_note, repairs_of
from repair_bench.traces.plots import bars, panels, style
from repair_bench.traces.row import Recorded
from repair_bench.traces.tiers import tier


def figure(attempts: Sequence[Recorded], manifest: dict[str, Any]) -> Figure:
    """Two bars a model (suite, condition), frameworks pooled; the highest FB@N first."""
    paths = metrics.episodes(attempts)
    repairs = repairs_of(attempts, manifest)
    series, said = panels.cut(list(panels.single(paths, pooled=["framework"]).items()), bars.MOST_GROUPS, "bars")
    frameworks = ", ".join(name for (name,) in metrics.group(paths, "framework"))
    members = [part for _, part in series]
    notes = [f"Frameworks pooled: {frameworks}. Lines: {interval_note(members)}.", FB_NOTE]
    words = panels.words("All frameworks together", paths, manifest, members, notes, said)
    if not metrics.counted(paths, repairs):
        return style.blank(words, panels.nothing(paths, repairs))
    ks = {"Pass@1": 0} | ({f"FB@{repairs}": repairs} if repairs else {})
    groups = {}
    for name, part in series:
        known = metrics.counted(part, repairs)
        models = {e.first.model for e in part}
        note = f"n = {len(known):,}" + (f", tier {tier(models.pop())}" if len(models) == 1 else "")
        label = name or part[0].first.model
        groups[label] = bars.Group({kind: rate(known, k) for kind, k in ks.items()}, note)
    last = list(ks)[-1]
    ordered = dict(sorted(groups.items(), key=lambda item: (-_height(item[1], last), item[0])))
    return bars.draw(words, {"": ordered}, list(ks), xlabel="episodes solved (%)")


def _height(group: bars.Group, kind: str) -> float:
    rate = group.bars[kind]
    return 0.0 if rate is None else rate.estimate or 0.0
