"""Verify one or more runs in sequence, with one executor."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from repair_bench.agent.experiment.episodes import PlannedEpisode, digest
from repair_bench.agent.loop.rounds import Rounds, short
from repair_bench.agent.loop.steps import is_over
from repair_bench.agent.studies.verifying import execution
from repair_bench.agent.studies.verifying.episodes import check_episode
from repair_bench.agent.studies.verifying.findings import VerificationReport
from repair_bench.agent.studies.verifying.saved import Saved, stated_providers, wrong_costs
from repair_bench.agent.studies.verifying.settings import Plan, Suites, plan
from repair_bench.coroutines import run_to_end
from repair_bench.executors.options import Backend, ExecutorOptions
from repair_bench.prompts.feedback import PlaceboSource, needs_placebo_source
from repair_bench.traces.faults import UsageError
from repair_bench.traces.files.journal import parse, read_lines
from repair_bench.traces.files.record_files import read_as
from repair_bench.traces.record.lazy_attempt import task_key
from repair_bench.traces.record.records import Attempt
from repair_bench.traces.run.decisions import DECISIONS, Decision
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_files import PLACEBO_SOURCES
from repair_bench.traces.run.store import COMPLETIONS

_OF_EPISODE = ("episode", "condition", "model", "writer", "stoppable", "run")
"""Fields of a shared attempt that differ between arms."""


@dataclass(frozen=True)
class Source:
    """A record to verify.

    `records`: a function, called once or twice, that returns the attempts in order, grouped by episode. Each attempt
    has a flag, which is False only if the digest of its line differs from the published digest. `directory`: the folder
    of `study.lock` and the other files. `published`: whether the run is part of a published site. Such a run lacks
    `completions.jsonl`.
    """

    name: str
    manifest: Manifest
    records: Callable[[], Iterable[tuple[Attempt, bool]]]
    directory: Path
    published: bool = False


def verify(
    sources: Sequence[Source], *, sample: int | None, seed: int, data: Path | None, executor: ExecutorOptions
) -> list[VerificationReport]:
    """Verify records. `sample`: the number of answers to execute again, or None for all answers. Raises UsageError."""

    async def go() -> list[VerificationReport]:
        suites: Suites = {}
        async with executor.open(data) as opened:
            return [await _verify(source, sample, seed, data, opened, suites) for source in sources]

    return run_to_end(go())


async def _verify(
    source: Source, sample: int | None, seed: int, data: Path | None, executor: Backend, suites: Suites
) -> VerificationReport:
    found = VerificationReport(source.name)
    made = await plan(source.manifest, source.directory, data, executor, suites, found)
    answers = _read(source, made, found)
    found.answers = len(answers)
    sampled = execution.draw(answers, sample, seed)
    paths = ([attempt for attempt, _ in lines] for _, lines in _episodes(source))
    await execution.execute(paths if sampled else (), sampled, made, found, executor)
    return found


def _read(source: Source, made: Plan, found: VerificationReport) -> set[str]:
    """Make all checks of the record that do not execute answers.

    Returns the ids of the answers that can be executed again.
    """
    manifest, regraded = source.manifest, source.manifest.is_regrade
    placebo_sources, saved = _placebo_sources(source, found), _saved(source, found)
    providers = stated_providers(manifest)
    copied = int(manifest.origin.get("attempt", -1)) if manifest.origin.get("kind") == "fork" else -1
    shared: dict[str, str] = {}
    answers: set[str] = set()
    paths: dict[str, list[Attempt]] = {}
    answered: list[list[str]] = []
    earliest: str | None = None
    unknown = False
    for name, lines in _episodes(source):
        path = [attempt for attempt, _ in lines]
        first, episode = path[0], (made.episodes or {}).get(name)
        found.attempts += len(path)
        for attempt in (attempt for attempt, unchanged in lines if not unchanged):
            found.contradict("the attempt's line in the record does not match the published digest", attempt)
        if name in paths:
            found.contradict("the episode's attempts are not on consecutive lines", first)
        if made.episodes is not None and episode is None and first.suite not in made.absent:
            found.contradict("the episode is not planned in run.json", first)
        unknown = unknown or episode is None
        task = made.task(task_key(first))
        check_episode(path, episode, task, placebo_sources, made.seed, found, regraded=regraded)
        for attempt in path:
            if attempt.attempt <= max(copied, 0) and shared.setdefault(attempt.id, c := _content(attempt)) != c:
                found.contradict("another episode contains a different attempt with the same id", attempt)
            if attempt.attempt > copied:
                texts = list(wrong_costs(attempt, providers))
                if saved is not None and episode is not None:
                    texts += saved.contradict(attempt, episode, made.seed)
                for text in texts:
                    found.contradict(text, attempt)
                if attempt.started_at is not None and not regraded:
                    earliest = min(earliest or attempt.started_at, attempt.started_at)
            if execution.is_answer(attempt):
                answers.add(attempt.id)
            if attempt.completion is not None:
                answered.append([attempt.episode, attempt.id])
        paths[name] = [short(attempt) for attempt in (path if manifest.stops_by_value else path[-1:])]
    _check_begin(manifest, earliest, found)
    found.pending = _pending(source, made, paths, answered, found)
    if saved is not None:
        saved.close(manifest, None if unknown else found.pending, found)
    return answers


def _episodes(source: Source) -> Iterator[tuple[str, list[tuple[Attempt, bool]]]]:
    for name, lines in itertools.groupby(source.records(), lambda line: line[0].episode):
        yield name, list(lines)


def _placebo_sources(source: Source, found: VerificationReport) -> list[PlaceboSource]:
    if not any(needs_placebo_source(one.get("feedback", "default")) for one in source.manifest.conditions.values()):
        return []
    try:
        return [
            PlaceboSource(**source_task)
            for source_task in read_as(source.directory / PLACEBO_SOURCES, list[PlaceboSource])
        ]
    except FileNotFoundError:
        found.doubt(f"{PLACEBO_SOURCES} is missing, so the placebo feedback cannot be recreated")
    return []


def _saved(source: Source, found: VerificationReport) -> Saved | None:
    """Return the saved completions, or None for regraded runs and sites, which contain no completions."""
    if source.published or source.manifest.is_regrade:
        return None
    if not (source.directory / COMPLETIONS).exists():
        found.doubt(f"{COMPLETIONS} is missing, so answers and costs cannot be compared with the replies received")
        return None
    return Saved(source.directory)


def _content(attempt: Attempt) -> str:
    """Return a digest of the fields that are the same in all arms that share an attempt."""
    plain = {name: value for name, value in attempt.to_json().items() if name not in _OF_EPISODE}
    return hashlib.blake2b(json.dumps(plain, sort_keys=True).encode(), digest_size=16).hexdigest()


def _check_begin(manifest: Manifest, earliest: str | None, found: VerificationReport) -> None:
    shards = manifest.stated.get("merged", {}).get("shards") or [{"created_at": manifest.created_at}]
    starts = [shard["created_at"] for shard in shards if shard.get("created_at")]
    try:
        late = starts and earliest and datetime.fromisoformat(earliest) < datetime.fromisoformat(min(starts))
    except (TypeError, ValueError) as error:
        found.contradict(f"the run's timestamps are unreadable: {error}")
        return
    if late:
        found.doubt("an attempt began before the run: a clock was reset, or the times were edited")


def _pending(
    source: Source,
    made: Plan,
    paths: dict[str, list[Attempt]],
    answered: Sequence[list[str]],
    found: VerificationReport,
) -> int:
    if made.episodes is None:
        return 0
    if source.manifest.stops_by_value:
        try:
            return _pending_of_rounds(list(made.episodes.values()), paths, source.directory, found)
        except UsageError as error:
            found.contradict(str(error))
    if not source.manifest.is_regrade:
        known = {name: end for name, path in paths.items() if (end := path[-1]).verdict is not None}
        return sum(name not in known or not is_over(episode, known[name]) for name, episode in made.episodes.items())
    faults = sum(path[-1].fault is not None for path in paths.values())
    if digest(sorted(answered)) != source.manifest.origin.get("answers"):
        if faults or source.manifest.excluded:
            found.doubt("some answers of the regraded run are missing")
        else:
            found.contradict("the answers differ from those of the run that was regraded")
    return faults


def _pending_of_rounds(
    episodes: Sequence[PlannedEpisode],
    paths: Mapping[str, Sequence[Attempt]],
    directory: Path,
    found: VerificationReport,
) -> int:
    """Recompute the decisions of adaptive stopping, and return the number of pending episodes."""
    rounds = Rounds(episodes)
    taken: dict[str, int] = {}
    try:
        for number, line in enumerate(read_lines(directory / DECISIONS, parse)):
            stated = [Decision(**decision) for decision in line.data["decisions"]]
            if rounds.decide() != stated:  # an attempt that ended by a fault may have been made later
                found.doubt(f"{DECISIONS}: round {number} does not follow from the previous attempts")
            rounds.follow(stated)
            for episode in list(rounds.work()):
                due = paths.get(episode.id, ())[: (episode.until or 0) + 1]
                taken[episode.id] = len(due)
                for attempt in due:
                    rounds.take(attempt)
    except (KeyError, TypeError, ValueError) as error:
        found.contradict(f"{DECISIONS} cannot be followed: {error!r}")
        return 0
    for name, path in paths.items():
        if len(path) > taken.get(name, 0):
            found.contradict("the attempt was made, but no decision for it is recorded", path[-1])
    pending = sum(1 for _ in rounds.work())
    return pending or len(rounds.decide())
