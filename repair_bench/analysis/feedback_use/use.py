"""Feedback utilisation: recorded episodes compared with the ideal observer and exhaustive search."""

from __future__ import annotations

import functools
import math
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from repair_bench.analysis.feedback_use.best_play import BestPlay, Set
from repair_bench.analysis.feedback_use.ideal_observer import bits_left, enumeration
from repair_bench.analysis.feedback_use.use_intervals import ROUNDING, difference_interval, share_interval
from repair_bench.analysis.rates.clusters import Problem
from repair_bench.analysis.rates.curves import curve_intervals, problem, solved_by, weights
from repair_bench.analysis.rates.intervals import Clusters, Interval, rate_interval
from repair_bench.analysis.rates.metrics import Episode
from repair_bench.analysis.rates.statistics import sign_flip
from repair_bench.text import count


@dataclass(frozen=True)
class Reach:
    """The repair curves that policies can achieve on a task with a given feedback policy. `hypotheses`: the number of
    equally likely hypotheses.

    `best`: FB@0, FB@1, ... of the optimal policy, or of a greedy policy if not `exact`. `consistent`: FB@0, FB@1, ...
    of a policy that tries any hypothesis that feedback has not excluded; None if the computation would have to examine
    too many sets of hypotheses.
    """

    hypotheses: int
    best: tuple[float, ...]
    exact: bool
    consistent: tuple[float, ...] | None

    @property
    def enumeration(self) -> tuple[float, ...]:
        """FB@0, FB@1, ... of exhaustive search, the best policy that ignores the content of feedback."""
        return enumeration(self.hypotheses, len(self.best))

    @property
    def gain(self) -> float:
        """The value of feedback: the area between the curves of the optimal policy and of exhaustive search."""
        return math.fsum(self.best) - math.fsum(self.enumeration)


@dataclass(frozen=True, slots=True)
class Seen:
    """An attempt as the observer interprets it.

    `realises`: the hypothesis that the attempt implements, or None. `mixed`: whether each result of the attempt is
    correct under some hypothesis, but no single hypothesis fits all results. `kept`: the hypotheses that the feedback
    leaves possible. `solved`: the hypotheses under which the attempt passes. `cells`: for each feedback text, the
    hypotheses under which the attempt fails and receives the text. `asked`: for each question before the attempt and
    each possible answer, the hypotheses that lead to this answer.
    """

    realises: int | None
    mixed: bool
    kept: Set
    solved: Set
    cells: tuple[Set, ...]
    asked: tuple[tuple[Set, ...], ...] = ()

    @property
    def answers(self) -> list[Set]:
        """For each question, the hypotheses that are consistent with the answer that the model received."""
        return [next(cell for cell in cells if cell & self.kept) for cells in self.asked]


@dataclass(frozen=True)
class Observed:
    """An episode on a task whose prompt leaves conventions open. A hypothesis is one way to settle the open
    conventions.

    `family`: the problem, which is the same at all levels. `bits`: the approximate number of open binary decisions.
    `seen`: the attempts before the first unusable attempt. An attempt is unusable if the attempt has no verdict, or if
    no hypothesis explains the feedback on the attempt. `adjusted`: FB@0, FB@1, ... averaged over all hypotheses that
    could be true (see `adjusted_curve`).
    """

    episode: Episode
    family: str
    bits: int
    reach: Reach
    seen: tuple[Seen, ...]
    adjusted: tuple[float, ...]
    names: tuple[str, ...] = ()
    """A short label per hypothesis."""
    understood: tuple[bool | None, ...] = ()
    """For each attempt, whether the model named the true conventions when it was asked before the attempt. None: there
    is no reply."""

    @property
    def problem(self) -> Problem:
        return problem(self.episode)

    @property
    def arm(self) -> tuple[str, str, str]:
        """Model, suite and condition."""
        return self.episode.first.model, self.episode.first.suite, self.episode.first.condition

    @property
    def explained(self) -> bool:
        """Whether every attempt of the episode has a verdict and has feedback that at least one hypothesis explains."""
        return len(self.seen) == len(self.episode.attempts)

    def ignored(self, number: int) -> bool:
        """Whether repair `number` tries a hypothesis that feedback or answers to questions had already excluded."""
        now = self.seen[number].realises
        return now is not None and not self.known(number) >> now & 1

    def repeated(self, number: int) -> bool:
        """Whether repair `number` implements the same hypothesis as an earlier attempt."""
        now = self.seen[number].realises
        return now is not None and any(now == before.realises for before in self.seen[:number])

    def known(self, number: int) -> Set:
        """Return the hypotheses that are still possible when repair `number` is made.

        These hypotheses are consistent with the earlier feedback, and with the answers to the model's questions.
        """
        return functools.reduce(operator.and_, self.seen[number].answers, self.seen[number - 1].kept)

    def received(self, number: int) -> float:
        """Return the information about the true hypothesis that is available before repair `number`, in bits.

        The information comes from feedback and from answers to questions.
        """
        return math.log2(self.reach.hypotheses) - bits_left(self.known(number))

    def used(self, number: int) -> float:
        """Return how many bits of the `received` information repair `number` used.

        If the repair implements a hypothesis that is still possible, all the received information counts as used. In
        all other cases, the result is negative, so that guesses drawn uniformly from all hypotheses score 0 on average.
        """
        kept, now = self.known(number), self.seen[number].realises
        chance = kept.bit_count() / self.reach.hypotheses
        hit = now is not None and bool(kept >> now & 1)
        return self.received(number) * (hit - chance) / (1 - chance) if chance < 1 else 0.0


