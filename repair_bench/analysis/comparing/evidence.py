"""Compare arms that differ in the kind of evidence: solve rates, differences from common baselines, and costs per
solved episode.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from repair_bench.analysis.comparing import arms
from repair_bench.analysis.comparing.costs import Unit, running, spent
from repair_bench.analysis.comparing.effects import Effect, adjusted, effect_over
from repair_bench.analysis.feedback_use.use import Observed
from repair_bench.analysis.rates import metrics
from repair_bench.analysis.rates.clusters import Problem
from repair_bench.analysis.rates.curves import rate, solved_by
from repair_bench.analysis.rates.intervals import Clusters, Interval, mean_interval
from repair_bench.analysis.rates.metrics import Episode, group
from repair_bench.analysis.runs.notices import CONTROL, level, mixed
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.study_lock import Comparison

BASELINES = ("default", "verdict")
"""The feedback policies of the baselines with which every other arm is compared."""
_EVIDENCE = (*arms.POLICY, "tools", "ask")
"""The settings that may differ between an arm and its baseline."""


class Bits(NamedTuple):
    """How much information an arm's repairs receive and use, in bits per repair.

    The information concerns the conventions that a prompt leaves open. `received`: the amount of information that the
    model has received before a repair (see `Observed.received`). `used`: how much of the received information the
    repair uses (see `Observed.used`). `per_thousand`: the number of bits used per 1,000 tokens of repairs and critics;
    None if the number of tokens is unknown.
    """

    received: Interval
    used: Interval
    per_thousand: float | None


@dataclass(frozen=True)
class Evidence:
    """The results of one arm.

    `kind`: the kind of evidence (`kind_of`). `within`: FB@k by k. `effects`: for each baseline policy, the baseline
    arm, the effect relative to this arm, and the p-value (adjusted for all tests in the table). `tokens`, `usd`: the
    cost per solved episode, including critics; None if the cost is unknown or no episode is solved. `bits`: None if the
    prompts leave no conventions open.
    """

    model: str
    suite: str
    arm: str
    kind: str
    within: dict[int, Interval]
    effects: dict[str, tuple[str, Effect, float | None]]
    tokens: float | None
    usd: float | None
    bits: Bits | None


def kind_of(policy: str, settings: Mapping[str, Any], model: str) -> str:
    """Return the name of a condition's kind of evidence, such as `expected + try`.

    This name contains the feedback policy, `try` if tools are allowed, and `ask` if questions are allowed. The policy
    `default` is omitted if `try` or `ask` is present.
    """
    used = [word for name, word in (("tools", "try"), ("ask", "ask")) if settings.get(name)]
    if policy == "critic":
        policy = "self-critic" if (settings.get("critic") or [None])[0] in ("self", model) else policy
    return " + ".join([*([] if policy == "default" and used else [policy]), *used])


def evidence(
    episodes: Iterable[Episode], manifest: Manifest, repairs: int, observed: Sequence[Observed] = ()
) -> list[Evidence]:
    """Return one row per model, suite and arm.

    The rows of a model and suite are omitted if all their arms have the same kind of evidence. Control tasks, whose
    prompts leave no conventions open, are excluded unless there are only control tasks.
    """
    episodes, stated = list(episodes), manifest.conditions
    controls, by_policy = mixed(episodes), arms.policies(episodes, manifest)
    shown = [e for e in episodes if e.first.suite not in controls or level(e) != CONTROL]
    parts = group(shown, "model", "suite", "condition")
    kinds: dict[tuple[str, str], dict[str, str]] = {}
    for model, suite, arm in parts:
        kinds.setdefault((model, suite), {})[arm] = kind_of(by_policy[arm], stated.get(arm, {}), model)
    several = {key: kinds[key[:2]] for key in parts if len(set(kinds[key[:2]].values())) > 1}
    effects = {
        (key, policy): (base, effect_over(policy, parts[*key[:2], base], parts[key], repairs))
        for key, of_suite in several.items()
        for policy in BASELINES
        if (base := _baseline(key[2], policy, of_suite, stated)) is not None
    }
    tests = [
        (Comparison("condition", suite, model, base, arm, repairs), effect.p_value)
        for ((model, suite, arm), _), (base, effect) in effects.items()
    ]
    p_values = dict(zip(effects, adjusted(tests, manifest), strict=True))
    counted = [one for one in observed if one.bits and one.episode.state(repairs) == "counted"]
    return [
        Evidence(
            *(key[0], key[1], key[2], of_suite[key[2]]),
            within={k: rate(parts[key], k) for k in sorted({min(1, repairs), repairs})},
            effects={policy: (*effects[of, policy], p) for (of, policy), p in p_values.items() if of == key},
            tokens=per_solved(parts[key], "tokens", repairs),
            usd=per_solved(parts[key], "usd", repairs),
            bits=bits(one for one in counted if one.arm == key),
        )
        for key, of_suite in several.items()
    ]


def consults(policy: str, settings: Mapping[str, Any]) -> bool:
    """Whether a condition obtains evidence besides verdicts: from a critic, a tool, documentation or questions."""
    return policy in ("critic", "tool", "api") or bool(settings.get("ask"))


def _baseline(arm: str, policy: str, kinds: Mapping[str, str], stated: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Return the baseline arm that differs from `arm` only in the kind of evidence, or None.

    Two baselines are compared with each other only once.
    """
    if kinds[arm] in BASELINES[BASELINES.index(policy) :]:
        return None
    settings = stated.get(arm, {})
    matching = (one for one, kind in kinds.items() if kind == policy)
    return next((one for one in matching if not arms.differ(settings, stated.get(one, {}), _EVIDENCE)), None)


def per_solved(episodes: Iterable[Episode], unit: Unit, repairs: int) -> float | None:
    """Return the total cost per solved episode; None if a cost is unknown or no episode is solved."""
    members = metrics.counted(episodes, 0)
    spends = [spend[-1] for e in members if (spend := running(e, unit, repairs))]
    solved = sum(solved_by(e, repairs) for e in members)
    return math.fsum(spends) / solved if solved and len(spends) == len(members) else None


def bits(observed: Iterable[Observed]) -> Bits | None:
    """Return how many bits of information the repairs in the given episodes receive and use.

    The result is None if the ideal observer cannot interpret any of the repairs.
    """
    repairs = [(one, number) for one in observed if one.explained for number in range(1, len(one.seen))]
    if not repairs:
        return None
    received, used = ([getattr(one, name)(number) for one, number in repairs] for name in ("received", "used"))
    tokens = [spent(one.episode.attempts[number], "tokens") for one, number in repairs]
    known = [n for n in tokens if n is not None]
    problems = [one.problem for one, _ in repairs]
    return Bits(
        _mean(problems, received),
        _mean(problems, used),
        1000 * math.fsum(used) / math.fsum(known) if len(known) == len(tokens) and math.fsum(known) else None,
    )


def _mean(problems: Sequence[Problem], values: Sequence[float]) -> Interval:
    """Return the interval for a mean in bits. `mean_interval` is called with values that are rescaled to -1..1."""
    scale = max(map(abs, values)) or 1.0
    found = mean_interval(Clusters.of((of, value / scale) for of, value in zip(problems, values, strict=True)))
    low, middle, high = (None if x is None else scale * x for x in (found.low, found.estimate, found.high))
    return Interval(middle, low, high, found.n, found.problems)
