"""Repair compared with independent resampling at equal budget (Olausson et al., ICLR 2024, arXiv 2306.09896).

Both arms share their first answers. An episode is solved within a budget if its attempts, up to and including the
attempt that passed, cost no more than the budget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from repair_bench.analysis.comparing import arms
from repair_bench.analysis.comparing.bounds import DifferenceBound, bound_of
from repair_bench.analysis.comparing.costs import Unit, running
from repair_bench.analysis.comparing.pairs import Paired, pair
from repair_bench.analysis.rates.censoring import effective_number, shares
from repair_bench.analysis.rates.curves import problem_numbers, weights
from repair_bench.analysis.rates.intervals import Clusters, Interval, mean_interval, rate_interval
from repair_bench.analysis.rates.metrics import Episode, counted
from repair_bench.traces.run.manifest import Manifest

if TYPE_CHECKING:
    import numpy as np

COMPARED_UNITS: tuple[Unit, ...] = ("calls", "tokens", "usd")
SHARES = (0.5, 0.9)
"""The quantiles of the cost per episode (over both arms) that serve as budgets in tokens and dollars."""


@dataclass(frozen=True)
class Point:
    """The solve rate within one budget.

    `rate`: the share (from 0 to 1) of episodes that are solved within the budget. `open`: the number of unsolved
    episodes that ended before using up the budget.
    """

    budget: float
    rate: Interval
    open: int


@dataclass(frozen=True)
class AtEqualBudget:
    """Two arms compared at the same budget.

    `difference`: the solve rate of the other arm minus the solve rate of the baseline, from -1 to 1. `open_baseline`,
    `open_other`: as in `Point`. `unknown`: the number of pairs excluded because a cost is unknown. `bound`: the bounds
    on the difference if pairs were excluded, or if episodes were censored before they used up the budget, otherwise
    None. In the bounds, an episode that was solved at an unknown cost counts as censored.
    """

    budget: float
    difference: Interval
    open_baseline: int
    open_other: int
    unknown: int
    bound: DifferenceBound | None


def budget_curve(episodes: Iterable[Episode], unit: Unit, repairs: int, budgets: Sequence[float]) -> list[Point]:
    """Return the solve rate at each budget, excluding episodes with unknown cost."""
    arm = _Arm.of([(e, s) for e in counted(episodes, 0) if (s := running(e, unit, repairs)) is not None], repairs)
    points = []
    for budget in budgets:
        over = partial(rate_interval, max_n=effective_number(arm.price, arm.passed, arm.weight, budget))
        points.append(Point(budget, _interval(arm, over, arm.solved(budget)), int((arm.left < budget).sum())))
    return points


def at_equal_budget(paired: Paired, unit: Unit, repairs: int, budgets: Sequence[float]) -> list[AtEqualBudget]:
    """Return, for each budget, the difference between the solve rates of two arms, computed from paired episodes.

    Raises ValueError if the first answers of a pair differ.
    """
    if not paired.shared:
        raise ValueError("arms that do not share first answers cannot be compared at equal budget")
    return compared_at(paired, unit, (repairs, repairs), budgets)


def compared_at(paired: Paired, unit: Unit, repairs: tuple[int, int], budgets: Sequence[float]) -> list[AtEqualBudget]:
    """Return, for each budget, the difference between the solve rates of two arms, computed from paired episodes.

    `repairs`: the maximum number of repairs in the baseline and in the other arm.
    """
    import numpy as np

    recorded = [
        ((a, running(a, unit, repairs[0])), (b, running(b, unit, repairs[1])))
        for a, b in (*paired.pairs, *paired.unjudged)
    ]
    judged = [both for both in recorded[: len(paired.pairs)] if all(spend is not None for _, spend in both)]
    unknown = len(paired.pairs) - len(judged)
    # a correct first answer that both sides share has the same cost on both sides
    same = [a.first.id == b.first.id and a.solved_at == b.solved_at == 0 for (a, _), (b, _) in recorded]
    baseline, other = (_Arm.of([pair[side] for pair in judged], repairs[side]) for side in (0, 1))
    ends = [_Arm.of([pair[side] for pair in recorded], repairs[side]) for side in (0, 1)]
    baselines = [a for (a, _), _ in recorded]
    compared = []
    for budget in budgets:
        before, after = baseline.solved(budget), other.solved(budget)
        differences = None if before is None or after is None else after - before
        difference = _interval(baseline, mean_interval, differences)
        open_baseline, open_other = (int((arm.left < budget).sum()) for arm in (baseline, other))
        (a, could_a), (b, could_b) = (arm.ends(budget) for arm in ends)
        lower, upper = (np.where(same, 0, end).tolist() for end in (b - could_a, could_b - a))
        bound = bound_of(baselines, lower, upper, excluded=unknown)
        compared.append(AtEqualBudget(budget, difference, open_baseline, open_other, unknown, bound))
    return compared


_Spent = tuple[Episode, Sequence[float] | None]
"""An episode and its cumulative cost after each attempt (see `costs.running`)."""


def _interval(arm: _Arm, over: Callable[[Clusters], Interval], values: np.ndarray | None) -> Interval:
    if values is None:
        return Interval(None, None, None, len(arm.problem), len(set(arm.problem.tolist())))
    return over(arm.clusters(values))


@dataclass(frozen=True)
class ArmAtBudget:
    """The comparison of a repairing arm with the resampling arm (`baseline`) of its group, at the same budget."""

    group: arms.PromptArms
    arm: str
    baseline: str
    unit: Unit
    equal: AtEqualBudget


def against_resampling(episodes: Iterable[Episode], manifest: Manifest, repairs: int) -> list[ArmAtBudget]:
    """Compare every repairing arm with the resampling arm of its group, at equal budgets in calls, tokens and dollars.

    The call budget covers all attempts. The budgets in tokens and dollars are the quantiles of the cost per episode
    that `SHARES` lists. Unknown differences are excluded.
    """
    episodes = list(episodes)
    by_policy, stated = arms.policies(episodes, manifest), manifest.conditions
    compared = []
    for group in arms.by_prompt(episodes):
        for name, members in group.arms.items():
            if by_policy[name] == arms.RESAMPLING:
                continue
            none = arms.control(name, arms.RESAMPLING, list(group.arms), by_policy, stated)
            if none is None:
                continue
            paired = pair(group.arms[none], members)
            for unit in COMPARED_UNITS:
                at = (repairs + 1.0,) if unit == "calls" else spent_by_shares(paired, unit, repairs)
                compared += [
                    ArmAtBudget(group, name, none, unit, equal)
                    for equal in at_equal_budget(paired, unit, repairs, at)
                    if equal.difference.estimate is not None
                ]
    return compared


def spent_by_shares(paired: Paired, unit: Unit, repairs: int) -> Sequence[float]:
    spends = sorted(s[-1] for p in paired.pairs for e in p if (s := running(e, unit, repairs)) is not None)
    return sorted({spends[round(share * (len(spends) - 1))] for share in SHARES}) if spends else ()


def budgets(paired: Paired, unit: Unit, repairs: int, points: int = 24) -> list[float]:
    """Return at most `points` budgets for a plot. The budgets are quantiles of the cost of solved episodes, and the
    maximum cost of all episodes.
    """
    spends = [(e, spend) for p in paired.pairs for e in p if (spend := running(e, unit, repairs)) is not None]
    at = sorted({spend[e.solved_at] for e, spend in spends if e.solved_at is not None and e.solved_at <= repairs})
    chosen = {at[round(i * (len(at) - 1) / max(1, points - 2))] for i in range(points - 1)} if at else set()
    return sorted(chosen | {max((spend[-1] for _, spend in spends), default=0.0)})


@dataclass(frozen=True)
class _Arm:
    """Episodes as columns, one entry per episode.

    `price`: the cost of the attempts until the episode was solved or censored; infinity if all attempts failed. An
    episode that was solved at an unknown cost counts as censored at cost 0. `passed`: whether the episode was solved.
    `left`: the total cost of the episode if all its attempts failed; infinity if the episode was solved or censored, or
    if its cost is unknown. `problem`: the index of the episode's problem. `weight`: see
    `curves.weights`.
    """

    price: np.ndarray
    passed: np.ndarray
    left: np.ndarray
    problem: np.ndarray
    weight: np.ndarray

    @classmethod
    def of(cls, members: Sequence[_Spent], repairs: int) -> _Arm:
        import numpy as np

        price, left = np.full(len(members), np.inf), np.full(len(members), np.inf)
        passed = np.zeros(len(members), dtype=bool)
        for i, (episode, spend) in enumerate(members):
            if episode.solved_at is not None and episode.solved_at <= repairs:
                price[i], passed[i] = (0.0, False) if spend is None else (spend[episode.solved_at], True)
            elif episode.state(repairs) == "counted":
                left[i] = np.inf if spend is None else spend[-1]
            else:
                price[i] = spend[-1] if spend else 0.0
        episodes = [episode for episode, _ in members]
        return cls(price, passed, left, problem_numbers(episodes), np.array(weights(episodes), dtype=float))

    def solved(self, budget: float) -> np.ndarray | None:
        """Return one value per episode, such that the weighted mean is the solve rate at a budget (see
        `censoring.shares`).
        """
        return shares(self.price, self.passed, self.weight, budget)

    def ends(self, budget: float) -> tuple[np.ndarray, np.ndarray]:
        """Return two 0/1 arrays, one entry per episode: certainly solved within a budget, and possibly solved."""
        solved = self.passed & (self.price <= budget)
        return 1 * solved, 1 * (solved | (~self.passed & (self.price < budget)))

    def clusters(self, values: np.ndarray) -> Clusters:
        return Clusters.numbered(self.problem, values, self.weight)
