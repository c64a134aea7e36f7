"""How much of what feedback tells a model uses: recorded episodes beside the ideal observer and blind enumeration."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from repair_bench.analysis.curves import area, curve_intervals, solved_by
from repair_bench.analysis.intervals import Clusters, Interval, rate_interval, ratio_interval
from repair_bench.analysis.metrics import Episode
from repair_bench.analysis.notices import count
from repair_bench.analysis.observer import Set, bits_left, enumeration, enumeration_bits


@dataclass(frozen=True)
class Reach:
    """What can be reached on a task under a feedback policy, each hypothesis as likely as any other.

    `hypotheses`: n. `best`: FB@0, FB@1, ... of best play, `best_bits` what it has left after each attempt; those of a
    greedy play, a lower bound, unless `exact`. `mixed`: FB@k where each call may be answered as another hypothesis
    does; an upper bound unless `mixed_exact`, None where it was not asked for.
    """

    hypotheses: int
    best: tuple[float, ...]
    best_bits: tuple[float, ...]
    exact: bool
    mixed: tuple[float, ...] | None = None
    mixed_exact: bool = False

    @property
    def enumeration(self) -> tuple[float, ...]:
        """FB@0, FB@1, ... of trying one hypothesis after the other."""
        return enumeration(self.hypotheses, len(self.best))

    @property
    def enumeration_bits(self) -> tuple[float, ...]:
        """What that has left after each attempt."""
        return enumeration_bits(self.hypotheses, len(self.best))

    @property
    def gain(self) -> float:
        """The area between best play's curve and enumeration's: what feedback is worth."""
        return math.fsum(self.best) - math.fsum(self.enumeration)


@dataclass(frozen=True, slots=True)
class Seen:
    """What an attempt is to the observer.

    `realises`: the hypothesis under which it passes; None where there is none. `mixed`: there is none, but each call
    alone is answered as some hypothesis does. `kept`: the hypotheses that are left after it and what was told of it.
    """

    realises: int | None
    mixed: bool
    kept: Set


@dataclass(frozen=True)
class Observed:
    """An episode on a task that hides a hypothesis.

    `family`: the problem, which is the same at all levels. `bits`: about how many binary decisions the prompt leaves
    open. `seen`: of its attempts; it ends before one that has no verdict, or of which was told what no hypothesis
    explains.
    """

    episode: Episode
    family: str
    bits: int
    reach: Reach
    seen: tuple[Seen, ...]
    names: tuple[str, ...] = ()
    """What each hypothesis says, in a few words."""

    @property
    def problem(self) -> tuple[str, str]:
        """What its levels and framework twins have in common: they hide the same choices."""
        return self.episode.first.suite, self.family

    @property
    def explained(self) -> bool:
        """Whether all of its attempts were seen."""
        return len(self.seen) == len(self.episode.attempts)

    def bits_after(self, k: int) -> float:
        """The bits left after attempt k; 0 from the one that passed on."""
        return 0.0 if solved_by(self.episode, k) else bits_left(self.seen[k].kept)

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

    `mixed`, `exact`, `mixed_exact`: see `Reach`; whether they are exact is asked of all. `fb[0]` is Pass@1. `use`:
    the area between the model's curve and enumeration's over that between best play's and enumeration's, each summed
    over the episodes where feedback is worth anything; 1 where the model plays best, 0 where it enumerates. `ignored`,
    `repeated`: shares of repairs that realise what was ruled out before, and what was tried before. `off_the_list`: the
    share of attempts that realise no hypothesis and do not mix any. `mixing`: episodes with an attempt that does.
    `unexplained`: episodes with a text that no hypothesis explains, which are in `fb` and `use` alone.
    """

    episodes: int
    fb: tuple[Interval, ...]
    best: tuple[float, ...]
    exact: bool
    mixed: tuple[float, ...] | None
    mixed_exact: bool
    enumeration: tuple[float, ...]
    use: Interval
    bits: tuple[Interval, ...]
    best_bits: tuple[float, ...]
    enumeration_bits: tuple[float, ...]
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

    def mean(curve: Callable[[Reach], Sequence[float]]) -> tuple[float, ...]:
        curves = [curve(one.reach) for one in members]
        return tuple(math.fsum(points) / len(points) for points in zip(*curves, strict=True))

    return Information(
        episodes=len(members),
        fb=tuple(curve_intervals((one.episode for one in members), repairs)),
        best=mean(lambda reach: reach.best),
        exact=all(one.reach.exact for one in members),
        mixed=mean(lambda reach: reach.mixed or ()) if all(one.reach.mixed for one in members) else None,
        mixed_exact=all(one.reach.mixed_exact for one in members),
        enumeration=mean(lambda reach: reach.enumeration),
        use=use_of_feedback(members, repairs),
        bits=tuple(_bits(whole, k) for k in range(repairs + 1)),
        best_bits=mean(lambda reach: reach.best_bits),
        enumeration_bits=mean(lambda reach: reach.enumeration_bits),
        ignored=rate_interval(Clusters.of((one.problem, float(one.ignored(number))) for one, number in steps)),
        repeated=rate_interval(Clusters.of((one.problem, float(one.repeated(number))) for one, number in steps)),
        off_the_list=rate_interval(
            Clusters.of((problem, float(seen.realises is None and not seen.mixed)) for problem, seen in every)
        ),
        mixing=sum(any(seen.mixed for seen in one.seen) for one in whole),
        unexplained=len(members) - len(whole),
    )


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
    """Which part of what feedback is worth was made of it, over the tasks where it is worth anything.

    A ratio of sums, so that a task weighs in with what there is to gain; with its 95% interval over problems. None
    where there is nothing to gain.
    """
    sums: dict[tuple[str, str], list[float]] = {}
    n = 0
    for one in observed:
        if one.reach.gain > 0 and one.episode.state(repairs) == "counted":
            made = sums.setdefault(one.problem, [0.0, 0.0])
            made[0] += area(one.episode, repairs) - math.fsum(one.reach.enumeration)
            made[1] += one.reach.gain
            n += 1
    return ratio_interval(Clusters([made for made, _ in sums.values()], [most for _, most in sums.values()]), n)


def _bits(members: Sequence[Observed], k: int) -> Interval:
    return ratio_interval(Clusters.of((one.problem, one.bits_after(k)) for one in members), len(members))
