"""Rates, repair curves, error distributions and sums, from attempts.

Every attempt that is known counts. An episode that a fault or an interruption cut short is known to be unsolved up to
there, and nothing is supposed of the attempts that it did not make (see `censoring`).
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Literal

from repair_bench.analysis.taxonomy import error_class
from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.record.records import Completion, TokenKind, Verdict

FB_NOTE = (
    "FB@k: solved within k repair attempts after the first answer; FB@4 is the count of QuanBench+'s released code "
    "(5 generations), FB@5 the paper text's."
)
"""To be printed wherever FB is printed."""


@dataclass(frozen=True, slots=True)
class Episode:
    """The path of attempts of one episode, ordered by attempt number; at least one.

    `off_policy`: how many attempts followed that were made after the model was told of another verdict than the one
    that stands (a regraded run). They are no part of it: the episode ends, censored, before them.
    """

    attempts: tuple[Recorded, ...]
    off_policy: int = 0
    first: Recorded = field(init=False, repr=False, compare=False)
    known: tuple[Recorded, ...] = field(init=False, repr=False, compare=False)
    """The attempts up to the first that is missing or has no verdict."""
    solved_at: int | None = field(init=False)
    """The number of the first known attempt that passed; None when none did."""
    unsolved_to: float = field(init=False, repr=False, compare=False)
    """The number of the last attempt that is known to have failed; -1 when none is, infinite when no attempt can follow
    because the conversation filled the model's context window."""

    def __post_init__(self) -> None:
        kinds: list[str] = []
        for attempt in self.attempts:
            if attempt.attempt != len(kinds) or attempt.verdict is None:
                break
            kinds.append(attempt.verdict.kind)
        failed = len(kinds) - ("pass" in kinds)
        full = failed and kinds[failed - 1] == "context"
        object.__setattr__(self, "first", self.attempts[0])
        object.__setattr__(self, "known", self.attempts[: len(kinds)])
        object.__setattr__(self, "solved_at", kinds.index("pass") if "pass" in kinds else None)
        object.__setattr__(self, "unsolved_to", math.inf if full else failed - 1)

    def state(self, k: int) -> Literal["counted", "fault", "incomplete"]:
        """Whether it is known if the episode was solved within `k` repairs, and what cut it short where it is not."""
        if self.unsolved_to >= k or self.solved_at is not None:
            return "counted"
        cut = self.attempts[len(self.known) :]
        return "fault" if cut and cut[0].fault is not None else "incomplete"


def episodes(attempts: Iterable[Recorded], *, stoppable: bool = False) -> list[Episode]:
    """Attempts grouped by episode id, in the order of the ids, so that the order of the file does not matter.

    What is off-policy is set apart, and what follows it; an episode of nothing else is left out. `stoppable`: those
    that the run could end early in place of the others. They enter no rate: which of them went on depends on how they
    went.
    """
    episodes: dict[str, list[Recorded]] = {}
    for attempt in attempts:
        if attempt.stoppable == stoppable:
            episodes.setdefault(attempt.episode, []).append(attempt)
    return [episode for key in sorted(episodes) if (episode := episode_of(episodes[key])) is not None]


def episode_of(attempts: Iterable[Recorded]) -> Episode | None:
    """The episode that these attempts are, in any order; None when all of them are off-policy."""
    attempts = sorted(attempts, key=_in_order)
    kept = next((i for i, a in enumerate(attempts) if a.off_policy), len(attempts))
    return Episode(tuple(attempts[:kept]), len(attempts) - kept) if kept else None


_in_order = attrgetter("attempt", "id")


def counted(episodes: Iterable[Episode], k: int) -> list[Episode]:
    """The episodes of which it is known whether they were solved within `k` repairs.

    With k = 0 those whose first answer was judged: the n of every rate.
    """
    return [e for e in episodes if e.state(k) == "counted"]


