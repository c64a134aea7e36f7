"""How well failures are repaired, by kind of failure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from repair_bench.analysis.curves import rate
from repair_bench.analysis.intervals import Interval
from repair_bench.analysis.metrics import Episode, counted
from repair_bench.analysis.taxonomy import error_class
from repair_bench.traces.records import Verdict


@dataclass(frozen=True)
class RepairRate:
    """Of the episodes whose first answer failed in one way: `failed` is how many, `by[k]` how many were solved by k.

    `by[0]` is 0. `final`: the share repaired in the end, with its 95% interval over problems.
    """

    failed: int
    by: tuple[int, ...]
    final: Interval


def repair_rates(
    episodes: Iterable[Episode], repairs: int, name: Callable[[Verdict], str] = error_class
) -> dict[str, RepairRate]:
    """Repair rates by the name of the first answer's failure, most frequent first.

    P(solved within k repairs | the first answer failed so), over counted episodes. `name`: a taxonomy's `of`.
    """
    failed: dict[str, list[Episode]] = {}
    for episode in counted(episodes, repairs):
        verdict = episode.first.verdict
        assert verdict is not None
        if verdict.kind != "pass":
            failed.setdefault(name(verdict), []).append(episode)
    return {key: _rate(failed[key], repairs) for key in sorted(failed, key=lambda key: (-len(failed[key]), key))}


def _rate(members: list[Episode], repairs: int) -> RepairRate:
    at = [e.solved_at for e in members if e.solved_at is not None]
    by = tuple(sum(solved <= k for solved in at) for k in range(repairs + 1))
    return RepairRate(len(members), by, rate(members, repairs))
