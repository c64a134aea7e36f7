"""All frameworks together: each model's Pass@1 and FB@N."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from repair_bench.analysis import metrics
from repair_bench.analysis.curves import rate
from repair_bench.analysis.metrics import FB_NOTE, Episode
from repair_bench.analysis.notices import interval_note, repairs_of
from repair_bench.analysis.open_weights import tier
from repair_bench.report.plots import bars, panels
from repair_bench.traces.manifest import Manifest
from repair_bench.traces.row import Recorded


def figure(attempts: Sequence[Recorded], manifest: Manifest) -> Figure:
    """Two bars a model and condition, frameworks pooled; one panel a suite, since suites are not to be ranked."""
    episodes = metrics.episodes(attempts)
    repairs = repairs_of(attempts, manifest)
    names = panels.names(episodes, manifest)
    rows, warnings = panels.cut(list(metrics.group(episodes, "model", "condition").items()), bars.MOST_GROUPS, "bars")
    varied = [name for name in ("model", "condition") if name in panels.varying(episodes)] or ["model"]
    by_suite = panels.labelled([e for _, part in rows for e in part], ["suite"], names)
    shown = {suite: panels.labelled(part, varied, names) for suite, part in by_suite.items()}
    frameworks = ", ".join(name for (name,) in metrics.group(episodes, "framework"))
    members = [part for series in shown.values() for part in series.values()]
    notes = [f"Frameworks pooled: {frameworks}. Lines: {interval_note(members)}.", FB_NOTE]
    words = panels.words("All frameworks together", episodes, manifest, members, notes, warnings)
    if not metrics.counted(episodes, 0):
        raise panels.nothing(episodes, repairs)
    ks = {"Pass@1": 0} | ({f"FB@{repairs}": repairs} if repairs else {})
    groups = {
        suite if len(shown) > 1 else "": {name: _group(part, ks) for name, part in series.items()}
        for suite, series in shown.items()
    }
    return bars.draw(words, groups, list(ks), xlabel="episodes solved (%)")


def _group(part: Sequence[Episode], ks: Mapping[str, int]) -> bars.Group:
    known, weights = metrics.counted(part, 0), tier(part[0].first.model)
    note = f"n = {len(known):,}" + (f", {weights}" if weights != "unknown" else "")
    return bars.Group({kind: rate(known, k) for kind, k in ks.items()}, note)