def group(episodes: Iterable[Episode], *fields: str) -> dict[tuple[Any, ...], list[Episode]]:
    """Episodes by the values of attempt fields (`model`, `framework`, `category`, ...), keys sorted, None last."""
    members = list(episodes)
    columns = [map(attrgetter(f"first.{name}"), members) for name in fields]
    groups: dict[tuple[Any, ...], list[Episode]] = {}
    for key, episode in zip(zip(*columns, strict=True) if columns else itertools.repeat(()), members, strict=False):
        groups.setdefault(key, []).append(episode)
    return dict(sorted(groups.items(), key=lambda item: [(value is None, str(value)) for value in item[0]]))


@dataclass(frozen=True)
class Curve:
    """A repair curve.

    `n`: episodes whose first answer was judged. `solved[k]`: how many are known to have passed at an attempt <= k,
    k = 0..N; `solved[0]` is Pass@1. `faults`, `incomplete`: episodes that were cut short.
    """

    n: int
    solved: tuple[int, ...]
    faults: int
    incomplete: int


def curve(episodes: Iterable[Episode], repairs: int) -> Curve:
    """The repair curve over k = 0..`repairs` (QuanBench+'s Pass@1(FB), for each number of repair attempts).

    `curves.curve_intervals` has its rates.
    """
    episodes = list(episodes)
    states = Counter(e.state(repairs) for e in episodes)
    at = Counter(e.solved_at for e in episodes)
    solved = tuple(sum(at[j] for j in range(k + 1)) for k in range(repairs + 1))
    return Curve(len(counted(episodes, 0)), solved, states["fault"], states["incomplete"])


def pass_at_k(n: int, c: int, k: int) -> float:
    """The chance that at least one of `k` samples passes, estimated without bias from `n` samples of which `c` passed.

    1 - C(n-c, k) / C(n, k) (Chen et al., 2021, section 2.1), in exact integers up to one rounding.
    Raises ValueError unless 0 <= c <= n and 1 <= k <= n.
    """
    if not (0 <= c <= n and 1 <= k <= n):
        raise ValueError(f"pass@{k} needs k samples or more, and {c} passes of {n} samples")
    draws = math.comb(n, k)
    return (draws - math.comb(n - c, k)) / draws


def errors(
    episodes: Iterable[Episode], repairs: int, name: Callable[[Verdict], str] = error_class
) -> tuple[Counter[str], Counter[str]]:
    """How the episodes stand before feedback (attempt 0) and after it (their last known attempt up to `repairs`).

    `name` names a verdict: `error_class`, `error_type`, or another taxonomy.
    """
    before: Counter[str] = Counter()
    after: Counter[str] = Counter()
    for episode in counted(episodes, 0):
        for counter, attempt in ((before, episode.first), (after, episode.known[: repairs + 1][-1])):
            assert attempt.verdict is not None
            counter[name(attempt.verdict)] += 1
    return before, after


@dataclass(frozen=True)
class Total:
    """A sum over completions, some of which may not report the figure."""

    known: float
    unknown: int
    """How many did not report it."""

    @property
    def value(self) -> float | None:
        """The sum; None when a part of it is unknown."""
        return None if self.unknown else self.known


def completions(attempts: Iterable[Recorded]) -> list[Completion]:
    """Each completion once: the arms of an experiment share attempt 0 by its id, and it was paid for once."""
    once: dict[str, Completion] = {}
    for attempt in attempts:
        if attempt.completion is not None:
            once.setdefault(attempt.id, attempt.completion)
    return list(once.values())


def tokens(completions: Iterable[Completion], kind: TokenKind) -> Total:
    """The sum of a count of the providers'."""
    return _total([completion.tokens(kind) for completion in completions])


def cost(completions: Iterable[Completion]) -> Total:
    """What completions cost in USD."""
    return _total([completion.cost_usd for completion in completions])


def _total(values: Sequence[float | None]) -> Total:
    known = [value for value in values if value is not None]
    whole = sum(known)
    return Total(math.fsum(known) if isinstance(whole, float) else whole, len(values) - len(known))
