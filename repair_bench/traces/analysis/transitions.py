"""What a failure turns into: error classes of an attempt and of the next."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from repair_bench.traces.metrics import Episode, counted
from repair_bench.traces.records import Verdict
from repair_bench.traces.taxonomy import error_class


@dataclass(frozen=True)
class Transitions:
    """`steps[a, old, new]`: how often attempt a was `old` and attempt a + 1 was `new`. `old` is never "pass"."""

    steps: Counter[tuple[int, str, str]]

    @property
    def names(self) -> list[str]:
        """Every name met, the most frequent first."""
        seen: Counter[str] = Counter()
        for (_, old, new), count in self.steps.items():
            seen[old] += count
            seen[new] += count
        return sorted(seen, key=lambda name: (-seen[name], name))

    def matrix(self, attempt: int | None = None) -> dict[str, dict[str, int]]:
        """Counts by old and new name: of the steps from `attempt`, of all steps when it is None."""
        rows: dict[str, dict[str, int]] = {}
        for (at, old, new), count in sorted(self.steps.items()):
            if attempt is None or at == attempt:
                row = rows.setdefault(old, {})
                row[new] = row.get(new, 0) + count
        return rows

    def probabilities(self, attempt: int | None = None) -> dict[str, dict[str, float]]:
        """The matrix with each row divided by its sum: P(new | old), the estimate of most likelihood."""
        return {
            old: {new: count / sum(row.values()) for new, count in row.items()}
            for old, row in self.matrix(attempt).items()
        }


def transitions(paths: Iterable[Episode], repairs: int, name: Callable[[Verdict], str] = error_class) -> Transitions:
    """The steps of counted episodes up to attempt `repairs`. `name`: a taxonomy's `of`."""
    steps: Counter[tuple[int, str, str]] = Counter()
    for episode in counted(paths, repairs):
        named = [name(a.verdict) for a in episode.attempts[: repairs + 1] if a.verdict is not None]
        for at, (old, new) in enumerate(itertools.pairwise(named)):
            steps[at, old, new] += 1
    return Transitions(steps)
