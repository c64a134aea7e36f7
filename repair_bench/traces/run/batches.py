"""The ledger of a run's request batches, `batches.jsonl`.

A batch is recorded on disk before it is sent, so a killed process cannot lose it. The following table lists the events.
Each event also contains the `id` of its batch.

| event | when it is written | content |
| --- | --- | --- |
| `prepared` | before anything is sent | the model, and the parameters of each request by key |
| `uploaded` | after the requests were uploaded to the provider | the provider's name for the uploaded file |
| `submitted` | after the provider started the batch | the provider's name for the batch |
| `collected` | after the answers were read | the keys of the requests without an answer |
| `failed` | when no more answers are expected | the reason |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from repair_bench.traces.files.journal import Journal, Line
from repair_bench.traces.files.record_files import damaged

BATCHES = "batches.jsonl"


@dataclass
class Batch:
    """A batch. `params`: the parameters of each request that the batch may still answer, by key.

    `id`: our name for the batch, also sent to the provider. `file`, `name`: the provider's names for the file with the
    requests and for the batch; None before they are known.
    """

    id: str
    model: str
    params: dict[str, dict[str, Any]]
    file: str | None = None
    name: str | None = None


class BatchLedger:
    """The single writer of a ledger. Use a `BatchLedger` in only one event loop."""

    def __init__(self, path: Path) -> None:
        self._batches: dict[str, Batch] = {}
        self._last: dict[str, str] = {}  # by key: the batch with the request
        self._path = path
        self.journal = Journal(path, self._visit)

    def under_way(self, model: str) -> list[Batch]:
        """Return the batches of a model, oldest first.

        A batch is omitted if later batches contain all of its requests.
        """
        return [batch for batch in self._batches.values() if batch.params and batch.model == model]

    async def prepared(self, id_: str, model: str, params: Mapping[str, Mapping[str, Any]]) -> Batch:
        """Record a batch on disk before it is sent. The batch replaces earlier batches for the same keys."""
        await self._write({"event": "prepared", "id": id_, "model": model, "params": params})
        return self._batches[id_]

    async def note(self, batch: Batch, event: str, **fields: str | list[str]) -> None:
        """Record an event of a prepared batch on disk.

        The events are `uploaded` (with the `file`), `submitted` (with the `name`), `collected` (with the `unanswered`
        keys) and `failed` (with the `reason`).
        """
        await self._write({"event": event, "id": batch.id, **fields})

    async def _write(self, event: dict[str, Any]) -> None:
        await self.journal.append(event)
        self._take(event)

    def _visit(self, line: Line[dict[str, Any]]) -> None:
        try:
            self._take(line.data)
        except (KeyError, TypeError, AttributeError):
            raise damaged(self._path, line.number, "not a batch event") from None

    def _take(self, event: dict[str, Any]) -> None:
        kind, id_ = event["event"], event["id"]
        if kind == "prepared":
            for key in event["params"]:
                if (earlier := self._last.get(key)) is not None:
                    self._batches[earlier].params.pop(key, None)
                self._last[key] = id_
            self._batches[id_] = Batch(id_, event["model"], dict(event["params"]))
            return
        batch = self._batches[id_]
        if kind == "uploaded":
            batch.file = event["file"]
        elif kind == "submitted":
            batch.name = event["name"]
        elif kind == "collected":
            for key in event["unanswered"]:
                batch.params.pop(key, None)
        elif kind == "failed":
            batch.params.clear()
        else:
            raise KeyError(kind)
