"""Failed repairs split by the decoding probe: whether the model understood the feedback, and whether it applied it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from repair_bench.analysis.feedback_use.use import Observed
from repair_bench.analysis.rates.intervals import Clusters, Interval, rate_interval


@dataclass(frozen=True)
class Understanding:
    """Counts of probed repairs, by whether the probe named the true options (understood) and the repair passed.

    `guessed`: repairs that passed although the probe did not name them. `determined`: repairs before which the feedback
    left a single hypothesis. `decoding`: the share understood. `application`: the share of understood repairs that
    passed. Intervals are clustered by problem.
    """

    applied: int
    not_applied: int
    not_understood: int
    guessed: int
    determined: int
    decoding: Interval
    application: Interval


def understanding(observed: Iterable[Observed]) -> Understanding | None:
    """Return the split of all judged repairs with a reply to their probe; None without any."""
    repairs = [
        (one.problem, understood, attempt.passed, number <= len(one.seen) and one.determined(number))
        for one in observed
        for number, (attempt, understood) in enumerate(zip(one.episode.known, one.understood, strict=False))
        if number and understood is not None
    ]
    if not repairs:
        return None
    cells = [(understood, passed) for _, understood, passed, _ in repairs]
    return Understanding(
        applied=cells.count((True, True)),
        not_applied=cells.count((True, False)),
        not_understood=cells.count((False, False)),
        guessed=cells.count((False, True)),
        determined=sum(determined for *_, determined in repairs),
        decoding=rate_interval(Clusters.of((problem, float(right)) for problem, right, _, _ in repairs)),
        application=rate_interval(
            Clusters.of((problem, float(passed)) for problem, right, passed, _ in repairs if right)
        ),
    )
