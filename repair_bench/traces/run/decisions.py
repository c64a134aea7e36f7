"""What a run decided under way, `decisions.jsonl`: which attempts were to be made next, and what was not worth it.

One line a round, durable before anything of the round is asked for: `round`, its number from 0, and `decisions`, one
object for each episode that was looked at:

| key | holds |
| --- | --- |
| `episode` | its id |
| `do` | `begin` (attempt 0), `repair` (the next attempt) or `stop` |
| `worth` | what that attempt is expected to solve a unit of its cost; null where it is made whatever it is worth |
| `instead` | the same of what it was held against; null where there was nothing |
| `unit` | of the cost: usd, tokens or calls; null with `worth` |
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from repair_bench.traces.files.journal import Journal, Line
from repair_bench.traces.files.record_files import damaged

DECISIONS = "decisions.jsonl"


@dataclass(frozen=True)
class Decision:
    """What is to become of one episode, see above."""

    episode: str
    do: Literal["begin", "repair", "stop"]
    worth: float | None = None
    instead: float | None = None
    unit: str | None = None


class Decisions:
    """The decisions of a run by rounds, and their one writer, for one event loop."""

    def __init__(self, path: Path) -> None:
        self.rounds: list[list[Decision]] = []
        self._path = path
        self._journal = Journal(path, self._visit)

    async def add(self, decisions: Sequence[Decision]) -> None:
        """Record a round; durable on return."""
        listed = [dataclasses.asdict(decision) for decision in decisions]
        await self._journal.append({"round": len(self.rounds), "decisions": listed})
        self.rounds.append(list(decisions))

    async def close(self) -> None:
        await self._journal.close()

    def _visit(self, line: Line[dict[str, Any]]) -> None:
        try:
            self.rounds.append([Decision(**decision) for decision in line.data["decisions"]])
        except (KeyError, TypeError):
            raise damaged(self._path, line.number, "no decisions") from None
