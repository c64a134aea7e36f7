"""Expected repair curves of the simulated models that use feedback in a known way: the truth of the benchmarks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from repair_bench.analysis.feedback_use.ideal_observer import Play, Set

Step = tuple[float, int, bool]
"""The probability that a hypothesis is tried, the hypothesis, and whether the feedback on it is used."""


def expected_curve(best: Play, ignore: float) -> tuple[float, ...]:
    """Return FB@0, FB@1, ... of `sim/stubborn?ignore=P` on a task with equally likely hypotheses.

    The remaining hypotheses are always equally likely, because ignored feedback has no effect.
    """

    def steps(belief: Set, left: int) -> Iterable[Step]:
        tried = best.next(belief, left)
        return [(1 - ignore, tried, True), (ignore, tried, False)]

    return _curve(best, steps)


def reader_curve(best: Play, decode: float) -> tuple[float, ...]:
    """Return FB@0, FB@1, ... of `sim/reader` with `sim/critic?decode=P` on a task with equally likely hypotheses."""
    n = best.partition.hypotheses

    def steps(belief: Set, left: int) -> Iterable[Step]:
        named = best.next(belief, left)
        if left == best.attempts or n == 1:
            return [(1.0, named, True)]
        return [(decode if h == named else (1 - decode) / (n - 1), h, True) for h in range(n)]

    return _curve(best, steps)


def _curve(best: Play, steps: Callable[[Set, int], Iterable[Step]]) -> tuple[float, ...]:
    """Return FB@0, FB@1, ... of a player. `steps`: the player's possible attempts, by belief and attempts left."""
    partition = best.partition
    memo: dict[tuple[Set, int], list[float]] = {}

    def found(belief: Set, left: int) -> list[float]:
        """Return the expected number of hypotheses that each of the `left` attempts identifies."""
        if not left or not belief:
            return [0.0] * left
        if (belief, left) not in memo:
            sums = [0.0] * left
            for weight, tried, uses in steps(belief, left):
                solved, cells = partition.rows[tried]
                parts = [belief & cell for cell in cells.values()] if uses else [belief & ~solved]
                sums[0] += weight * (belief & solved).bit_count()
                for part in parts if weight else ():
                    sums[1:] = [a + weight * b for a, b in zip(sums[1:], found(part, left - 1), strict=True)]
            memo[belief, left] = sums
        return memo[belief, left]

    by_attempt = found(partition.everything, best.attempts)
    return tuple(math.fsum(by_attempt[: k + 1]) / partition.hypotheses for k in range(best.attempts))
