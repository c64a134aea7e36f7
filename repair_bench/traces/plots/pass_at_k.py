"""Pass@1 beside Pass@5, by the unbiased estimate from several samples of a task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

from repair_bench.traces import arms, metrics
from repair_bench.traces.analysis.pass_at_k import fewest_samples, pass_at_k_interval
from repair_bench.traces.notices import count, repairs_of
from repair_bench.traces.plots import bars, panels, style
from repair_bench.traces.row import Recorded

_NOTE = (
    "First answers only; 1 - C(n - c, k) / C(n, k) for c passes of n samples of a task, averaged over tasks "
    "(Chen et al., 2021). Lines: 95% intervals over problems."
)


def figure(attempts: Sequence[Recorded], manifest: dict[str, Any]) -> Figure:
    """Two bars a series. With fewer than 5 samples of a task the second is Pass@k for the k there are."""
    paths = metrics.episodes(attempts)
    repairs = repairs_of(attempts, manifest)
    shared = arms.prompts(paths)
    firsts = [e for e in paths if e.first.condition in shared]  # arms share their first answers: once is enough
    arranged, said = panels.cut(panels.arrange(firsts), panels.MOST_PANELS)
    members = [part for panel in arranged for part in panel.series.values()]
    samples = fewest_samples(firsts, repairs)
    most = min(5, samples)
    if 0 < samples < 5:
        beside = f"; Pass@{most} is drawn instead." if most > 1 else ": Pass@1 stands alone."
        said.append(f"NO PASS@5: it needs 5 samples of each task, and this run has {count(samples, 'sample')}{beside}")
    words = panels.words("Pass@1 and Pass@5", firsts, manifest, members, [_NOTE], said)
    if not samples:
        return style.blank(words, panels.nothing(paths, repairs))
    ks = {f"Pass@{k}": k for k in dict.fromkeys((1, most))}
    shown = {
        panel.title: {
            name: bars.Group({kind: pass_at_k_interval(part, repairs, k) for kind, k in ks.items()})
            for name, part in panel.series.items()
        }
        for panel in arranged
    }
    return bars.draw(words, shown, list(ks), xlabel="tasks solved (%)")
