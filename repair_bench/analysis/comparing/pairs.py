"""Paired episodes: differences with intervals and p-values, and won and lost pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from repair_bench.analysis.rates.curves import problem, solved_by, solved_shares, weights
from repair_bench.analysis.rates.intervals import Clusters, Interval, mean_interval
from repair_bench.analysis.rates.metrics import Episode
from repair_bench.analysis.rates.statistics import sign_flip
from repair_bench.traces.faults import UsageError

ARMS = ("model", "suite", "task_id", "framework", "sample")
"""The fields that must match for episodes of two arms to be paired."""

Pair = tuple[Episode, Episode]


@dataclass(frozen=True)
class Paired:
    """Pairs of a baseline episode and the corresponding episode of the other side.

    `pairs`: the pairs in which the first answer of each episode has a verdict. `unjudged`: the pairs in which at least
    one first answer has no verdict. `alone`: the number of episodes that have no partner or belong to an unjudged pair.
    """

    pairs: tuple[Pair, ...]
    alone: int
    unjudged: tuple[Pair, ...] = ()

    def of(self, choose: Callable[[Pair], bool]) -> Paired:
        return Paired(tuple(filter(choose, self.pairs)), 0, tuple(filter(choose, self.unjudged)))

    @property
    def shared(self) -> bool:
        """Whether the episodes of every pair share a recorded first answer."""
        return all(a.first.id == b.first.id for a, b in self.pairs)


def pair(baseline: Iterable[Episode], other: Iterable[Episode], by: tuple[str, ...] = ARMS) -> Paired:
    """Pair episodes with equal values of the fields `by`.

    Raises UsageError if two episodes of the same side agree in all these fields.
    """
    first, second = _keyed(baseline, by), _keyed(other, by)
    both = [(first[key], second[key]) for key in first if key in second]
    judged = [_known(one, 0) for one in both]
    pairs, unjudged = (
        tuple(p for p, is_judged in zip(both, judged, strict=True) if is_judged is wanted) for wanted in (True, False)
    )
    return Paired(pairs, len(first) + len(second) - 2 * len(pairs), unjudged)


def difference(paired: Paired, k: int) -> Interval:
    """Return FB@k of the other side minus FB@k of the baseline (from -1 to 1), with its 95% interval.

    The difference is exactly 0 if the sides cannot differ; the estimate is None if either rate is unknown.
    """
    made = _differences(paired, k)
    if made is None:
        return Interval(None, None, None, len(paired.pairs), len({problem(a) for a, _ in paired.pairs}))
    interval = mean_interval(made)
    return interval if can_differ(paired, k) else Interval(0.0, 0.0, 0.0, interval.n, interval.problems)


def finished(paired: Paired, k: int) -> list[Pair]:
    """Return the pairs in which neither episode is censored within `k` repairs."""
    return [p for p in paired.pairs if _known(p, k)]


def p_value(paired: Paired, k: int) -> float | None:
    """Return the two-sided p-value of the hypothesis that FB@k is equal on both sides.

    The test flips the sign of each problem's sum of differences (`statistics.sign_flip`). With n differing problems,
    the result is at least 2^-n, even if censoring makes the sums of other problems nonzero. The result is None if the
    sides cannot differ or if FB@k is unknown on either side.
    """
    made = _differences(paired, k)
    return max(sign_flip(made.sums), 0.5 ** differing(paired, k)) if made and can_differ(paired, k) else None


def differing(paired: Paired, k: int) -> int:
    """Return the number of problems whose uncensored pairs have a sum of differences other than 0."""
    known = ((problem(a), solved_by(b, k) - solved_by(a, k) if _known((a, b), k) else 0) for a, b in paired.pairs)
    return sum(s != 0 for s in Clusters.of(known, weights(a for a, _ in paired.pairs)).sums)


def can_differ(paired: Paired, k: int) -> bool:
    """Whether the two episodes of any pair could have different results.

    The results cannot differ if k = 0 and both episodes of every pair have the same first answer with the same verdict.
    """
    same = k == 0 and paired.shared and all(solved_by(a, k) == solved_by(b, k) for a, b in paired.pairs)
    return bool(paired.pairs) and not same  # verdicts of shared answers differ after a regrade


def _known(pair: Pair, k: int) -> bool:
    return all(e.state(k) == "counted" for e in pair)


def _differences(paired: Paired, k: int) -> Clusters | None:
    before, after = (solved_shares([p[side] for p in paired.pairs], k) for side in (0, 1))
    if before is None or after is None:
        return None
    deviations = ((problem(a), y - x) for (a, _), x, y in zip(paired.pairs, before, after, strict=True))
    return Clusters.of(deviations, weights(a for a, _ in paired.pairs))


@dataclass(frozen=True)
class WonLost:
    """Pairs in which exactly one episode was solved.

    `won`: the pairs in which the baseline episode was not solved and the other episode was solved. `lost`: the pairs in
    which the baseline episode was solved and the other episode was not solved.
    """

    won: tuple[Pair, ...]
    lost: tuple[Pair, ...]


def won_lost(paired: Paired, k: int) -> WonLost:
    """Return the uncensored pairs in which exactly one side was solved within `k` repairs."""
    known = finished(paired, k)
    changed = [(p, solved_by(p[1], k)) for p in known if solved_by(p[0], k) != solved_by(p[1], k)]
    return WonLost(tuple(p for p, won in changed if won), tuple(p for p, won in changed if not won))


def _keyed(episodes: Iterable[Episode], by: tuple[str, ...]) -> dict[tuple[object, ...], Episode]:
    keyed: dict[tuple[object, ...], Episode] = {}
    for episode in episodes:
        key = tuple(getattr(episode.first, name) for name in by)
        if key in keyed:
            raise UsageError(f"two episodes have the same {', '.join(by)}: {key}")
        keyed[key] = episode
    return keyed
