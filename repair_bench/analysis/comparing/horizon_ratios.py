"""Compare two horizons by their ratio: those of an arm and its control, or those of the two sides of a comparison.

The horizon for a family of tasks is the instance size at which programs solve half of the instances (see
`horizon_fit`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from repair_bench.analysis.comparing import arms
from repair_bench.analysis.comparing.effects import controlled
from repair_bench.analysis.comparing.pairs import Paired, can_differ, pair
from repair_bench.analysis.rates.horizon import by_family, horizon_of, programs
from repair_bench.analysis.rates.horizon_fit import Estimate
from repair_bench.analysis.rates.metrics import Episode
from repair_bench.traces.run.manifest import Manifest


@dataclass(frozen=True)
class HorizonRatio:
    """The horizons of the two sides of a comparison in one family of tasks, and the ratio `other` / `baseline`.

    `n`: the number of programs per side; if episodes are censored, the smaller of the two numbers.
    """

    family: str
    sizes: list[int]
    n: int
    baseline: Estimate
    other: Estimate
    ratio: Estimate


@dataclass(frozen=True)
class ArmRatio:
    """The ratio of an arm's horizon to its control's horizon after the last repair, in one family of tasks."""

    group: arms.PromptArms
    arm: str
    control: str
    policy: str
    found: HorizonRatio


def ratios(paired: Paired, k: int) -> list[HorizonRatio]:
    """Return the horizons of both sides after `k` repairs, and their ratio, for each family of tasks."""
    rows = []
    for _, family in by_family((episode for both in paired.pairs for episode in both), "suite"):
        own = set(map(id, family.episodes))
        part = Paired(tuple(both for both in paired.pairs if id(both[0]) in own), 0)
        if not part.pairs:  # the family belongs to the suite of the other side
            continue
        sides = [programs((both[arm] for both in part.pairs), family.instances, k, arm) for arm in (0, 1)]
        baseline, other = (horizon_of([replace(one, arm=0) for one in found]) for found in sides)
        same = Estimate(1.0, 1.0, 1.0)
        ratio = horizon_of([*sides[0], *sides[1]] if all(sides) else []) if can_differ(part, k) else same
        rows.append(HorizonRatio(family.name, family.sizes, min(map(len, sides)), baseline, other, ratio))
    return rows


def ratios_of_arms(episodes: Iterable[Episode], manifest: Manifest, k: int) -> list[ArmRatio]:
    """Return the horizon ratio for each arm and each control of the arm (see `effects.controlled`)."""
    episodes = list(episodes)
    by_policy = arms.policies(episodes, manifest)
    return [
        ArmRatio(group, name, control, policy, found)
        for group in arms.by_prompt(episodes)
        if any(by_family((episode for part in group.arms.values() for episode in part), "suite"))
        for name, policy, control in controlled(list(group.arms), by_policy, manifest.conditions)
        for found in ratios(pair(group.arms[control], group.arms[name]), k)
    ]