@dataclass(frozen=True)
class Information:
    """The results of a group of episodes. Sequences contain one value for each attempt 0, 1, ...

    `exact`: whether `best` is the optimal curve; otherwise, `best` is a lower bound. `adjusted`: the mean of
    `adjusted_curve`. `consistent_use`: the feedback utilisation of a policy that chooses at random among the hypotheses
    that feedback has not excluded; None if unknown. `ignored`: the share of repairs that implement an excluded
    hypothesis. `repeated`: the share of repairs that implement the same hypothesis as an earlier attempt.
    `off_the_list`: the share of attempts that implement neither a hypothesis nor a mixture of hypotheses. `mixing`: the
    number of episodes with an attempt that combines results of different hypotheses (see `Seen.mixed`). `unexplained`:
    the number of episodes with feedback that no hypothesis explains. The shares exclude these episodes.
    """

    episodes: int
    fb: tuple[Interval, ...]
    best: tuple[float, ...]
    exact: bool
    enumeration: tuple[float, ...]
    consistent: tuple[float, ...] | None
    adjusted: tuple[float, ...]
    use: Interval
    consistent_use: float | None
    ignored: Interval
    repeated: Interval
    off_the_list: Interval
    mixing: int
    unexplained: int


def grouped(observed: Iterable[Observed]) -> dict[tuple[str, str, str, int], list[Observed]]:
    """Return the episodes grouped by model, suite, condition and bits; the groups are sorted in this order."""
    groups: dict[tuple[str, str, str, int], list[Observed]] = {}
    for one in observed:
        groups.setdefault((*one.arm, one.bits), []).append(one)
    return dict(sorted(groups.items()))


def information(observed: Iterable[Observed], repairs: int) -> Information:
    """Return the results for attempts 0 to `repairs`, with 95% intervals clustered by problem."""
    members = [one for one in observed if one.episode.state(repairs) == "counted"]
    explained = [one for one in members if one.explained]
    steps = [(one, number) for one in explained for number in range(1, len(one.seen))]
    every = [(one.problem, seen) for one in explained for seen in one.seen]
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
        adjusted=mean(lambda one: one.adjusted) or (),
        use=use_of_feedback(members, repairs),
        consistent_use=_consistent_use(members),
        ignored=rate_interval(Clusters.of((one.problem, float(one.ignored(number))) for one, number in steps)),
        repeated=rate_interval(Clusters.of((one.problem, float(one.repeated(number))) for one, number in steps)),
        off_the_list=rate_interval(
            Clusters.of((problem, float(seen.realises is None and not seen.mixed)) for problem, seen in every)
        ),
        mixing=sum(any(seen.mixed for seen in one.seen) for one in explained),
        unexplained=len(members) - len(explained),
    )


def understanding(observed: Iterable[Observed]) -> tuple[dict[str, int], Interval, Interval] | None:
    """Count passed and failed repairs, by whether the model had named the true conventions before the repair.

    Before a repair, a probe asks the model which conventions apply (see `Observed.understood`). The result has three
    parts: the numbers of repairs with a verdict, by correctness of the reply and by verdict; the share of correct
    replies; and the share of repairs that passed after a correct reply. Return None unless the model replied to a probe
    before at least one repair with a verdict.
    """
    repairs = [
        (one.problem, named, attempt.passed)
        for one in observed
        for attempt, named in zip(one.episode.known, one.understood, strict=False)
        if named is not None
    ]
    passes = Counter((named, passed) for _, named, passed in repairs)
    counts = {"applied": passes[True, True], "not_applied": passes[True, False]}
    counts |= {"not_understood": passes[False, False], "guessed": passes[False, True]}
    decoding = Clusters.of((problem, float(named)) for problem, named, _ in repairs)
    application = Clusters.of((problem, float(passed)) for problem, named, passed in repairs if named)
    return (counts, rate_interval(decoding), rate_interval(application)) if repairs else None


