"""Agreement between two graders on the same answers."""

from __future__ import annotations


def kappa(both: int, ours: int, theirs: int, neither: int) -> float | None:
    """Return Cohen's kappa for two graders (Educational and Psychological Measurement 20, 37, 1960).

    `both`, `ours`, `theirs`, `neither`: the number of answers that pass with both graders, only with the first, only
    with the second, and with neither. The maximum of kappa is 1. The result is None if there are no answers, or if both
    graders give every answer the same verdict.
    """
    n = both + ours + theirs + neither
    by_chance = (both + ours) * (both + theirs) + (neither + ours) * (neither + theirs)  # times n squared
    if n * n == by_chance:
        return None
    return ((both + neither) * n - by_chance) / (n * n - by_chance)
