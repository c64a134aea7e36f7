"""All frameworks together: each model's Pass@1 and FB@N."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from repair_bench.analysis import metrics
from repair_bench.analysis.curves import rate
from repair_bench.analysis.metrics import FB_NOTE
from repair_bench.analysis.notices import interval_note, repairs_of
from repair_bench.analysis.open_weights import tier
from repair_bench.report.plots import bars, panels
from repair_bench.traces.manifest import Manifest
from repair_bench.traces.row import Recorded


def figure(attempts: Sequence[Recorded], manifest: Manifest) -> Figure:
    """Two bars a model (suite, condition), frameworks pooled; the highest FB@N first."""
    episodes = metrics.episodes(attempts)
    repairs = repairs_of(attempts, manifest)
    series, warnings = panels.cut(list(panels.single(episodes, pooled=["framework"]).items()), bars.MOST_GROUPS, "bars")
    frameworks = ", ".join(name for (name,) in metrics.group(episodes, "framework"))
    members = [part for _, part in series]
    notes = [f"Frameworks pooled: {frameworks}. Lines: {interval_note(members)}.", FB_NOTE]
    words = panels.words("All frameworks together", episodes, manifest, members, notes, warnings)
    if not metrics.counted(episodes, 0):
        raise panels.nothing(episodes, repairs)
    ks = {"Pass@1": 0} | ({f"FB@{repairs}": repairs} if repairs else {})
    groups = {}
    for name, part in series:
        known = metrics.counted(part, 0)
        models = {e.first.model for e in part}
        weights = tier(models.pop()) if len(models) == 1 else "unknown"
        note = f"n = {len(known):,}" + (f", {weights}" if weights != "unknown" else "")
        label = name or part[0].first.model
        groups[label] = bars.Group({kind: rate(known, k) for kind, k in ks.items()}, note)
    last = list(ks)[-1]
    ordered = dict(sorted(groups.items(), key=lambda item: (-_height(item[1], last), item[0])))
    return bars.draw(words, {"": ordered}, list(ks), xlabel="episodes solved (%)")


def _height(group: bars.Group, kind: str) -> float:
    rate = group.bars[kind]
    return 0.0 if rate is None else rate.estimate or 0.0
