"""Effects of feedback and prefill, and the part of a gain that is due to grader noise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
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
    "none": "independent resampling, without the previous attempt or feedback",
    "verdict": "binary (pass/fail) feedback",
    "shuffled": "placebo feedback about another task",
}
"""The feedback policies of control arms, and their descriptions."""


class CertifiedTask(TypedDict):
    id: str
    framework: str
    accepted: Annotated[float, msgspec.Meta(ge=0, le=1)] | None


class Certificate(TypedDict):
    """The fields of an audit certificate that this module uses."""

    suite: str
    rule: str
    tasks: list[CertifiedTask]


@dataclass(frozen=True)
class Effect:
    """FB@k of an arm minus FB@k of a control for k = 0..N, with tests of the difference at k = N.

    `changed`, `p_value`, `differing`: see `pairs`. `alone`: the number of unpaired episodes. `finished`: the number of
    uncensored pairs.
    """

    control: str
    by: tuple[Interval, ...]
    changed: WonLost
    differing: int
    p_value: float | None
    alone: int
    finished: int
    bound: DifferenceBound | None

    @property
    def undecided(self) -> bool:
        """Whether censored episodes could change the sign or significance of the difference after the last repair."""
        return self.bound is not None and self.bound.decides(self.by[-1].estimate, self.p_value)


def effect_over(policy: str, control: Sequence[Episode], arm: Sequence[Episode], repairs: int) -> Effect:
    """Return the effect of `arm` relative to `control`, from pairs of episodes that share a first answer.

    `policy`: the feedback policy of the control. Raises UsageError if two episodes of an arm have the same task and
    sample.
    """
    paired = pair(control, arm)
    by = tuple(difference(paired, k) for k in range(repairs + 1))
    changed, p = won_lost(paired, repairs), p_value(paired, repairs)
    known, bound = len(finished(paired, repairs)), difference_bound(paired, repairs)
    return Effect(policy, by, changed, differing(paired, repairs), p, paired.alone, known, bound)


def controlled(
    conditions: Sequence[str], by_policy: Mapping[str, str], stated: Mapping[str, Mapping[str, Any]]
) -> list[tuple[str, str, str]]:
    """List the controls of each arm with informative feedback, as (arm, feedback policy of the control, control).

    If no arm has informative feedback, all repairing arms are included.
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
    """The effect of an arm relative to a control in the same group. `arm` and `control` are names of conditions.

    `p_holm`: the p-value, adjusted for all effects that were computed together (see `adjusted`).
    """

    group: arms.PromptArms
    arm: str
    control: str
    effect: Effect
    p_holm: float | None

    def asks(self, k: int) -> Comparison:
        return Comparison("condition", self.group.suite, self.group.model, self.control, self.arm, k)


def effects_of_arms(episodes: Iterable[Episode], manifest: Manifest, repairs: int) -> list[ArmEffect]:
    """Return the effect of every arm relative to each of its controls (see `controlled`), for all groups.

    Planned comparisons between other arms are included.
    """
    episodes = list(episodes)
    by_policy = arms.policies(episodes, manifest)
    compared = []
    for group in arms.by_prompt(episodes):
        pairs = controlled(list(group.arms), by_policy, manifest.conditions)
        listed = {frozenset((name, control)) for name, _, control in pairs}
        pairs += [
            (one.other, by_policy[one.baseline], one.baseline)
            for one in _planned(group, manifest, repairs)
            if frozenset((one.other, one.baseline)) not in listed
        ]
        order = list(group.arms)
        for name, policy, control in sorted(pairs, key=lambda found: order.index(found[0])):
            compared.append((group, name, control, effect_over(policy, group.arms[control], group.arms[name], repairs)))
    found = [ArmEffect(*effect, None) for effect in compared]
    p_values = adjusted([(one.asks(repairs), one.effect.p_value) for one in found], manifest)
    return [replace(one, p_holm=p) for one, p in zip(found, p_values, strict=True)]


def _planned(group: arms.PromptArms, manifest: Manifest, repairs: int) -> list[Comparison]:
    """Return the planned comparisons of FB@repairs between two arms of the group."""
    return [
        one
        for one in manifest.planned or ()
        if (one.by, one.suite, one.within, one.k) == ("condition", group.suite, group.model, repairs)
        and {one.baseline, one.other} <= group.arms.keys()
    ]


def planned_tests(manifest: Manifest) -> int:
    """Return the number of planned comparisons between arms, which `--plan` also prints."""
    return sum(one.by == "condition" for one in manifest.planned or ())


