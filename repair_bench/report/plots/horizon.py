"""The horizon as a function of the number of repairs k, with 95% bands."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

from repair_bench.analysis.rates import metrics
from repair_bench.analysis.rates.horizon import Family, by_family, horizon_curve
from repair_bench.analysis.rates.horizon_fit import Estimate
from repair_bench.analysis.runs.notices import repairs_of
from repair_bench.report.plots import NothingToDraw, panels, style
from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.run.manifest import Manifest

_NOTE = (
    "Horizon: the instance size at which half of the hidden instances are solved. {shape}: 95% profile-likelihood "
    "intervals. Dotted lines: the smallest and the largest size. Horizons above twice the largest size, or below "
    "half the smallest size, are not shown."
)


def figure(attempts: Sequence[Recorded], manifest: Manifest) -> Figure:
    """Draw one panel per suite and family, with one line per model and condition."""
    episodes = [e for _, family in by_family(metrics.episodes(attempts), "suite") for e in family.episodes]
    if not episodes:
        raise NothingToDraw("No task in the run has hidden instances.")
    repairs = repairs_of((a for e in episodes for a in e.attempts), manifest)
    varied = [name for name in panels.varying(episodes) if name in ("model", "condition")] or ["model"]
    short = panels.names(episodes, manifest)
    parts: dict[tuple[str, str], dict[str, Family]] = {}
    for (suite, *values), family in by_family(episodes, "suite", *varied):
        parts.setdefault((suite, family.name), {})[" / ".join(map(short.of, varied, values))] = family
    arranged, warnings = panels.cut(sorted(parts.items()), panels.MAX_PANELS)
    names = sorted({name for _, lines in arranged for name in lines})
    banded = repairs > 0 and len(names) <= panels.MAX_BANDS
    series = [family.episodes for _, lines in arranged for family in lines.values()]
    note = _NOTE.format(shape="Bands" if banded else "Bars")
    words = panels.words("Horizon", episodes, manifest.of_part(), series, [note], warnings)
    body, axes = style.sheet(words, len(arranged), (3.4, 3.0), names, sharex=True)
    suites_of = Counter(name for _, name in parts)
    for ax, ((suite, name), lines) in zip(axes, arranged, strict=True):
        title = f"{short.of('suite', suite)} / {name}" if suites_of[name] > 1 else name
        ax.set_title(style.panel_title(title))
        sizes = sorted({size for family in lines.values() for size in family.sizes})
        ends = sizes[0] / 2, sizes[-1] * 2
        for number, label in enumerate(names):
            if label in lines:
                shift = 0.0 if banded else (number - (len(names) - 1) / 2) * 0.06
                _draw(ax, horizon_curve(lines[label], repairs), style.line(number), ends, shift, banded=banded)
        _dress(ax, sizes, ends, repairs)
    handles = style.handles(axes[0], map(style.line, range(len(names))))
    xlabel = "number of repair rounds (k) after the first answer"
    return style.finish(body, axes, handles, names, xlabel=xlabel, ylabel="horizon (size)")


def _draw(
    ax: Any, curve: Sequence[Estimate], look: dict[str, Any], ends: tuple[float, float], shift: float, *, banded: bool
) -> None:
    """Draw a curve with its intervals. `ends`: the range of the axis; open intervals are drawn up to its ends."""
    ks = [k + shift for k in range(len(curve))]
    low = [ends[0] if point.low is None else point.low for point in curve]
    high = [ends[1] if point.high is None else point.high for point in curve]
    values = [math.nan if point.value is None else point.value for point in curve]
    ax.plot(ks, values, clip_on=False, zorder=3, markeredgecolor="white", markeredgewidth=0.6, **look)
    if banded:
        style.band(ax, ks, low, high, look)
    else:
        ax.vlines(ks, low, high, color=look["color"], linewidth=1.2)


def _dress(ax: Any, sizes: Sequence[int], ends: tuple[float, float], repairs: int) -> None:
    ax.set_yscale("log", base=2)
    ax.set_ylim(*ends)
    ax.set_yticks(sizes, list(map(str, sizes)))
    ax.minorticks_off()
    margin = 0.2 if repairs else 0.8
    ax.set_xlim(-margin, repairs + margin)
    ax.set_xticks(range(0, repairs + 1, max(1, repairs // 10)))
    ax.hlines((sizes[0], sizes[-1]), -margin, repairs + margin, color=style.GREY, linestyle=":", linewidth=0.8)
    ax.grid(axis="y")
