"""Repair against resampling at equal budget (Olausson et al., ICLR 2024, arXiv 2306.09896).

Feedback buys something only if it solves more than new samples would for the same money. Both arms start from the same
first answers; the `none` arm goes on with independent samples. A budget is what may be spent on one episode: it is
solved at a budget b when the attempts up to the one that passed cost at most b together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from repair_bench.traces.analysis.curves import problem, rate
from repair_bench.traces.analysis.pairs import Paired
from repair_bench.traces.analysis.spending import Unit, running
from repair_bench.traces.intervals import Clusters, Interval, mean_interval, rate_interval
from repair_bench.traces.metrics import Episode, counted


@dataclass(frozen=True)
class Point:
    """One point of a budget curve. `rate`: the share solved at the budget, in 0..1. `open`: unsolved episodes that had
    budget left when their attempts were used up: the rate could be higher by `open / rate.n`.
    """

    budget: float
    rate: Interval
    open: int


@dataclass(frozen=True)
class Equal:
    """Two arms at one budget. `difference`: share solved by the repair arm minus that of the baseline, in -1..1.

    `open_baseline`, `open_other`: as in `Point`. `unknown`: pairs left out because a provider reports no figure.
    """

    budget: float
    difference: Interval
    open_baseline: int
    open_other: int
    unknown: int


@dataclass(frozen=True)
class Policy:
    """Stopping after `repairs` repair attempts: the mean spend of an episode, and the share solved."""

    repairs: int
    spend: float
    rate: Interval


def budget_curve(paths: Iterable[Episode], unit: Unit, repairs: int, budgets: Sequence[float]) -> list[Point]:
    """The share of counted episodes solved at each budget; those whose spend is unknown are left out."""
    known = [(e, spend) for e in counted(paths, repairs) if (spend := running(e, unit, repairs)) is not None]
    points = []
    for budget in budgets:
        solved = Clusters.of((problem(e), float(_solved(e, spend, repairs, budget))) for e, spend in known)
        points.append(Point(budget, rate_interval(solved), sum(_open(e, s, repairs, budget) for e, s in known)))
    return points


def at_equal_budget(paired: Paired, unit: Unit, repairs: int, budgets: Sequence[float]) -> list[Equal]:
    """The paired difference at each budget, with its 95% interval over problems.

    Raises ValueError when a pair does not start from the same first answer.
    """
    if not paired.shared:
        raise ValueError("the two arms do not share their first answers: they cannot be compared at equal budget")
    known = [
        (a, b, spend_a, spend_b)
        for a, b in paired.pairs
        if (spend_a := running(a, unit, repairs)) is not None and (spend_b := running(b, unit, repairs)) is not None
    ]
    found = []
    for budget in budgets:
        values = (
            (problem(a), float(_solved(b, of_b, repairs, budget)) - float(_solved(a, of_a, repairs, budget)))
            for a, b, of_a, of_b in known
        )
        found.append(
            Equal(
                budget,
                mean_interval(Clusters.of(values)),
                sum(_open(a, of_a, repairs, budget) for a, _, of_a, _ in known),
                sum(_open(b, of_b, repairs, budget) for _, b, _, of_b in known),
                len(paired.pairs) - len(known),
            )
        )
    return found


def budgets(paired: Paired, unit: Unit, repairs: int, points: int = 24) -> list[float]:
    """At most `points` budgets to draw: quantiles of what solving an episode cost, and the largest spend."""
    spends = [(e, spend) for p in paired.pairs for e in p if (spend := running(e, unit, repairs)) is not None]
    at = sorted({spend[e.solved_at] for e, spend in spends if e.solved_at is not None and e.solved_at <= repairs})
    chosen = {at[round(i * (len(at) - 1) / max(1, points - 2))] for i in range(points - 1)} if at else set()
    return sorted(chosen | {max((spend[-1] for _, spend in spends), default=0.0)})


def policies(paths: Iterable[Episode], unit: Unit, repairs: int) -> list[Policy]:
    """For k = 0..`repairs`: what stopping after k repairs costs and solves. Empty when any spend is unknown.

    The curve that Olausson et al. draw, mean spend against share solved.
    """
    members = counted(paths, repairs)
    spends = [spend for e in members if (spend := running(e, unit, repairs)) is not None]
    if not members or len(spends) < len(members):
        return []
    found = []
    for k in range(repairs + 1):
        total = sum(spend[min(k, len(spend) - 1)] for spend in spends)
        found.append(Policy(k, total / len(spends), rate(members, k)))
    return found


def _solved(episode: Episode, spend: Sequence[float], repairs: int, budget: float) -> bool:
    at = episode.solved_at
    return at is not None and at <= repairs and spend[at] <= budget


def _open(episode: Episode, spend: Sequence[float], repairs: int, budget: float) -> bool:
    unsolved = episode.solved_at is None or episode.solved_at > repairs
    return unsolved and spend[-1] < budget
