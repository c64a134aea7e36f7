"""Progress of a run: finished episodes, rates over common tasks, infrastructure errors, waits and pace.

Episodes with few attempts finish first, so the rate over finished episodes is biased upwards. Therefore, every episode
with a judged first answer counts, and open episodes are censored (see `censoring`).
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from repair_bench.analysis.rates import metrics
from repair_bench.analysis.rates.curves import rate
from repair_bench.analysis.rates.intervals import Interval
from repair_bench.analysis.rates.metrics import Episode, counted, group
from repair_bench.analysis.runs.infrastructure_errors import FaultGroup, grouped
from repair_bench.analysis.runs.notices import notices, repairs_of
from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.record.spending import Spend
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_tail import Event, Following

RECENT = 200
"""The maximum number of recently finished episodes from which the pace is computed."""
POINTS = 6
"""The maximum number of points in a curve."""


@dataclass(frozen=True)
class Rates:
    """The repair curve for one model, suite and condition, computed from the attempts recorded so far.

    `started`: the number of episodes with a judged first answer. `compared`: the number of episodes from which the
    curve is computed. `curve`: FB@k by k.
    """

    model: str
    suite: str
    condition: str
    started: int
    compared: int
    curve: dict[int, Interval]


@dataclass(frozen=True)
class WaitGroup:
    """One group of waits in a run, all with the same cause.

    A wait either respects a provider's quota or precedes a retry.

    `last`: the time of the last wait, in ISO 8601.
    """

    event: str
    cause: str
    times: int
    seconds: float
    last: str


@dataclass(frozen=True)
class Slow:
    """An episode with the total time for its answers and executions, in seconds."""

    episode: Episode
    seconds: float
    done: bool


@dataclass(frozen=True)
class Progress:
    """Progress of a run. `planned`, `seconds_left` and `per_minute` (finished episodes per minute) are None if unknown.

    `done`, `pending`, `open`: the numbers of finished episodes, of episodes ended by an infrastructure error, and of
    all other episodes. `comparable`: whether all rates within a suite cover the same tasks. `budget`: the spending
    limits.
    """

    name: str
    part: str
    notices: Sequence[str]
    planned: int | None
    done: int
    pending: int
    open: int
    attempts: int
    rates: Sequence[Rates]
    comparable: bool
    faults: Sequence[FaultGroup]
    waits: Sequence[WaitGroup]
    slowest: Sequence[Slow]
    per_minute: float | None
    seconds_left: float | None
    spent: Spend
    in_doubt: Spend
    unpriced: int
    budget: Spend


class Watched:
    """A run that is still being recorded, and the episodes read so far."""

    def __init__(self, directory: Path) -> None:
        self.run = Following(directory)
        self._episodes: dict[str, Episode] = {}

    def read(self, seconds: float) -> None:
        """Spend about `seconds` seconds on reading new records. Raises the same errors as `Following.read`."""
        before = self.run.attempts
        changed = self.run.read(seconds)
        if self.run.attempts is not before:
            self._episodes = {}
        for name in changed:
            episode = metrics.episode_of(self.run.attempts.episodes[name])
            if episode is not None and not episode.first.stoppable:
                self._episodes[name] = episode

    @property
    def ended(self) -> bool:
        """Whether every planned episode is finished and no process is writing to the run."""
        manifest = self.run.manifest
        if manifest is None or manifest.episodes is None or self.run.behind or self.run.writer is not None:
            return False
        # missing answers of a regraded run, and stopped episodes, are not pending
        if manifest.is_regrade or manifest.stops_by_value:
            return bool(self.run.events) and self.run.events[-1].event == "closed"
        repairs = self._repairs(manifest)
        return sum(finished(e, repairs) for e in self._episodes.values()) >= manifest.episodes

    def progress(self) -> Progress | None:
        """Return the progress, or None before the run begins."""
        run, manifest = self.run, self.run.manifest
        if manifest is None:
            return None
        episodes = list(self._episodes.values())
        repairs = self._repairs(manifest)
        done = [e for e in episodes if finished(e, repairs)]
        cut = [e for e in episodes if e.state(repairs) == "fault"]
        rows, comparable = rates(episodes, repairs)
        writing = run.writer is not None
        session = next((e.timestamp for e in reversed(run.events) if e.event in ("opened", "resumed")), "")
        per_second = pace(done, session)
        left = None if manifest.episodes is None else max(0, manifest.episodes - len(done))
        return Progress(
            name=run.directory.resolve().name,
            part=_part(manifest),
            notices=notices(episodes, manifest),
            planned=manifest.episodes,
            done=len(done),
            pending=len(cut),
            open=len(episodes) - len(done) - len(cut),
            attempts=sum(len(e.attempts) for e in episodes),
            rates=rows,
            comparable=comparable,
            faults=grouped(e.attempts[len(e.known)] for e in cut),
            waits=wait_groups(run.events),
            slowest=slowest(episodes, repairs),
            per_minute=None if per_second is None or not writing else 60 * per_second,
            seconds_left=None if per_second is None or left is None or not writing else left / per_second,
            spent=run.spending.known,
            in_doubt=run.spending.open,
            unpriced=run.spending.unknown,
            budget=run.budget,
        )

    def _repairs(self, manifest: Manifest) -> int:
        return repairs_of((a for e in self._episodes.values() for a in e.attempts), manifest)


def finished(episode: Episode, repairs: int) -> bool:
    """Whether an episode is finished. A regraded episode may end at the first verdict that the regrade changed."""
    return episode.off_policy > 0 or episode.state(repairs) == "counted"


def rates(episodes: Iterable[Episode], repairs: int) -> tuple[list[Rates], bool]:
    """Return one row per model, suite and condition. All rows of a suite cover the same samples.

    Samples that are not available for every model and condition of the suite are ignored. If all samples of a suite
    would be ignored, each row of the suite covers all samples of the row's model and condition. The second returned
    value states whether the rows of each suite cover the same samples.
    """
    started = counted(episodes, 0)
    made, comparable = [], True
    for (suite,), members in group(started, "suite").items():
        parts = {
            key: {(e.first.task_id, e.first.framework, e.first.sample): e for e in part}
            for key, part in group(members, "model", "condition").items()
        }
        common = set.intersection(*(set(part) for part in parts.values()))
        comparable = comparable and bool(common)
        for (model, condition), part in parts.items():
            chosen = [e for unit, e in part.items() if not common or unit in common]
            curve = {k: rate(chosen, k) for k in points(repairs)}
            made.append(Rates(model, suite, condition, len(part), len(chosen), curve))
    return made, comparable


def points(repairs: int) -> list[int]:
    """Return the values of k that a curve shows: the first few values and the last value."""
    return [*range(min(repairs, POINTS - 1)), repairs]


def wait_groups(events: Iterable[Event]) -> list[WaitGroup]:
    """Return the waits for quotas and the waits before retries, in descending order of total time."""
    groups: dict[tuple[str, str], WaitGroup] = {}
    for event in events:
        if event.event not in ("quota_wait", "retry"):
            continue
        status = f" {event.status}" if event.status is not None else ""
        cause = event.provider or f"{event.reason or 'unknown'}{status}"
        key = event.event, cause
        last = groups.get(key, WaitGroup(*key, 0, 0.0, ""))
        seconds = last.seconds + event.seconds + event.wait_seconds
        groups[key] = replace(last, times=last.times + 1, seconds=seconds, last=event.timestamp)
    return sorted(groups.values(), key=lambda g: -g.seconds)


def slowest(episodes: Iterable[Episode], repairs: int, maximum: int = 5) -> list[Slow]:
    """Return the episodes with the longest total time for answers and executions, excluding waits."""
    timed = ((sum(map(_seconds, e.attempts)), n, e) for n, e in enumerate(episodes))
    return [Slow(e, s, finished(e, repairs)) for s, _, e in heapq.nlargest(maximum, timed, key=lambda t: t[:2]) if s]


def _seconds(attempt: Recorded) -> float:
    waited = attempt.completion.latency_seconds if attempt.completion is not None else None
    ran = attempt.outcome.wall_seconds if attempt.outcome is not None else None
    return (waited or 0.0) + (ran or 0.0)


def pace(done: Iterable[Episode], since: str) -> float | None:
    """Return the recent pace in episodes per second, computed from episodes that finished after `since`; None if
    unknown.
    """
    lasts = sorted((e.attempts[-1] for e in done), key=_place)[-RECENT:]
    lasts = lasts[bisect_left(lasts, since, key=lambda a: a.finished_at or "") :]
    if len(lasts) < 2:
        return None
    begin, end = (_moment(a.finished_at) for a in (lasts[0], lasts[-1]))
    return None if begin is None or end is None or begin >= end else (len(lasts) - 1) / (end - begin).total_seconds()


def _moment(text: str | None) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _place(attempt: Recorded) -> int:
    return getattr(attempt, "offset", 0)


def _part(manifest: Manifest) -> str:
    words = [f"shard {shard['number']} of {shard['of']}"] if (shard := manifest.shard) is not None else []
    if kind := manifest.origin.get("kind"):
        words.append(f"{kind} of {manifest.origin.get('run', 'another run')}")
    return ", ".join(words)
