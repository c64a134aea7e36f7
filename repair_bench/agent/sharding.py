"""One experiment in several runs, for batch schedulers: each takes a part of the episodes; `merging` joins them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from repair_bench.agent.identity import Episode
from repair_bench.traces.faults import UsageError


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
        found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
        if found is None or not 1 <= int(found[1]) <= int(found[2]):
            raise UsageError(f"--shard {text!r}: write I/N with 1 <= I <= N, as in 2/8")
        return cls(int(found[1]), int(found[2]))

    @classmethod
    def of_run(cls, manifest: Mapping[str, Any]) -> Self | None:
        """The part of its experiment that a run takes; None when it takes all of it."""
        stored = manifest.get("shard")
        return cls(stored["number"], stored["of"]) if stored else None

    def part(self, episodes: Sequence[Episode]) -> list[Episode]:
        """Its episodes. The arms of a first attempt stay together; no part has more than one such group above another.

        The groups are dealt in the order of their ids, which are digests: every part has its share of each model,
        framework and task, and the division is the same wherever it is made.
        """
        mine = set(sorted({episode.root for episode in episodes})[self.number - 1 :: self.of])
        return [episode for episode in episodes if episode.root in mine]

    def pinned(self, manifest: Mapping[str, Any], episodes: int) -> dict[str, Any]:
        """The manifest of the part, from that of the whole experiment. `episodes`: how many it has itself."""
        shard = {"number": self.number, "of": self.of, "episodes_in_all": manifest["episodes"]}
        return {**manifest, "episodes": episodes, "shard": shard}
