"""Pass@1, Pass@5 and Pass@10, by the unbiased estimate from several samples of a task."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from repair_bench.analysis import arms, metrics
from repair_bench.analysis.notices import count, repairs_of
from repair_bench.analysis.pass_at_k import KS, fewest_samples, pass_at_k_interval
from repair_bench.report.plots import NothingToDraw, bars, panels
from repair_bench.traces.manifest import Manifest
from repair_bench.traces.row import Recorded

_NOTE = (
    "First answers only, once for all arms; 1 - C(n - c, k) / C(n, k) for c passes of n samples of a task, averaged "
    "over tasks (Chen et al., 2021). Lines: 95% intervals over problems."
)


def figure(attempts: Sequence[Recorded], manifest: Manifest) -> Figure:
    """A bar for each k up to the number of samples that every task has, in each series.

    Below 5 samples the last bar is Pass@k for as many as there are.
    """
    episodes = metrics.episodes(attempts)
    repairs = repairs_of(attempts, manifest)
    firsts = arms.firsts(episodes)
    samples = fewest_samples(firsts)
    if not samples:
        raise panels.nothing(episodes, repairs)
    if samples == 1:
        raise NothingToDraw(
            "Pass@k needs k samples of each task, and a task of this run has 1 that counts: set samples = 5"
        )
    arranged, warnings = panels.cut(panels.arrange(firsts, panels.names(episodes, manifest)), panels.MOST_PANELS)
    members = [part for panel in arranged for part in panel.series.values()]
    drawn = [k for k in KS if k <= samples]
    drawn += [samples] if samples < KS[1] else []
    limit = [
        f"The samples limit k: every task has {count(samples, 'sample')} that count, and Pass@{k} needs {k}."
        for k in KS
        if k > samples
    ][:1]
    title = ", ".join(f"Pass@{k}" for k in drawn)
    words = panels.words(title, episodes, manifest, members, [_NOTE, *limit], warnings, drawn=firsts)
    shown = {
        panel.title: {
            name: bars.Group({f"Pass@{k}": pass_at_k_interval(part, k) for k in drawn})
            for name, part in panel.series.items()
        }
        for panel in arranged
    }
    return bars.draw(words, shown, [f"Pass@{k}" for k in drawn], xlabel="tasks solved (%)")
