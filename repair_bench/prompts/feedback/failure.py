"""What a feedback policy may read of a failed attempt, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from repair_bench.traces.record.records import Verdict


@dataclass(frozen=True)
class PlaceboSource:
    """A failure of another task that really happened, and what the default policy says of it.

    `form` tells failures apart that are told in different words: the verdict's kind, and for a wrong answer the check.
    `redacted`: how many pieces of its own task's test or inputs were taken out of `text`.
    """

    suite: str
    task_id: str
    framework: str
    entry_point: str
    kind: str
    form: str
    text: str
    redacted: int = 0


@dataclass(frozen=True)
class Failure:
    """The verdict on an attempt, the code that was judged, and for a placebo the failure of another task."""

    verdict: Verdict
    code: str | None = None
    donor: PlaceboSource | None = None
