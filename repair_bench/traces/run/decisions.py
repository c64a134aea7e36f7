"""The file `decisions.jsonl`: adaptive stopping's decisions on which attempts to make next and which episodes to stop.

Each round of decisions is written to disk as one line before the first request of the round is sent. In this line,
`round` is the number of the round, counted from 0. `decisions` is a list of objects, one for each episode about which a
decision was made. The following table lists the keys of a decision object.

| key | content |
| --- | --- |
| `episode` | its id |
| `do` | `begin` (attempt 0), `repair` (the next attempt) or `stop` |
| `worth` | the value (expected solutions per unit of cost) of the attempt made or rejected; null if not computed |
| `instead` | the value of the alternative; null if there is none |
| `unit` | the unit of cost: usd, tokens or calls; null if `worth` is null |
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
    episode: str
    do: Literal["begin", "repair", "stop"]
    worth: float | None = None
    instead: float | None = None
    unit: str | None = None


class Decisions:
    """The decisions of a run, grouped by round.

    Only one object, used in one event loop, may write `decisions.jsonl`.
    """

    def __init__(self, path: Path) -> None:
        self.rounds: list[list[Decision]] = []
        self._path = path
        self.journal = Journal(path, self._visit)

    async def add(self, decisions: Sequence[Decision]) -> None:
        listed = [dataclasses.asdict(decision) for decision in decisions]
        await self.journal.append({"round": len(self.rounds), "decisions": listed})
        self.rounds.append(list(decisions))

    def _visit(self, line: Line[dict[str, Any]]) -> None:
        try:
            self.rounds.append([Decision(**decision) for decision in line.data["decisions"]])
        except (KeyError, TypeError):
            raise damaged(self._path, line.number, "the line does not contain a list of valid decisions") from None
