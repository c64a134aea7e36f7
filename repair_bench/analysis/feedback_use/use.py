"""How much of what feedback tells a model uses: recorded episodes beside the ideal observer and blind enumeration."""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from repair_bench.analysis.feedback_use.ideal_observer import Play, Set, enumeration
from repair_bench.analysis.feedback_use.use_intervals import ROUNDING, difference_interval, share_interval
from repair_bench.analysis.rates.clusters import Problem
from repair_bench.analysis.rates.curves import curve_intervals, problem, solved_by, weights
from repair_bench.analysis.rates.intervals import Clusters, Interval, rate_interval
from repair_bench.analysis.rates.metrics import Episode
from repair_bench.analysis.rates.statistics import sign_flip
from repair_bench.text import count


@dataclass(frozen=True)
class Reach:
    """What can be reached on a task under a feedback policy, each hypothesis as likely as any other.

    `hypotheses`: n. `best`: FB@0, FB@1, ... of best play; those of a greedy play, a lower bound, unless `exact`.
    `consistent`: those of a player that tries any hypothesis not yet excluded; None where there are too many sets of
    them.
    """

    hypotheses: int
    best: tuple[float, ...]
    exact: bool
    consistent: tuple[float, ...] | None

    @property
    def enumeration(self) -> tuple[float, ...]:
        """FB@0, FB@1, ... of the best player that ignores the content of feedback: it tries each hypothesis once."""
        return enumeration(self.hypotheses, len(self.best))

    @property
    def gain(self) -> float:
        """The area between best play's curve and enumeration's: what feedback is worth."""
        return math.fsum(self.best) - math.fsum(self.enumeration)


@dataclass(frozen=True, slots=True)
class Seen:
    """What an attempt is to the observer.

    `realises`: the hypothesis under which it passes; None where there is none. `mixed`: there is none, but each call
    alone is answered as some hypothesis does. `kept`: the hypotheses that are left after it and its feedback.
    `solved`: those under which it passes; `cells`: those under which it fails, a set for each text of the feedback.
    """

    realises: int | None
    mixed: bool
    kept: Set
    solved: Set
    cells: tuple[Set, ...]


@dataclass(frozen=True)
class Observed:
    """An episode on a task that hides a hypothesis.

    `family`: the problem, which is the same at all levels. `bits`: about how many binary decisions the prompt
    leaves open. `seen`: of its attempts; it ends before one that has no verdict, or of which was told what no
    hypothesis explains. `luck_free`: FB@0, FB@1, ... of the episode, averaged over the true hypothesis (function
    `luck_free`).
    """

    episode: Episode
    family: str
    bits: int
    reach: Reach
    seen: tuple[Seen, ...]
    luck_free: tuple[float, ...]
    names: tuple[str, ...] = ()
    """What each hypothesis says, in a few words."""

    @property
    def problem(self) -> Problem:
        return problem(self.episode)

    @property
    def explained(self) -> bool:
        """Whether all of its attempts were seen."""
        return len(self.seen) == len(self.episode.attempts)

    def ignored(self, number: int) -> bool:
        """Whether an attempt > 0 realises what had been ruled out before it."""
        now = self.seen[number].realises
        return now is not None and not self.seen[number - 1].kept >> now & 1

    def repeated(self, number: int) -> bool:
        """Whether an attempt > 0 realises the same hypothesis as one before it."""
        now = self.seen[number].realises
        return now is not None and any(now == before.realises for before in self.seen[:number])


@dataclass(frozen=True)
class Information:
    """The figures of some episodes, in the order of attempts 0, 1, ... where there are several.

    `exact`: see `Reach`; whether they are exact is asked of all. `fb[0]` is Pass@1;
    `luck_free`: the same curve, averaged over the true hypothesis. `use`: see `use_of_feedback`; `consistent_use`:
    that of the player that tries any hypothesis not yet excluded, None where there is nothing to gain or a task has
    too many sets. `ignored`, `repeated`: shares of repairs that realise what was ruled out before, and what was
    tried before. `off_the_list`: the share of attempts that realise no hypothesis and do not mix any. `mixing`:
    episodes with an attempt that does. `unexplained`: episodes with a text that no hypothesis explains, which are
    in `fb` and `use` alone.
    """

    episodes: int
    fb: tuple[Interval, ...]
    best: tuple[float, ...]
    exact: bool
    enumeration: tuple[float, ...]
    consistent: tuple[float, ...] | None
    luck_free: tuple[float, ...]
    use: Interval
    consistent_use: float | None
    ignored: Interval
    repeated: Interval
    off_the_list: Interval
    mixing: int
    unexplained: int


def grouped(observed: Iterable[Observed]) -> dict[tuple[str, str, str, int], list[Observed]]:
    """Episodes by model, suite, condition and bits, in this order."""
    groups: dict[tuple[str, str, str, int], list[Observed]] = {}
    for one in observed:
        first = one.episode.first
        groups.setdefault((first.model, first.suite, first.condition, one.bits), []).append(one)
    return dict(sorted(groups.items()))


