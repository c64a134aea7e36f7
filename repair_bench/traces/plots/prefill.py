"""What starter code or an assistant prefill does to Pass@1: QuanBench+'s comparison, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from repair_bench.traces import arms, metrics
from repair_bench.traces.analysis.curves import rate
from repair_bench.traces.analysis.pairs import Paired, difference, pair
from repair_bench.traces.notices import interval_note, repairs_of
from repair_bench.traces.plots import bars, panels, style
from repair_bench.traces.row import Recorded

KINDS = {"starter": "starter code in the prompt", "assistant_prefill": "assistant prefill"}
"""The settings that begin an answer, and what they are called here. The paper calls both prefill."""
WITHOUT = "neither"
_PAIRED = ("suite", "model", "task_id", "framework", "sample")


def figure(attempts: Sequence[Recorded], manifest: dict[str, Any]) -> Figure:
    """A bar without and one with, for each model; one panel a framework. Differences are paired by task and sample."""
    paths = metrics.episodes(attempts)
    repairs = repairs_of(attempts, manifest)
    compared = comparisons(paths, manifest)
    chosen = {name: [e for e in paths if e.first.condition == name] for pair_ in compared for name in pair_[:2]}
    label = f"{'Starter code, prefill' if len(compared) != 1 else KINDS[compared[0][2]].capitalize()} and none"
    used = [e for members in chosen.values() for e in members]
    lines = interval_note(panels.labelled(used, ["model", "condition", "framework"]).values())
    notes = [
        f"Beside a name: Pass@1 with minus without, in points, and its 95% interval, paired by task. Lines: {lines}."
    ]
    words = panels.words(label, used or paths, manifest, list(chosen.values()), notes)
    if not metrics.counted(paths, repairs):
        return style.blank(words, panels.nothing(paths, repairs))
    if not compared:
        return style.blank(
            words,
            "This run has no two conditions that differ in starter code or assistant prefill alone. To compare them, "
            "list both in the experiment file: [prompt] starter = [true, false].",
        )
    kinds = [WITHOUT, *dict.fromkeys(KINDS[kind] for *_, kind in compared)]
    shown: dict[str, dict[str, bars.Group]] = {}
    for without, with_, kind in compared:
        paired = pair(chosen[without], chosen[with_], 0, _PAIRED)
        models = {a.first.model for a, _ in paired.pairs}
        for key, members in _split(paired).items():
            framework, model = key
            about = " / ".join([*([model] if len(models) > 1 else []), *([with_] if len(compared) > 1 else [])])
            found = difference(Paired(tuple(members), 0), 0)
            rates = {WITHOUT: rate([a for a, _ in members], 0), KINDS[kind]: rate([b for _, b in members], 0)}
            points = [f"{100 * x:+.1f}" for x in (found.estimate, found.low, found.high) if x is not None]
            note = f"{points[0]} ({points[1]}..{points[2]})"
            shown.setdefault(framework, {})[about or model] = bars.Group(rates, note)
    return bars.draw(words, shown, kinds, xlabel="first answers that pass (%)")


def comparisons(paths: Sequence[metrics.Episode], manifest: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Conditions without and with, and the setting that differs: one pair of prompts each, told by its first arm."""
    stated = arms.settings(manifest)
    heads = [members[0] for members in arms.prompts(paths).values() if members[0] in stated]
    arm = ("feedback", "history", "repair_temperature", "max_attempts")
    return [
        (without, with_, kind)
        for kind in KINDS
        for without in heads
        for with_ in heads
        if not any(stated[without].get(name) for name in KINDS)
        and stated[with_].get(kind)
        and arms.differ(stated[without], stated[with_], arm) == [kind]
    ]


def _split(paired: Paired) -> dict[tuple[str, str], list[Any]]:
    parts: dict[tuple[str, str], list[Any]] = {}
    for one in paired.pairs:
        parts.setdefault((one[0].first.framework, one[0].first.model), []).append(one)
    return dict(sorted(parts.items()))
