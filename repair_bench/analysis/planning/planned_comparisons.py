"""Which comparisons a study makes, and which episodes of a run are theirs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from repair_bench.analysis.comparing.effects import controlled
from repair_bench.analysis.comparing.pairs import ARMS, Paired, pair
from repair_bench.analysis.rates import clusters
from repair_bench.analysis.rates.metrics import Episode
from repair_bench.traces.run.study_lock import Comparison

DECIDED_BY = {
    "estimate": "difference in FB@k, paired by task and sample, over all frameworks and samples of a suite",
    "problem": clusters.DECIDED_BY,
    "interval": "Student's, 95%, over problems",
    "test": "sign flips by problem, two-sided, mid-p",
    "level": 0.05,
    "many": "Holm",
}
"""How a comparison is decided (see `pairs`)."""
_MODELS = ("suite", "task_id", "framework", "condition", "sample")
"""What two models of a condition have in common."""


def comparisons(
    *,
    models: Sequence[str],
    suites: Sequence[str],
    prompts: Iterable[Sequence[str]],
    conditions: Mapping[str, Mapping[str, Any]],
    repairs: int,
) -> list[Comparison]:
    """All that a study makes: arms against their controls after all repairs, as `report` has them
    (`effects.controlled`), and each two models beside each other, before repairs and after them, as `compare` has them.

    `prompts`: the conditions that share their first answers, a group each. `conditions`: the settings of each.
    """
    by_policy = {name: str(stated["feedback"]) for name, stated in conditions.items()}
    of_arms = [
        Comparison("condition", suite, model, control, arm, repairs)
        for model in models
        for suite in suites
        for group in prompts
        for arm, _, control in controlled(group, by_policy, conditions)
        if repairs
    ]
    of_models = [
        Comparison("model", suite, condition, first, second, k)
        for suite in suites
        for first, second in combinations(models, 2)
        for condition in conditions
        for k in dict.fromkeys((0, repairs))
    ]
    return [*of_arms, *of_models]


def paired(episodes: Iterable[Episode], comparison: Comparison) -> Paired:
    """The pairs of a comparison. Raises UsageError as `pairs.pair` does."""
    within, key = ("model", ARMS) if comparison.by == "condition" else ("condition", _MODELS)
    sides: dict[str, list[Episode]] = {comparison.baseline: [], comparison.other: []}
    for episode in episodes:
        first = episode.first
        side = sides.get(getattr(first, comparison.by))
        if side is not None and (first.suite, getattr(first, within)) == (comparison.suite, comparison.within):
            side.append(episode)
    return pair(sides[comparison.baseline], sides[comparison.other], key)
