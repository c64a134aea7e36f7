"""The ledger of a run's batches, `batches.jsonl`: what was handed to a provider to be answered together, and how far.

A batch is on the disk before anything of it is sent, so that a kill at any moment leaves it known. Each event has the
batch's `id`:

| event | is written |
| --- | --- |
| `prepared` | before anything is sent: the model, and the parameters of each request by its key |
| `uploaded` | when the provider holds its requests, before it is told to answer them: the name of the file |
| `submitted` | when the provider answers them: the provider's name of the batch |
| `collected` | when its answers were read, with the keys that had none |
| `failed` | when no answer will come of it |
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
    id: str
    """Our own name of it, which the provider is told."""
    model: str
    params: dict[str, dict[str, Any]]
    """By key, what each request that it may still answer was sent with."""
    file: str | None = None
    """The provider's name of the file that holds the requests; None before it has it."""
    name: str | None = None
    """The provider's name of the batch; None before it is known to have it."""


class BatchLedger:
    """The one writer of a ledger, for one event loop."""

    def __init__(self, path: Path) -> None:
        self._batches: dict[str, Batch] = {}
        self._last: dict[str, str] = {}  # by key: the batch that asks for it
        self._path = path
        self._journal = Journal(path, self._visit)

    def under_way(self, model: str) -> list[Batch]:
        """The batches of a model that hold requests which no later batch does, oldest first."""
        return [batch for batch in self._batches.values() if batch.params and batch.model == model]

    async def prepared(self, id_: str, model: str, params: Mapping[str, Mapping[str, Any]]) -> Batch:
        """Record a batch before anything of it is sent; durable on return. It alone asks for its keys from now on."""
        await self._write({"event": "prepared", "id": id_, "model": model, "params": params})
        return self._batches[id_]

    async def note(self, batch: Batch, event: str, **fields: str | list[str]) -> None:
        """Record a later event of a batch: `uploaded` with its `file`, `submitted` with its `name`, `collected` with
        the `unanswered` keys, or `failed` with the `reason`; durable on return.
        """
        await self._write({"event": event, "id": batch.id, **fields})

    async def close(self) -> None:
        await self._journal.close()

    async def _write(self, event: dict[str, Any]) -> None:
        await self._journal.append(event)
        self._take(event)

    def _visit(self, line: Line[dict[str, Any]]) -> None:
        try:
            self._take(line.data)
        except (KeyError, TypeError, AttributeError):
            raise damaged(self._path, line.number, "no event of a batch") from None

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
