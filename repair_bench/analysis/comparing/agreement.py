"""How far two graders agree on the same answers."""

from __future__ import annotations


def kappa(both: int, ours: int, theirs: int, neither: int) -> float | None:
    """Cohen's kappa of two graders, from the numbers of answers that both pass, ours alone, theirs alone, and neither.

    1: they always agree; 0: as often as by chance at these pass rates; at least -1. None where it is not defined: no
    answers, or both graders say the same of all. J. Cohen, "A coefficient of agreement for nominal scales", Educational
    and Psychological Measurement 20 (1960).
    """
    n = both + ours + theirs + neither
    by_chance = (both + ours) * (both + theirs) + (neither + ours) * (neither + theirs)  # times n squared
    if n * n == by_chance:
        return None
    return ((both + neither) * n - by_chance) / (n * n - by_chance)