def adjusted_curve(play: BestPlay, episode: Episode, seen: Sequence[Seen]) -> tuple[float, ...]:
    """Return FB@0, FB@1, ... of an episode, averaged over all hypotheses that could be true.

    The result is the optimal curve minus the sum of the expected losses of all questions and attempts. The expected
    loss of a question or attempt is the expected curve after the optimal choice minus the expected curve after the
    model's actual choice. Each loss is a mean over the hypotheses that were possible before the question or attempt.
    The expected losses of questions and attempts serve as control variates, as in AIVAT (Burch et al.,
    arXiv:1612.06915). Averaged over all hypotheses, the adjusted curve has the same expected value as the unadjusted
    curve. For attempts that the observer cannot interpret (see `Observed.explained`), the recorded results are used
    instead of expected losses.
    """
    curve, posterior = list(play.curve), play.everything
    for number, one in enumerate(seen):
        left, asks = play.attempts - number, play.asks
        steps = []
        for cells, answer in zip(one.asked, one.answers, strict=True):
            steps.append(play.lost(posterior, play.found_after_asking(posterior, cells, left, asks), left, asks))
            posterior, asks = posterior & answer, max(0, asks - 1)
        steps.append(play.lost(posterior, play.found_after(posterior, one.solved, one.cells, left), left, asks))
        for k, lost in enumerate(map(math.fsum, zip(*steps, strict=True)), number):
            curve[k] -= lost
        posterior = one.kept
    if len(seen) < len(episode.attempts) or (episode.solved_at is None and len(seen) < play.attempts):
        for k, expected in enumerate(play.curve_from(posterior, play.attempts - len(seen)), len(seen)):
            curve[k] += solved_by(episode, k) - expected
    return tuple(curve)


def left_out(observed: Iterable[Observed], repairs: int) -> list[str]:
    """Return sentences that state how many episodes `information` excludes, and why.

    Return an empty list if all episodes are included.
    """
    episodes = [one.episode for one in observed]
    open_ = [e for e in episodes if e.state(repairs) != "counted"]
    if not open_:
        return []
    why = Counter(
        "infrastructure error" if e.state(repairs) == "fault" else "regrade" if e.off_policy else "not finished"
        for e in open_
    )
    reasons = ", ".join(f"{n:,} {reason}" for reason, n in sorted(why.items()))
    return [f"Feedback utilisation excludes {len(open_):,} of {count(len(episodes), 'episode')} (censored): {reasons}."]


def use_of_feedback(observed: Iterable[Observed], repairs: int) -> Interval:
    """Return the feedback utilisation: the achieved gain from feedback as a share of the maximum gain.

    Only tasks on which the optimal policy gains from feedback are included. The result is (a - e) / (o - e), where a, e
    and o are the areas under the adjusted curve, the curve of exhaustive search and the curve of the optimal policy.
    The 95% interval is clustered by problem (`use_intervals.share_interval`). The estimate is None if no task is
    included.
    """
    members = [one for one in observed if _gains(one, repairs)]
    return share_interval(_gained(members), len(members))


@dataclass(frozen=True)
class UseDifference:
    """The difference in feedback utilisation, with its interval and p-value.

    `p`: None if no pair is included. `differing`: the number of problems on which feedback utilisation differs between
    the two sides.
    """

    interval: Interval
    p: float | None
    differing: int


def difference_in_use(pairs: Iterable[tuple[Observed, Observed]], repairs: int) -> UseDifference:
    """Return the feedback utilisation of the second episode of each pair, minus that of the first.

    A pair is included if both episodes have a known outcome and could gain from feedback. The p-value is from a
    sign-flip test (`statistics.sign_flip`), to which each problem contributes one difference.
    """
    both = [pair for pair in pairs if all(_gains(one, repairs) for one in pair)]
    first, second = (_gained(pair[side] for pair in both) for side in (0, 1))
    found = difference_interval(first, second, len(both))
    if not both:
        return UseDifference(found, None, 0)
    before, after = ([made / math.fsum(side.counts) for made in side.sums] for side in (first, second))
    deviations = [y - x for x, y in zip(before, after, strict=True)]
    return UseDifference(found, sign_flip(deviations), sum(abs(one) > ROUNDING for one in deviations))


def _gains(one: Observed, repairs: int) -> bool:
    return one.reach.gain > 0 and one.episode.state(repairs) == "counted"


def _gained(members: Iterable[Observed]) -> Clusters:
    sums: dict[Problem, list[float]] = {}
    for one in members:
        made = sums.setdefault(one.problem, [0.0, 0.0])
        made[0] += math.fsum(one.adjusted) - math.fsum(one.reach.enumeration)
        made[1] += one.reach.gain
    return Clusters([gain for gain, _ in sums.values()], [possible for _, possible in sums.values()])


def _consistent_use(members: Sequence[Observed]) -> float | None:
    """Return the feedback utilisation that the consistent policy would reach on the tasks of the episodes.

    The consistent policy tries any hypothesis that feedback has not excluded.
    """
    reached = [one.reach for one in members if one.reach.gain > 0]
    areas = [math.fsum(reach.consistent) - math.fsum(reach.enumeration) for reach in reached if reach.consistent]
    return math.fsum(areas) / math.fsum(reach.gain for reach in reached) if len(areas) == len(reached) > 0 else None
