"""Two sets of episodes paired by task and sample: differences with intervals and p-values, tasks won and lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from repair_bench.analysis.rates.curves import problem, solved_by, solved_shares, weights
from repair_bench.analysis.rates.intervals import Clusters, Interval, mean_interval
from repair_bench.analysis.rates.metrics import Episode
from repair_bench.analysis.rates.statistics import sign_flip
from repair_bench.traces.faults import UsageError

ARMS = ("model", "suite", "task_id", "framework", "sample")
"""What two arms or conditions of a model have in common."""

Pair = tuple[Episode, Episode]


@dataclass(frozen=True)
class Paired:
    """Episodes of a baseline and of what is compared with it, whose first answers were judged.

    `alone`: episodes without a partner. `unjudged`: pairs of which an infrastructure error took a first answer; they
    are among `alone`, and only bounds count them.
    """

    pairs: tuple[Pair, ...]
    alone: int
    unjudged: tuple[Pair, ...] = ()

    def of(self, choose: Callable[[Pair], bool]) -> Paired:
        return Paired(tuple(filter(choose, self.pairs)), 0, tuple(filter(choose, self.unjudged)))

    @property
    def shared(self) -> bool:
        """Whether both of every pair start from the same recorded first answer."""
        return all(a.first.id == b.first.id for a, b in self.pairs)


def pair(baseline: Iterable[Episode], other: Iterable[Episode], by: tuple[str, ...] = ARMS) -> Paired:
    """Pair episodes that agree in the fields `by`; one whose partner's first answer was not judged is left out too.

    Raises UsageError when two episodes of one side agree.
    """
    first, second = _keyed(baseline, by), _keyed(other, by)
    both = [(first[key], second[key]) for key in first if key in second]
    judged = [all(e.state(0) == "counted" for e in one) for one in both]
    pairs, unjudged = (
        tuple(p for p, is_judged in zip(both, judged, strict=True) if is_judged is wanted) for wanted in (True, False)
    )
    return Paired(pairs, len(first) + len(second) - 2 * len(pairs), unjudged)


def difference(paired: Paired, k: int) -> Interval:
    """FB@k of the others minus FB@k of the baseline, in -1..1, with its 95% interval over problems.

    See `intervals.mean_interval`. It is exactly 0 where the two cannot differ; the estimate is None where FB@k of
    either is not known.
    """
    made = _differences(paired, k)
    if made is None:
        return Interval(None, None, None, len(paired.pairs), len({problem(a) for a, _ in paired.pairs}))
    interval = mean_interval(made)
    return interval if can_differ(paired, k) else Interval(0.0, 0.0, 0.0, interval.n, interval.problems)


def finished(paired: Paired, k: int) -> list[Pair]:
    """The pairs of which it is known whether either was solved within `k` repairs: nothing cut them short before."""
    return [p for p in paired.pairs if all(e.state(k) == "counted" for e in p)]


def p_value(paired: Paired, k: int) -> float | None:
    """The two-sided p-value of no difference in FB@k, by flipping the signs of whole problems (`statistics.sign_flip`).

    None where the two cannot differ, or FB@k of either is not known.
    """
    made = _differences(paired, k)
    return sign_flip(made.sums) if made is not None and can_differ(paired, k) else None


def differing(paired: Paired, k: int) -> int | None:
    """How many problems the two differ in, all pairs of each together; fewer than `statistics.FEWEST` prove nothing.

    None where FB@k of either is not known.
    """
    made = _differences(paired, k)
    return None if made is None else sum(s != 0 for s in made.sums)


def can_differ(paired: Paired, k: int) -> bool:
    """Whether there are pairs, and not only first answers that are the same recorded ones."""
    same = k == 0 and paired.shared and all(solved_by(a, k) == solved_by(b, k) for a, b in paired.pairs)
    return bool(paired.pairs) and not same  # shared answers may differ in their verdicts, where one side was regraded


def _differences(paired: Paired, k: int) -> Clusters | None:
    """What the two of each pair add to the difference of FB@k, by problem."""
    before, after = (solved_shares([p[side] for p in paired.pairs], k) for side in (0, 1))
    if before is None or after is None:
        return None
    apart = ((problem(a), y - x) for (a, _), x, y in zip(paired.pairs, before, after, strict=True))
    return Clusters.of(apart, weights(a for a, _ in paired.pairs))


@dataclass(frozen=True)
class WonLost:
    """Pairs that only the other solved, and pairs that only the baseline solved, in the order they were given."""

    won: tuple[Pair, ...]
    lost: tuple[Pair, ...]


def won_lost(paired: Paired, k: int) -> WonLost:
    """The pairs of which it is known that one alone was solved within `k` repairs."""
    known = finished(paired, k)
    changed = [(p, solved_by(p[1], k)) for p in known if solved_by(p[0], k) != solved_by(p[1], k)]
    return WonLost(tuple(p for p, won in changed if won), tuple(p for p, won in changed if not won))


def _keyed(episodes: Iterable[Episode], by: tuple[str, ...]) -> dict[tuple[object, ...], Episode]:
    keyed: dict[tuple[object, ...], Episode] = {}
    for episode in episodes:
        key = tuple(getattr(episode.first, name) for name in by)
        if key in keyed:
            raise UsageError(f"two episodes to be paired have the same {', '.join(by)}: {key}; group them first")
        keyed[key] = episode
    return keyed
