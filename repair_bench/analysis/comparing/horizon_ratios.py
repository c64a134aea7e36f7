"""Ratios of horizons: of an arm to its control, or of two sides of a comparison."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from repair_bench.analysis.comparing import arms
from repair_bench.analysis.comparing.effects import controlled
from repair_bench.analysis.comparing.pairs import Pair, Paired, can_differ, finished, pair
from repair_bench.analysis.rates.horizon import families, family_of, horizon_of, programs
from repair_bench.analysis.rates.horizon_fit import Estimate
from repair_bench.analysis.rates.metrics import Episode
from repair_bench.traces.run.manifest import Manifest


@dataclass(frozen=True)
class HorizonRatio:
    """The horizon of the other side divided by that of the baseline, in one family. `pairs`: uncensored pairs."""

    family: str
    ratio: Estimate
    pairs: int


@dataclass(frozen=True)
class ArmRatio:
    """The ratios of an arm's horizons to those of a control in its group, after the last repair."""

    group: arms.PromptArms
    arm: str
    control: str
    policy: str
    found: HorizonRatio


def ratios(paired: Paired, k: int) -> list[HorizonRatio]:
    """Return the ratio of the horizons after `k` repairs in each family of the paired tasks."""
    rows = []
    for family in families(episode for both in paired.pairs for episode in both):
        part = Paired(tuple(both for both in paired.pairs if family_of(both[0]) == family.name), 0)
        rows.append(HorizonRatio(family.name, _ratio(part, family.instances, k), len(finished(part, k))))
    return rows


def ratios_of_arms(episodes: Iterable[Episode], manifest: Manifest, k: int) -> list[ArmRatio]:
    """Return the ratios of every arm relative to each of its controls (`effects.controlled`)."""
    episodes = list(episodes)
    by_policy = arms.policies(episodes, manifest)
    return [
        ArmRatio(group, name, control, policy, found)
        for group in arms.by_prompt(episodes)
        if families(episode for part in group.arms.values() for episode in part)
        for name, policy, control in controlled(list(group.arms), by_policy, manifest.conditions)
        for found in ratios(pair(group.arms[control], group.arms[name]), k)
    ]


def _ratio(paired: Paired, instances: int, k: int) -> Estimate:
    both: list[Pair] = finished(paired, k)
    if not both:
        return Estimate(None, None, None)
    if not can_differ(paired, k):
        return Estimate(1.0, 1.0, 1.0)
    return horizon_of([one for arm in (0, 1) for one in programs((pair[arm] for pair in both), instances, k, arm)])
