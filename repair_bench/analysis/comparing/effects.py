"""What causes a gain: feedback against its controls, prefill against none, and the part that is grader noise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

import msgspec

from repair_bench.analysis.comparing import arms
from repair_bench.analysis.comparing.bounds import DifferenceBound, bound_of, difference_bound, ends
from repair_bench.analysis.comparing.pairs import (
    Pair,
    Paired,
    WonLost,
    difference,
    differing,
    finished,
    p_value,
    pair,
    won_lost,
)
from repair_bench.analysis.rates.curves import problem, solved_by, solved_shares, weights
from repair_bench.analysis.rates.intervals import Clusters, Interval, mean_interval
from repair_bench.analysis.rates.metrics import Episode, counted
from repair_bench.analysis.rates.statistics import holm
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.study_lock import Comparison

CONTROLS = {
    "none": "repair against new samples: what seeing the last attempt and feedback adds",
    "verdict": "what the content of the feedback adds to knowing that it failed",
    "shuffled": "what its being about this attempt adds to being given some feedback (the placebo)",
}
"""The feedback policies that a policy is compared with, and what the difference to each of them says."""


class CertifiedTask(TypedDict):
    id: str
    framework: str
    accepted: Annotated[float, msgspec.Meta(ge=0, le=1)] | None


class Certificate(TypedDict):
    """What is read of the certificate of a suite's grader."""

    suite: str
    rule: str
    tasks: list[CertifiedTask]


@dataclass(frozen=True)
class Effect:
    """FB@k of an arm minus FB@k of a control for k = 0..N, and in the end the pairs won and lost, the problems in which
    they differ, the p-value of no difference (`pairs.p_value`), and the bounds of FB@N where pairs were cut short.
    `finished`: the pairs that nothing cut short.
    """

    control: str
    by: tuple[Interval, ...]
    changed: WonLost
    differing: int | None
    p_value: float | None
    alone: int
    finished: int
    bound: DifferenceBound | None

    @property
    def undecided(self) -> bool:
        """Whether the sign or significance of the last difference depends on pairs that were cut short."""
        return self.bound is not None and self.bound.decides(self.by[-1].estimate, self.p_value)


def effect_over(policy: str, control: Sequence[Episode], arm: Sequence[Episode], repairs: int) -> Effect:
    """What an arm gains over a control, of that policy. Pairs share first answers.

    Raises UsageError when two episodes of an arm are the same task and sample.
    """
    paired = pair(control, arm)
    by = tuple(difference(paired, k) for k in range(repairs + 1))
    changed, p = won_lost(paired, repairs), p_value(paired, repairs)
    known, bound = len(finished(paired, repairs)), difference_bound(paired, repairs)
    return Effect(policy, by, changed, differing(paired, repairs), p, paired.alone, known, bound)


def controlled(
    conditions: Sequence[str], by_policy: Mapping[str, str], stated: Mapping[str, Mapping[str, Any]]
) -> list[tuple[str, str, str]]:
    """Which arms of a prompt are compared: (arm, policy of the control, control), arms and controls by condition.

    Every arm that tells something against each of its controls; where none does, every arm that repairs.
    """
    telling = [name for name in conditions if by_policy[name] not in CONTROLS]
    return [
        (name, policy, control)
        for name in telling or [name for name in conditions if by_policy[name] != arms.RESAMPLING]
        for policy in CONTROLS
        if policy != by_policy[name]
        and (control := arms.control(name, policy, conditions, by_policy, stated)) is not None
    ]


@dataclass(frozen=True)
class ArmEffect:
    """The effect of an arm over a control of its group, both named by their conditions.

    `p_holm`: the effect's p-value, adjusted for all that were asked for together and could differ.
    """

    group: arms.PromptArms
    arm: str
    control: str
    effect: Effect
    p_holm: float | None

    def asks(self, k: int) -> Comparison:
        return Comparison("condition", self.group.suite, self.group.model, self.control, self.arm, k)


def effects_of_arms(episodes: Iterable[Episode], manifest: Manifest, repairs: int) -> list[ArmEffect]:
    """The effects of all arms that are `controlled`, in every group."""
    episodes = list(episodes)
    by_policy = arms.policies(episodes, manifest)
    compared = [
        (group, name, control, effect_over(policy, group.arms[control], group.arms[name], repairs))
        for group in arms.by_prompt(episodes)
        for name, policy, control in controlled(list(group.arms), by_policy, manifest.conditions)
    ]
    adjusted = holm([effect.p_value for *_, effect in compared])
    return [ArmEffect(*whole, p) for whole, p in zip(compared, adjusted, strict=True)]


@dataclass(frozen=True)
class NetGain:
    """What repairs gain, in 0..1. `gain`: FB@k - FB@0. `phantom`: what a noisy grader gives to unchanged correct
    answers alone, None when it is not known; `net`: the gain without it.
    """

    gain: Interval
    phantom: float | None
    net: Interval | None


