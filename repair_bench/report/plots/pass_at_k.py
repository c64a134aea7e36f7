"""Pass@1 beside Pass@5, by the unbiased estimate from several samples of a task."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from repair_bench.analysis import arms, metrics
from repair_bench.analysis.notices import count, repairs_of
from repair_bench.analysis.pass_at_k import fewest_samples, pass_at_k_interval
from repair_bench.report.plots import bars, panels, style
from repair_bench.traces.manifest import Manifest
from repair_bench.traces.row import Recorded

_NOTE = (
    "First answers only; 1 - C(n - c, k) / C(n, k) for c passes of n samples of a task, averaged over tasks "
    "(Chen et al., 2021). Lines: 95% intervals over problems."
)


def figure(attempts: Sequence[Recorded], manifest: Manifest) -> Figure:
    """Two bars a series. With fewer than 5 samples of a task the second is Pass@k for the k there are."""
    episodes = metrics.episodes(attempts)
    repairs = repairs_of(attempts, manifest)
    shared = arms.prompts(episodes)
    firsts = [e for e in episodes if e.first.condition in shared]  # arms share their first answers: once is enough
    arranged, warnings = panels.cut(panels.arrange(firsts), panels.MOST_PANELS)
    members = [part for panel in arranged for part in panel.series.values()]
    samples = fewest_samples(firsts, repairs)
    most = min(5, samples)
    if 0 < samples < 5:
        instead = f"; Pass@{most} is drawn instead." if most > 1 else ": Pass@1 stands alone."
        warnings.append(
            f"NO PASS@5: it needs 5 samples of each task, and this run has {count(samples, 'sample')}{instead}"
        )
    words = panels.words("Pass@1 and Pass@5", firsts, manifest, members, [_NOTE], warnings)
    if not samples:
        return style.blank(words, panels.nothing(episodes, repairs))
    ks = {f"Pass@{k}": k for k in dict.fromkeys((1, most))}
    shown = {
        panel.title: {
            name: bars.Group({kind: pass_at_k_interval(part, repairs, k) for kind, k in ks.items()})
            for name, part in panel.series.items()
        }
        for panel in arranged
    }
    return bars.draw(words, shown, list(ks), xlabel="tasks solved (%)")
