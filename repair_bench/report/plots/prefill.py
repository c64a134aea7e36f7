"""What starter code or an assistant prefill does to Pass@1: QuanBench+'s comparison, with intervals."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from repair_bench.analysis import metrics
from repair_bench.analysis.arms import STARTS, start_pairs
from repair_bench.analysis.curves import rate
from repair_bench.analysis.effects import prefill_differences
from repair_bench.analysis.notices import interval_note, repairs_of
from repair_bench.report.plots import NothingToDraw, bars, panels
from repair_bench.report.table import Difference
from repair_bench.traces.manifest import Manifest
from repair_bench.traces.row import Recorded

WITHOUT = "neither"


def figure(attempts: Sequence[Recorded], manifest: Manifest) -> Figure:
    """A bar without and one with, for each model; one panel a framework. Differences are paired by task and sample."""
    episodes = metrics.episodes(attempts)
    repairs = repairs_of(attempts, manifest)
    compared = start_pairs(episodes, manifest)
    chosen = {name: [e for e in episodes if e.first.condition == name] for pair_ in compared for name in pair_[:2]}
    used = [e for members in chosen.values() for e in members]
    names = panels.names(episodes, manifest)
    lines = interval_note(panels.labelled(used, ["model", "condition", "framework"], names).values())
    notes = [
        f"Beside a name: Pass@1 with minus without, in points, and its 95% interval, paired by task. Lines: {lines}."
    ]
    if not metrics.counted(episodes, 0):
        raise panels.nothing(episodes, repairs)
    if not compared:
        raise NothingToDraw(
            "no two conditions differ in starter code or assistant prefill alone; to compare them, list both in the "
            "experiment file, as in [prompt] starter = [true, false]"
        )
    started = list(dict.fromkeys(STARTS[kind] for *_, kind in compared))
    title = f"With and without {' or '.join(started)}"
    words = panels.words(title, episodes, manifest, list(chosen.values()), notes, drawn=used)
    kinds = [WITHOUT, *started]
    shown: dict[str, dict[str, bars.Group]] = {}
    for without, with_, kind in compared:
        rows = prefill_differences(chosen[without], chosen[with_])
        for row in rows:
            model = names.of("model", row.model)
            other = [names.of("condition", with_)] if len(compared) > 1 else []
            about = " / ".join([*([model] if len(rows) > 1 else []), *other]) or model
            for framework, pairs in row.pairs.items():
                rates = {WITHOUT: rate([a for a, _ in pairs], 0), STARTS[kind]: rate([b for _, b in pairs], 0)}
                gain = Difference.of(row.by_framework[framework])
                shown.setdefault(framework, {})[about] = bars.Group(rates, str(gain))
    return bars.draw(words, dict(sorted(shown.items())), kinds, xlabel="first answers that pass (%)")