def net_gain(episodes: Iterable[Episode], k: int, certificate: Mapping[str, Any] | None) -> NetGain:
    """The gain of k repairs less the phantom repair of the suite's certificate under the rule that graded the run.

    `certificate`: its JSON data, or None for a suite without one. The phantom part is an estimate, of what would be
    gained if every answer were correct and were left unchanged. It bounds nothing: answers that are surely wrong gain
    less, near misses may gain more (one that is accepted in 0.3 of the draws gains 0.58 in five repairs). Each episode
    has its own task's part subtracted, one of a task that the certificate does not know the mean of the others, so that
    the interval of `net` knows which tasks are noisy. Raises ValueError when the certificate is of another suite.
    """
    members = counted(episodes, 0)
    suites = {e.first.suite for e in members}
    if certificate is not None and suites - {certificate["suite"]}:
        raise ValueError(f"a certificate of {certificate['suite']} says nothing of {', '.join(sorted(suites))}")
    before, after = (solved_shares(members, at) or [] for at in (0, k))
    gains = [(problem(e), y - x) for e, x, y in zip(members, before, after, strict=False)]
    weight = weights(members)
    gain = mean_interval(Clusters.of(gains, weight))
    by_task = _phantom_by_task(certificate, k) if certificate is not None else {}
    parts = [by_task.get((e.first.task_id, e.first.framework)) for e in members]
    noisy = [(part, w) for part, w in zip(parts, weight, strict=True) if part is not None]
    phantom = math.fsum(part * w for part, w in noisy) / sum(w for _, w in noisy) if noisy else None
    if phantom is None:
        return NetGain(gain, None, None)
    left = ((of, more - (phantom if part is None else part)) for (of, more), part in zip(gains, parts, strict=False))
    return NetGain(gain, phantom, mean_interval(Clusters.of(left, weight)))


def phantom_share(certificate: Mapping[str, Any], k: int, tasks: Iterable[tuple[str, str]]) -> float | None:
    """The share of `tasks`, (id, framework), that an unchanged correct answer fails first and passes within k repairs.

    The mean of (1 - p) - (1 - p)^(k + 1), for p the share of correct answers that the grader accepts. None when the
    certificate knows p of none of them; tasks that it does not know are left out.
    """
    by_task = _phantom_by_task(certificate, k)
    known = [by_task[task] for task in tasks if task in by_task]
    return math.fsum(known) / len(known) if known else None


def _phantom_by_task(certificate: Mapping[str, Any], k: int) -> dict[tuple[str, str], float]:
    accepted = {(task["id"], task["framework"]): task["accepted"] for task in certificate["tasks"]}
    return {task: (1 - p) - (1 - p) ** (k + 1) for task, p in accepted.items() if p is not None}


@dataclass(frozen=True)
class PrefillRow:
    """A row of QuanBench+'s Table 1 with intervals: Pass@1 with prefill minus without, by framework and on average."""

    model: str
    by_framework: dict[str, Interval]
    average: Interval
    bound: DifferenceBound | None
    """The bounds of the average, where infrastructure errors took first answers."""


def prefill_differences(without: Iterable[Episode], prefilled: Iterable[Episode]) -> list[PrefillRow]:
    """One row a model, in -1..1 (the paper prints points, 100 times that).

    Pairs agree in model, task, framework and sample. The average is the mean of the frameworks' differences, as in the
    paper; its interval is over problems.
    """
    paired = pair(without, prefilled)
    split, recorded = _by_framework(paired.pairs), _by_framework([*paired.pairs, *paired.unjudged])
    return [
        PrefillRow(
            model,
            {framework: difference(Paired(tuple(pairs), 0), 0) for framework, pairs in sorted(parts.items())},
            _average(list(parts.values())),
            _bound(list(recorded[model].values())),
        )
        for model, parts in sorted(split.items())
    ]


def _by_framework(pairs: Iterable[Pair]) -> dict[str, dict[str, list[Pair]]]:
    split: dict[str, dict[str, list[Pair]]] = {}
    for episodes in pairs:
        first = episodes[0].first
        split.setdefault(first.model, {}).setdefault(first.framework, []).append(episodes)
    return split


def _average(parts: Sequence[Sequence[Pair]]) -> Interval:
    """The mean of the parts' mean differences: each part weighs the same, and in it each task."""
    values = [(problem(a), float(solved_by(b, 0)) - float(solved_by(a, 0))) for part in parts for a, b in part]
    return mean_interval(Clusters.of(values, _shares(parts)))


def _bound(parts: Sequence[Sequence[Pair]]) -> DifferenceBound | None:
    found = [(a, *ends((a, b), 0)) for part in parts for a, b in part]
    return bound_of([a for a, *_ in found], [low for _, low, _ in found], [high for *_, high in found], _shares(parts))


def _shares(parts: Sequence[Sequence[Pair]]) -> list[float]:
    weighed = [weights(a for a, _ in part) for part in parts]
    return [w / sum(weight) for weight in weighed for w in weight]