def adjusted(tests: Sequence[tuple[Comparison, float | None]], manifest: Manifest) -> list[float | None]:
    """Return the p-values of comparisons between arms, adjusted for multiple testing (Holm).

    All planned comparisons form one family of tests, even comparisons that are unfinished or not in `tests`. All other
    comparisons form a second family.
    """
    planned = {one.sides: p for one, p in tests if manifest.planned_pairs(one) is not None and p is not None}
    others = {one: p for one, p in tests if manifest.planned_pairs(one) is None}
    absent = planned_tests(manifest) - len(planned)
    of_plan = dict(zip(planned, holm([*planned.values(), *[1.0] * absent]), strict=False))
    exploratory = dict(zip(others, holm([*others.values()]), strict=True))
    return [exploratory[one] if one in others else of_plan.get(one.sides) for one, _ in tests]


@dataclass(frozen=True)
class NetGain:
    """The gain FB@k - FB@0, from 0 to 1.

    `phantom`: the gain that is expected from spurious repairs. `net`: the gain minus the gain that is expected from
    spurious repairs.
    """

    gain: Interval
    phantom: float | None
    net: Interval | None


def net_gain(episodes: Iterable[Episode], k: int, certificate: Mapping[str, Any] | None) -> NetGain:
    """Return the gain from k repairs, before and after subtracting the gain expected from spurious repairs.

    A repair is spurious if a correct answer fails at first and then passes unchanged. For each task, the suite's
    certificate states how often the grader accepts a correct answer. The expected spurious gain of a task follows from
    this acceptance rate, and is subtracted from the gain of each episode on the task. If the acceptance rate of a task
    is unknown, the gain subtracted from its episodes is the mean expected spurious gain over all episodes on tasks with
    a known rate. The expected gain is an estimate, not a bound. Raises ValueError if the certificate belongs to another
    suite.
    """
    members = counted(episodes, 0)
    suites = {e.first.suite for e in members}
    if certificate is not None and suites - {certificate["suite"]}:
        raise ValueError(f"a certificate for {certificate['suite']} does not cover {', '.join(sorted(suites))}")
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
    """Return the mean of (1 - p) - (1 - p)^(k + 1) over `tasks`, where p is the acceptance rate of correct answers.

    Because the grader may reject a correct answer, some correct answers fail at first and then pass unchanged. The
    result is the expected share of correct answers that fail at first and then pass unchanged within k repairs. Tasks
    with unknown p are excluded; the result is None if no p is known.
    """
    by_task = _phantom_by_task(certificate, k)
    known = [by_task[task] for task in tasks if task in by_task]
    return math.fsum(known) / len(known) if known else None


def _phantom_by_task(certificate: Mapping[str, Any], k: int) -> dict[tuple[str, str], float]:
    accepted = {(task["id"], task["framework"]): task["accepted"] for task in certificate["tasks"]}
    return {task: (1 - p) - (1 - p) ** (k + 1) for task, p in accepted.items() if p is not None}


@dataclass(frozen=True)
class PrefillRow:
    """A row of QuanBench+'s Table 1, with added intervals: Pass@1 with prefill minus Pass@1 without prefill."""

    model: str
    by_framework: dict[str, Interval]
    average: Interval
    bound: DifferenceBound | None
    """The bounds on `average` if first answers are censored, otherwise None."""


def prefill_differences(without: Iterable[Episode], prefilled: Iterable[Episode]) -> list[PrefillRow]:
    """Return one row per model, which states how much prefill changes Pass@1.

    Episodes with and without prefill are paired by task, framework and sample. Differences range from -1 to 1. The
    average is the mean of the frameworks' differences, with an interval clustered by problem.
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
    """Return the mean difference. All `parts` have equal weights, and so have all tasks within a part."""
    values = [(problem(a), float(solved_by(b, 0)) - float(solved_by(a, 0))) for part in parts for a, b in part]
    return mean_interval(Clusters.of(values, _shares(parts)))


def _bound(parts: Sequence[Sequence[Pair]]) -> DifferenceBound | None:
    found = [(a, *ends((a, b), 0)) for part in parts for a, b in part]
    return bound_of([a for a, *_ in found], [low for _, low, _ in found], [high for *_, high in found], _shares(parts))


def _shares(parts: Sequence[Sequence[Pair]]) -> list[float]:
    weighed = [weights(a for a, _ in part) for part in parts]
    return [w / sum(weight) for weight in weighed for w in weight]