def information(observed: Iterable[Observed], repairs: int) -> Information:
    """The figures of the episodes that count, over attempts 0 to `repairs`; 95% intervals over problems."""
    members = [one for one in observed if one.episode.state(repairs) == "counted"]
    whole = [one for one in members if one.explained]
    steps = [(one, number) for one in whole for number in range(1, len(one.seen))]
    every = [(one.problem, seen) for one in whole for seen in one.seen]
    weight = weights(one.episode for one in members)

    def mean(curve: Callable[[Observed], Sequence[float] | None]) -> tuple[float, ...] | None:
        curves = [points for one in members if (points := curve(one)) is not None]
        if len(curves) < len(members):
            return None
        return tuple(math.fsum(map(operator.mul, weight, points)) / sum(weight) for points in zip(*curves, strict=True))

    return Information(
        episodes=len(members),
        fb=tuple(curve_intervals((one.episode for one in members), repairs)),
        best=mean(lambda one: one.reach.best) or (),
        exact=all(one.reach.exact for one in members),
        enumeration=mean(lambda one: one.reach.enumeration) or (),
        consistent=mean(lambda one: one.reach.consistent),
        luck_free=mean(lambda one: one.luck_free) or (),
        use=use_of_feedback(members, repairs),
        consistent_use=_consistent_use(members),
        ignored=rate_interval(Clusters.of((one.problem, float(one.ignored(number))) for one, number in steps)),
        repeated=rate_interval(Clusters.of((one.problem, float(one.repeated(number))) for one, number in steps)),
        off_the_list=rate_interval(
            Clusters.of((problem, float(seen.realises is None and not seen.mixed)) for problem, seen in every)
        ),
        mixing=sum(any(seen.mixed for seen in one.seen) for one in whole),
        unexplained=len(members) - len(whole),
    )


def luck_free(play: Play, episode: Episode, seen: Sequence[Seen]) -> tuple[float, ...]:
    """Return FB@0, FB@1, ... of an episode, averaged over the true hypothesis.

    Best play's curve less what each attempt lost against it in expectation, over the hypotheses that were possible
    before it: control variates as in AIVAT (Burch et al., arXiv:1612.06915). Its mean over the hypotheses is that of
    the plain curve, whatever the player; for best play it is best play's curve in every episode. Attempts that the
    observer did not see count as they are.
    """
    curve, posterior = list(play.curve), play.partition.everything
    for number, one in enumerate(seen):
        for k, lost in enumerate(play.lost(posterior, one.solved, one.cells, play.attempts - number), number):
            curve[k] -= lost
        posterior = one.kept
    if len(seen) < len(episode.attempts) or (episode.solved_at is None and len(seen) < play.attempts):
        for k, expected in enumerate(play.curve_from(posterior, play.attempts - len(seen)), len(seen)):
            curve[k] += solved_by(episode, k) - expected
    return tuple(curve)


def left_out(observed: Iterable[Observed], repairs: int) -> list[str]:
    """One sentence: how many episodes `information` leaves out, and what cut them short; none where it has all."""
    episodes = [one.episode for one in observed]
    open_ = [e for e in episodes if e.state(repairs) != "counted"]
    if not open_:
        return []
    why = Counter(
        "by a fault" if e.state(repairs) == "fault" else "by a regrade" if e.off_policy else "not finished"
        for e in open_
    )
    reasons = ", ".join(f"{n:,} {reason}" for reason, n in sorted(why.items()))
    return [f"Use of feedback leaves out {len(open_):,} of {count(len(episodes), 'episode')}, cut short: {reasons}."]


def use_of_feedback(observed: Iterable[Observed], repairs: int) -> Interval:
    """Return the share of what feedback is worth that was gained, over the tasks where it is worth anything.

    The area between the luck-free curve and enumeration's over that between best play's and enumeration's: 0 for the
    best player that ignores the content of feedback, 1 for best play. A ratio of sums, so that a task counts by what
    there is to gain; with its 95% interval over problems (`use_intervals.share_interval`). None where there is nothing
    to gain.
    """
    members = [one for one in observed if _gains(one, repairs)]
    return share_interval(_gained(members), len(members))


@dataclass(frozen=True)
class UseDifference:
    """The use of feedback of one side minus that of the other, with its interval and the p-value of no difference.

    None for `p` where there is nothing to gain. `differing`: the problems in which the two differ.
    """

    interval: Interval
    p: float | None
    differing: int


def difference_in_use(pairs: Iterable[tuple[Observed, Observed]], repairs: int) -> UseDifference:
    """Return the use of feedback of the second episodes minus that of the first, over pairs of the same tasks.

    A pair counts where both episodes do and both have something to gain. The interval is
    `use_intervals.difference_interval`, the test flips the signs of whole problems (`statistics.sign_flip`).
    """
    both = [pair for pair in pairs if all(_gains(one, repairs) for one in pair)]
    first, second = (_gained(pair[side] for pair in both) for side in (0, 1))
    found = difference_interval(first, second, len(both))
    if not both:
        return UseDifference(found, None, 0)
    before, after = ([made / math.fsum(side.counts) for made in side.sums] for side in (first, second))
    apart = [y - x for x, y in zip(before, after, strict=True)]
    return UseDifference(found, sign_flip(apart), sum(abs(one) > ROUNDING for one in apart))


def _gains(one: Observed, repairs: int) -> bool:
    return one.reach.gain > 0 and one.episode.state(repairs) == "counted"


def _gained(members: Iterable[Observed]) -> Clusters:
    """Return what was gained over enumeration, and what could be, by problem."""
    sums: dict[Problem, list[float]] = {}
    for one in members:
        made = sums.setdefault(one.problem, [0.0, 0.0])
        made[0] += math.fsum(one.luck_free) - math.fsum(one.reach.enumeration)
        made[1] += one.reach.gain
    return Clusters([made for made, _ in sums.values()], [most for _, most in sums.values()])


def _consistent_use(members: Sequence[Observed]) -> float | None:
    """Return the use of feedback of the player that tries any hypothesis not yet excluded, on the same tasks."""
    reached = [one.reach for one in members if one.reach.gain > 0]
    areas = [math.fsum(reach.consistent) - math.fsum(reach.enumeration) for reach in reached if reach.consistent]
    return math.fsum(areas) / math.fsum(reach.gain for reach in reached) if len(areas) == len(reached) > 0 else None
