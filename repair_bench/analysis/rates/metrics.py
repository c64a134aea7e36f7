"""Episodes, repair curves, error distributions and totals, computed from attempts.

Every known attempt counts. Censored episodes are known to be unsolved up to their last attempt (see `censoring`).
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
from repair_bench.traces.record.records import Completion, Query, TokenKind, Verdict

FB_NOTE = "FB@k: solve rate within k repair rounds after the first answer."
"""Printed with every FB@k."""
Role = Literal["solver", "critic", "probe"]
"""The purposes of a completion: to answer the task, to analyse a failure, or to reply to a decoding probe."""
ROLES: tuple[Role, ...] = ("solver", "critic", "probe")


@dataclass(frozen=True, slots=True)
class Episode:
    """The attempts of one episode, in order (at least one).

    `off_policy`: the number of excluded attempts. An attempt is excluded if a regrade has changed an earlier verdict on
    which the model received feedback. The outcome of the episode is treated as unknown (censored) from the first
    excluded attempt on. `known`: the attempts before the first one that was not recorded or has no verdict.
    `solved_at`: the number of the first known attempt that passed, or None. `unsolved_to`: the number of the last
    attempt that is known to have failed, or -1 if there is none. If the conversation fills the context window,
    `unsolved_to` is infinite, because no further answer is possible.
    """

    attempts: tuple[Recorded, ...]
    off_policy: int = 0
    first: Recorded = field(init=False, repr=False, compare=False)
    known: tuple[Recorded, ...] = field(init=False, repr=False, compare=False)
    solved_at: int | None = field(init=False)
    unsolved_to: float = field(init=False, repr=False, compare=False)

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
        """Return "counted" if the outcome within `k` repairs is known, otherwise the reason why it is censored."""
        if self.unsolved_to >= k or self.solved_at is not None:
            return "counted"
        cut = self.attempts[len(self.known) :]
        return "fault" if cut and cut[0].fault is not None else "incomplete"


def episodes(attempts: Iterable[Recorded], *, stoppable: bool = False) -> list[Episode]:
    """Return the episodes sorted by id, without off-policy attempts.

    `stoppable`: if true, return only the episodes that adaptive stopping may end, which are excluded from all rates;
    otherwise, return only the other episodes.
    """
    episodes: dict[str, list[Recorded]] = {}
    for attempt in attempts:
        if attempt.stoppable == stoppable:
            episodes.setdefault(attempt.episode, []).append(attempt)
    return [episode for key in sorted(episodes) if (episode := episode_of(episodes[key])) is not None]


def episode_of(attempts: Iterable[Recorded]) -> Episode | None:
    """Return an episode with the attempts before the first off-policy attempt.

    The result is None if no attempt precedes the first off-policy attempt.
    """
    attempts = sorted(attempts, key=attrgetter("attempt", "id"))
    kept = next((i for i, a in enumerate(attempts) if a.off_policy), len(attempts))
    return Episode(tuple(attempts[:kept]), len(attempts) - kept) if kept else None


def counted(episodes: Iterable[Episode], k: int) -> list[Episode]:
    """Return the episodes whose outcome within `k` repairs is known.

    Rates are computed from the episodes that this function returns for k = 0.
    """
    return [e for e in episodes if e.state(k) == "counted"]


def group(episodes: Iterable[Episode], *fields: str) -> dict[tuple[Any, ...], list[Episode]]:
    """Group episodes by the values of attempt fields; keys are sorted, with None last."""
    members = list(episodes)
    columns = [map(attrgetter(f"first.{name}"), members) for name in fields]
    groups: dict[tuple[Any, ...], list[Episode]] = {}
    for key, episode in zip(zip(*columns, strict=True) if columns else itertools.repeat(()), members, strict=False):
        groups.setdefault(key, []).append(episode)
    return dict(sorted(groups.items(), key=lambda item: [(value is None, str(value)) for value in item[0]]))


@dataclass(frozen=True)
class Curve:
    """The counts for a repair curve: `n` episodes have a graded first answer, and `solved[k]` of these episodes passed
    within k repairs.

    `faults`: the number of episodes that are censored because of an infrastructure error. `incomplete`: the number of
    episodes that are censored for any other reason.
    """

    n: int
    solved: tuple[int, ...]
    faults: int
    incomplete: int


def curve(episodes: Iterable[Episode], repairs: int) -> Curve:
    """Return the counts of the repair curve for k = 0..`repairs`. For the rates, see `curves.curve_intervals`."""
    episodes = list(episodes)
    states = Counter(e.state(repairs) for e in episodes)
    at = Counter(e.solved_at for e in episodes)
    solved = tuple(sum(at[j] for j in range(k + 1)) for k in range(repairs + 1))
    return Curve(len(counted(episodes, 0)), solved, states["fault"], states["incomplete"])


def pass_at_k(n: int, c: int, k: int) -> float:
    """Return the unbiased estimate of Pass@k, 1 - C(n-c, k) / C(n, k), if c of n samples passed (Chen et al., 2021).

    Raises ValueError unless 0 <= c <= n and 1 <= k <= n.
    """
    if not (0 <= c <= n and 1 <= k <= n):
        raise ValueError(f"pass@{k} cannot be computed: {c} of {n} samples passed")
    draws = math.comb(n, k)
    return (draws - math.comb(n - c, k)) / draws


def errors(
    episodes: Iterable[Episode], repairs: int, name: Callable[[Verdict], str] = error_class
) -> tuple[Counter[str], Counter[str]]:
    """Count episodes twice: by the class of the first answer, and by the class of the last known attempt.

    `repairs`: the maximum number of repairs; later attempts are ignored. `name`: the function that classifies a
    verdict.
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
    """The sum of a quantity, such as tokens or costs, over completions. `unknown`: the number of completions that do
    not report the quantity.
    """

    known: float
    unknown: int

    @property
    def value(self) -> float | None:
        """The sum, or None if any part of it is unknown."""
        return None if self.unknown else self.known


def reply(attempt: Recorded, role: Role) -> Completion | None:
    """Return an attempt's completion in a role (such as critic), or None if there is none."""
    if role == "solver":
        return attempt.completion
    query = queries(attempt).get(role)
    return query.completion if query is not None else None


def queries(attempt: Recorded) -> dict[Literal["critic", "probe"], Query]:
    """Return the queries that preceded an attempt, by role."""
    critic = attempt.feedback.critic if attempt.feedback is not None else None
    return {**({"critic": critic} if critic else {}), **({"probe": attempt.probe} if attempt.probe else {})}


def completions(attempts: Iterable[Recorded], roles: Iterable[Role] = ROLES) -> list[Completion]:
    """Return each completion only once, even if several arms share a first answer."""
    once: dict[tuple[str, Role], Completion] = {}
    roles = tuple(roles)
    for attempt in attempts:
        for role in roles:
            if (completion := reply(attempt, role)) is not None:
                once.setdefault((attempt.id, role), completion)
    return list(once.values())


def tokens(completions: Iterable[Completion], kind: TokenKind) -> Total:
    return _total([completion.tokens(kind) for completion in completions])


def cost(completions: Iterable[Completion]) -> Total:
    return _total([completion.cost_usd for completion in completions])


def _total(values: Sequence[float | None]) -> Total:
    known = [value for value in values if value is not None]
    total = sum(known)
    return Total(math.fsum(known) if isinstance(total, float) else total, len(values) - len(known))
