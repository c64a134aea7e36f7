"""What ignoring feedback costs, computed."""

import math

from repair_bench.analysis.observer import Play, Set


def expected_curve(play: Play, ignore: float) -> tuple[float, ...]:
    """FB@0, FB@1, ... of a player who follows a play, but does not take in a feedback with probability `ignore`.

    It then knows no more than that its attempt failed. What it believes is true always, and each hypothesis that it
    has left is as likely as any other: what it was told and did not take in decides nothing of what it does.
    """
    partition = play.partition
    memo: dict[tuple[Set, int], list[float]] = {}

    def found(belief: Set, left: int) -> list[float]:
        """How many of the belief are found by each of the attempts left."""
        if not left or not belief:
            return [0.0] * left
        if (belief, left) not in memo:
            solved, cells = partition.rows[play.next(belief, left)]
            later = [0.0] * (left - 1)
            told = [(1 - ignore, belief & cell) for cell in cells.values()]
            for weight, part in [(ignore, belief & ~solved), *told]:
                if weight and part:
                    later = [sum_ + weight * more for sum_, more in zip(later, found(part, left - 1), strict=True)]
            memo[belief, left] = [float((belief & solved).bit_count()), *later]
        return memo[belief, left]

    by_attempt = found(partition.everything, play.attempts)
    return tuple(math.fsum(by_attempt[: k + 1]) / partition.hypotheses for k in range(play.attempts))
