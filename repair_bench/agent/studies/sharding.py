"""Split an experiment into several runs (shards), each with a part of the episodes, for batch schedulers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.traces.faults import UsageError
from repair_bench.traces.run.manifest import Manifest


@dataclass(frozen=True)
class Shard:
    """One part of an experiment. `number`: the part's number, counted from 1. `of`: the number of parts."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse `i/n`, the value of `--shard`. Raises UsageError."""
        match = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
        if match is None or not 1 <= int(match[1]) <= int(match[2]):
            raise UsageError(f"--shard {text!r}: write I/N with 1 <= I <= N, as in 2/8")
        return cls(int(match[1]), int(match[2]))

    @classmethod
    def of_run(cls, manifest: Manifest) -> Self | None:
        return cls(manifest.shard["number"], manifest.shard["of"]) if manifest.shard else None

    def part(self, episodes: Sequence[PlannedEpisode]) -> list[PlannedEpisode]:
        """Return the episodes of this shard. Arms that share a first attempt form a group, which is never split.

        Groups are sorted by their ids, which are digests. Sorting by digest gives the same order on every machine, and
        spreads models, frameworks and tasks across the shards. The number of groups per shard varies by at most one.
        """
        mine = set(sorted({episode.root for episode in episodes})[self.number - 1 :: self.of])
        return [episode for episode in episodes if episode.root in mine]

    def pinned(self, manifest: Manifest, episodes: int) -> Manifest:
        """Return the manifest of this shard, given the experiment's manifest.

        `episodes`: the number of episodes in this shard.
        """
        return manifest.replaced(
            episodes=episodes,
            shard={"number": self.number, "of": self.of, "episodes_in_all": manifest.stated["episodes"]},
        )
