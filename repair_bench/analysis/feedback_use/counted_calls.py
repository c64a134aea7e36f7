"""The optimal policy if feedback states only the number of incorrect calls.

The policy requires that no result of a call is correct under two hypotheses. A call *implements* a hypothesis if the
result of the call is correct under this hypothesis. The verdict and the feedback depend only on which hypotheses the
calls of a program implement. If k of the m calls implement the true hypothesis, m - k calls are incorrect. The policy
ignores attempts in which a call implements no hypothesis. Such a call is never useful: if the call implemented the
hypothesis that the largest number of other calls implement, the feedback would distinguish at least as many hypotheses.
An attempt is therefore described by the number of calls that implement each hypothesis; the sum of these numbers is m.
Hypotheses are interchangeable, so the best result for a set of hypotheses depends only on the size of the set. The
search over sizes and partitions is exhaustive, hence exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate

from repair_bench.analysis.feedback_use.best_play import BestPlay, Set
from repair_bench.analysis.feedback_use.ideal_observer import members


class CountPlay(BestPlay):
    """The optimal policy for feedback that states only the number of incorrect calls.

    Of several equally good attempts, the policy prefers an attempt whose calls implement fewer different hypotheses.
    """

    def __init__(self, hypotheses: int, calls: int, attempts: int) -> None:
        super().__init__(hypotheses, attempts)
        self._calls = calls

    def found(self, posterior: Set, left: int, asks: int | None = None) -> tuple[int, ...]:  # noqa: ARG002
        return _best(posterior.bit_count(), self._calls, left)[1]

    def next(self, posterior: Set, attempts_left: int) -> int:
        return self.assignment(posterior, attempts_left)[0]

    def assignment(self, posterior: Set, left: int) -> tuple[int, ...]:
        """Return, for each call in the best next attempt, the hypothesis that this call implements.

        Raises ValueError if no hypothesis or no attempt is left.
        """
        if not posterior or left < 1:
            raise ValueError("no hypotheses or attempts are left")
        parts = _best(posterior.bit_count(), self._calls, left)[0]
        return tuple(h for h, part in zip(members(posterior), parts, strict=False) for _ in range(part))


@lru_cache(maxsize=4096)
def _best(size: int, calls: int, left: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the best next attempt, and the number of hypotheses found by this attempt and by each later attempt.

    Each call of an attempt implements one hypothesis: the result of the call is correct under this hypothesis only. An
    attempt is described by one number per hypothesis: how many calls implement this hypothesis.
    """
    if not size or not left:
        return (), (0,) * left
    options = [(parts, _found(size, calls, left, parts)) for parts in _partitions(calls, calls, size)]
    return max(options, key=lambda option: sum(accumulate(option[1])))


def _found(size: int, calls: int, left: int, parts: tuple[int, ...]) -> tuple[int, ...]:
    """Return, for each remaining attempt, the number of hypotheses under which this attempt is the first to pass.

    The next attempt is given by `parts`, and all later attempts are optimal. `parts`: for each hypothesis, the number
    of calls in the next attempt that implement this hypothesis.
    """
    groups = Counter(parts)
    passes = groups.pop(calls, 0)
    later = [_best(group, calls, left - 1)[1] for group in (size - len(parts), *groups.values())]
    return passes, *map(sum, zip(*later, strict=True))


def _partitions(total: int, largest: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield the partitions of a number into at most `parts` parts of at most `largest`, in descending order."""
    if not total:
        yield ()
    for part in range(min(total, largest), 0, -1) if parts else ():
        for rest in _partitions(total - part, part, parts - 1):
            yield part, *rest
