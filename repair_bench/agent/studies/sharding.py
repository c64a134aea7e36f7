"""One experiment in several runs, for batch schedulers: each takes a part of the episodes; `merging` joins them."""

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
    """Part `number` of `of`, counted from 1."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """`i/n`, the value of `--shard`. Raises UsageError."""
        match = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
        if match is None or not 1 <= int(match[1]) <= int(match[2]):
            raise UsageError(f"--shard {text!r}: write I/N with 1 <= I <= N, as in 2/8")
        return cls(int(match[1]), int(match[2]))

    @classmethod
    def of_run(cls, manifest: Manifest) -> Self | None:
        """The part of its experiment that a run takes; None when it takes all of it."""
        return cls(manifest.shard["number"], manifest.shard["of"]) if manifest.shard else None

    def part(self, episodes: Sequence[PlannedEpisode]) -> list[PlannedEpisode]:
        """Its episodes. The arms of a first attempt stay together; no part has more than one such group above another.

        The groups are dealt in the order of their ids, which are digests: every part has its share of each model,
        framework and task, and the division is the same wherever it is made.
        """
        mine = set(sorted({episode.root for episode in episodes})[self.number - 1 :: self.of])
        return [episode for episode in episodes if episode.root in mine]

    def pinned(self, manifest: Manifest, episodes: int) -> Manifest:
        """The manifest of the part, from that of the whole experiment. `episodes`: how many it has itself."""
        return manifest.replaced(
            episodes=episodes,
            shard={"number": self.number, "of": self.of, "episodes_in_all": manifest.stated["episodes"]},
        )
