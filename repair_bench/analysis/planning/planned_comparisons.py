"""The planned comparisons of a study, and the pairs of episodes in a run that belong to each comparison."""

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
"""The statistical method of a comparison (see `pairs`), as stated in `study.lock`."""


def comparisons(
    *,
    models: Sequence[str],
    suites: Sequence[str],
    prompts: Iterable[Sequence[str]],
    conditions: Mapping[str, Mapping[str, Any]],
    repairs: int,
) -> list[Comparison]:
    """Return all comparisons of a study. Each arm is compared with its controls after all repairs. Each pair of models
    is compared twice: before any repair, and after all repairs.

    `prompts`: groups of conditions that share first answers. `conditions`: the settings of each condition.
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
    """Return the pairs of episodes that belong to a comparison. Raises the same UsageError as `pairs.pair`."""
    within, key = ("model", ARMS) if comparison.by == "condition" else ("condition", ("condition", *ARMS[1:]))
    sides: dict[str, list[Episode]] = {comparison.baseline: [], comparison.other: []}
    for episode in episodes:
        first = episode.first
        side = sides.get(getattr(first, comparison.by))
        if side is not None and (first.suite, getattr(first, within)) == (comparison.suite, comparison.within):
            side.append(episode)
    return pair(sides[comparison.baseline], sides[comparison.other], key)
