"""The state and the context used by the nodes of the loop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol, TypedDict

from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.loop.ask import Asker
from repair_bench.agent.loop.first_requests import FirstRefusals
from repair_bench.agent.models.base import Model
from repair_bench.agent.telemetry import Telemetry
from repair_bench.executors.program import Executor
from repair_bench.grading.judge import Judged
from repair_bench.log import log
from repair_bench.prompts.feedback import PlaceboSource
from repair_bench.traces.faults import Fault
from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.record.printable import printable
from repair_bench.traces.record.records import Attempt, FaultRecord, Feedback
from repair_bench.traces.run.store import RunStore


class State(TypedDict):
    """The state of one episode.

    `attempts`: the recorded attempts, oldest first. `turn`: the attempt in progress. `judged`: the judgement of the
    answer in this attempt. `feedback`: the feedback for the next attempt.
    """

    episode: PlannedEpisode
    attempts: list[Attempt]
    turn: Attempt | None
    judged: Judged | None
    feedback: Feedback | None


class Progress(Protocol):
    """Receives progress reports from the loop."""

    total: int
    done: int

    def resumed(self, attempts: Iterable[Recorded]) -> None: ...
    def add(self, *, fresh: bool) -> None: ...
    def attempt_done(self, attempt: Recorded) -> None: ...
    def waits(self, reason: str) -> None: ...
    def stops(self, line: str) -> None: ...
    def say(self, line: str) -> None: ...


@dataclass(frozen=True)
class Context:
    """The models, services and settings that the nodes use, which are not part of the state."""

    run: str
    run_seed: int
    model: Model
    executor: Executor
    store: RunStore
    asker: Asker
    progress: Progress
    placebo_sources: Sequence[PlaceboSource] = ()
    critic: Model | None = None
    """The critic of the experiment; None if the repairing model is the critic."""
    telemetry: Telemetry | None = None
    first: FirstRefusals = field(default_factory=FirstRefusals)

    async def record(self, attempt: Attempt) -> Attempt:
        """Write a new attempt to disk, report it, and return it as written."""
        attempt = await self.store.append_attempt(attempt)
        if attempt.fault is not None:  # its message is in the record: a provider may have written it
            fault = attempt.fault
            log.warning("fault", attempt=attempt.id, boundary=fault.boundary, retries=fault.retries)
        self.progress.attempt_done(attempt)
        if self.telemetry is not None:
            self.telemetry.attempt(attempt)
        return attempt


def recorded(fault: Fault) -> FaultRecord:
    """Return a fault in the form recorded in an attempt."""
    return FaultRecord(fault.boundary, printable(str(fault), keep="\n\t"), fault.retries)


def now() -> str:
    """Return the time in UTC with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
