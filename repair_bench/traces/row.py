"""One attempt without its texts, so that the figures of a million of them fit in memory.

A row has the names of an `Attempt` for what it keeps, so that metrics, tables and plots take both. The texts stay on
the disk, where `whole` reads them one attempt at a time.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from repair_bench.traces.faults import TraceError
from repair_bench.traces.journal import parse
from repair_bench.traces.records import Attempt, FaultRecord, OutcomeStatus, Verdict


class RowFeedback(msgspec.Struct, frozen=True, gc=False):
    """What a row keeps of a `Feedback`."""

    policy: str
    donor: str | None = None


class RowCompletion(msgspec.Struct, frozen=True, gc=False):
    """What a row keeps of a `Completion`: what it cost."""

    prompt_tokens: int | None
    completion_tokens: int | None
    cost_usd: float | None
    latency_seconds: float | None
    requests: int
    cached: bool
    finish_reason: str | None

    @property
    def usage(self) -> dict[str, Any]:
        """The provider's counts of tokens read and written; None for one that it did not report."""
        return {"prompt_tokens": self.prompt_tokens, "completion_tokens": self.completion_tokens}


class RowOutcome(msgspec.Struct, frozen=True, gc=False):
    """What a row keeps of an `Outcome`."""

    status: OutcomeStatus
    cpu_seconds: float | None
    wall_seconds: float | None


class Row(msgspec.Struct, frozen=True, gc=False):
    """An attempt without its texts; the names are those of `Attempt`.

    `verdict`: its evidence holds what the error taxonomies look at and no more. `code_digest`: the same for two
    attempts with the same code; None without code. `path`, `offset`: where its line stands.
    """

    id: str
    parent: str | None
    episode: str
    model: str
    suite: str
    suite_version: str
    task_id: str
    framework: str
    category: str
    difficulty: str | None
    condition: str
    sample: int
    attempt: int
    feedback: RowFeedback | None
    completion: RowCompletion | None
    code_digest: str | None
    outcome: RowOutcome | None
    verdict: Verdict | None
    fault: FaultRecord | None
    off_policy: bool
    writer: str | None
    path: Path
    offset: int

    @property
    def passed(self) -> bool:
        return self.verdict is not None and self.verdict.kind == "pass"

    @property
    def code(self) -> str | None:
        """The extracted code, read from the disk."""
        return self.whole().code

    def whole(self) -> Attempt:
        """The attempt with its texts, read from the disk."""
        with self.path.open("rb") as file:
            file.seek(self.offset)
            data = parse(file.readline())
        try:
            return Attempt.from_json(data or {})
        except (KeyError, TypeError, AttributeError) as error:
            raise TraceError(f"{self.path}, at byte {self.offset}: not an attempt: {error}") from error


Recorded = Attempt | Row
"""An attempt as figures take it, with its texts or without."""
