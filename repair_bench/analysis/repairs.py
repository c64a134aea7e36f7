"""How well failures are repaired, by kind of failure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from repair_bench.analysis.curves import curve_intervals
from repair_bench.analysis.intervals import Interval
from repair_bench.analysis.metrics import Episode, counted
from repair_bench.analysis.taxonomy import error_class
from repair_bench.traces.records import Verdict


@dataclass(frozen=True)
class RepairRate:
    """Of the episodes whose first answer failed in one way: `failed` is how many, `by[k]` how many of them are known to
    have been solved within k repairs.

    `by[0]` is 0. `shares[k]`: their share, in 0..1, with its 95% interval over problems.
    """

    failed: int
    by: tuple[int, ...]
    shares: tuple[Interval, ...]


def repair_rates(
    episodes: Iterable[Episode], repairs: int, name: Callable[[Verdict], str] = error_class
) -> dict[str, RepairRate]:
    """Repair rates by the name of the first answer's failure, most frequent first.

    P(solved within k repairs | the first answer failed so). `name`: a taxonomy's `of`.
    """
    failed: dict[str, list[Episode]] = {}
    for episode in counted(episodes, 0):
        verdict = episode.first.verdict
        assert verdict is not None
        if verdict.kind != "pass":
            failed.setdefault(name(verdict), []).append(episode)
    return {key: _rate(failed[key], repairs) for key in sorted(failed, key=lambda key: (-len(failed[key]), key))}


def _rate(members: list[Episode], repairs: int) -> RepairRate:
    at = [e.solved_at for e in members if e.solved_at is not None]
    by = tuple(sum(solved <= k for solved in at) for k in range(repairs + 1))
    return RepairRate(len(members), by, tuple(curve_intervals(members, repairs)))
