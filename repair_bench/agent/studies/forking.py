"""Fork a run: repair stored failures under another policy, history or temperature, or with another model.

The new run is self-contained: `origin.jsonl` has a copy of the attempts before the fork, one episode per line. The ids
of these attempts pair a forked episode with its origin.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from repair_bench import prompts
from repair_bench.agent.experiment import manifest, settings
from repair_bench.agent.experiment.episodes import PlannedEpisode, digest
from repair_bench.agent.experiment.file import Experiment
from repair_bench.analysis.rates import metrics
from repair_bench.grading.loading import tasks_by_key
from repair_bench.prompts import few_shot
from repair_bench.suites.task import Suite
from repair_bench.traces.faults import DamagedRecordError, UsageError
from repair_bench.traces.files.atomic_file import write_whole
from repair_bench.traces.record.lazy_attempt import Recorded, task_key
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.manifest_fields import OriginFields
from repair_bench.traces.run.run_files import ORIGIN
from repair_bench.traces.run.run_reader import load_lists, load_rows


@dataclass(frozen=True)
class ChosenFailures:
    """The failures to fork: attempt number `attempt` of `episodes` (ids or their prefixes; None for all)."""

    episodes: tuple[str, ...] | None
    attempt: int = 0


@dataclass(frozen=True)
class ForkedRun:
    """A forked run, and its episodes up to a failure. `repairers`: None for the model that wrote each failure."""

    directory: Path
    manifest: Manifest
    choice: ChosenFailures
    beginnings: Sequence[tuple[Recorded, ...]]
    repairers: tuple[str, ...] | None = None

    @property
    def origin(self) -> OriginFields:
        """The fields about the forked run in the manifest of the new run."""
        accepted: OriginFields = {"accepted": self.manifest.accepted} if self.manifest.accepted else {}
        return {
            "kind": "fork",
            "run": self.directory.name,
            "attempt": self.choice.attempt,
            "repairers": self.repairers,
            "paths": len(self.beginnings),
            "digest": _digest(self.beginnings),
            "conditions": self.manifest.experiment["conditions"],
            **accepted,
        }


def read(directory: Path, choice: ChosenFailures) -> ForkedRun:
    """Read the chosen failures. Raises UsageError if the run has none."""
    run = load_rows(directory)
    if "conditions" not in run.manifest.experiment:
        raise UsageError(f"{directory}/run.json has no experiment that this version can read")
    if (run.manifest.experiment.get("prompts") or {}).get("version") != prompts.VERSION:
        raise UsageError(f"{directory} was recorded with another version of the prompts. Repeat the run to fork it.")
    chosen: dict[str, tuple[Recorded, ...]] = {}
    for episode in metrics.episodes(run.rows):
        if choice.episodes is not None and not episode.first.episode.startswith(choice.episodes):
            continue
        beginning = episode.attempts[: choice.attempt + 1]
        complete = [a.attempt for a in beginning] == list(range(choice.attempt + 1))
        answered = all(a.completion is not None and a.verdict is not None for a in beginning)
        if complete and answered and not any(a.passed or a.off_policy for a in beginning):
            chosen.setdefault(beginning[-1].id, beginning)  # fork an attempt 0 that arms share once
    if not chosen:
        which = "no episode" if choice.episodes is None else f"no episode {' or '.join(choice.episodes)}"
        raise UsageError(f"{directory} has {which} that failed at attempt {choice.attempt}: nothing to repair")
    return ForkedRun(directory, run.manifest, choice, list(chosen.values()))


def settings_of(source: ForkedRun, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the run's settings without comparisons, overridden by the given settings. Default models: the writers."""
    stored = manifest.stored_experiment(source.manifest, source.directory)
    writers = sorted({beginning[-1].writer or beginning[-1].model for beginning in source.beginnings})
    return settings.merged({**stored, "models": writers, "comparisons": ()}, given)


def keep(directory: Path, beginnings: Sequence[tuple[Recorded, ...]]) -> None:
    """Copy the episodes up to their failures into the new run."""
    lists = ([row.with_texts().to_json() for row in beginning] for beginning in beginnings)
    write_whole(directory / ORIGIN, (json.dumps(listed, ensure_ascii=True) + "\n" for listed in lists))


def load_prefixes(directory: Path, origin: OriginFields) -> Sequence[tuple[Recorded, ...]]:
    """Read the copied episodes of a fork. Raises UsageError if the copy is incomplete."""
    beginnings: Sequence[tuple[Recorded, ...]]
    try:
        beginnings = load_lists(directory / ORIGIN)
    except (OSError, DamagedRecordError):
        beginnings = []
    if _digest(beginnings) != origin.get("digest"):
        again = origin.get("run", "the run")
        raise UsageError(f"{directory / ORIGIN} is incomplete, and no request was sent yet: fork {again} again")
    return beginnings


def episodes(
    experiment: Experiment, suites: Sequence[Suite], beginnings: Sequence[tuple[Recorded, ...]], origin: OriginFields
) -> list[PlannedEpisode]:
    """Return one episode per copied episode, repairing model and arm. Raises UsageError if a task has changed."""
    by_name = {suite.name: suite for suite in suites}
    tasks = tasks_by_key(suites)
    forks = []
    for beginning in beginnings:
        last = beginning[-1]
        task, suite = tasks.get(task_key(last)), by_name.get(last.suite)
        if task is None or suite is None or suite.version != last.suite_version:
            raise UsageError(f"{last.suite}/{last.task_id} has changed since the run: install the suite's old version")
        writer = last.writer or last.model
        settings_of_first = (origin.get("conditions") or {}).get(last.condition)
        writers = origin.get("repairers") or (writer,)
        if settings_of_first is None or not set(writers) <= set(experiment.models):
            raise UsageError(f"the run is not a fork of {last.id}: its manifest names other conditions or models")
        for condition in experiment.conditions():
            prompt = json.loads(json.dumps(condition.prompt_key()))
            if any(settings_of_first.get(name) != value for name, value in prompt.items()):
                continue  # the first answer is for another prompt
            count = condition.few_shot
            shown = few_shot.examples(task, few_shot.pool(suite), count) if count else ()
            for model in writers:
                named = condition if model == writer else replace(condition, name=f"{condition.name}@{writer}")
                forks.append(PlannedEpisode(model, task, suite.version, named, last.sample, shown, beginning))
    return forks


def _digest(beginnings: Sequence[tuple[Recorded, ...]]) -> str:
    return digest([[a.id for a in beginning] for beginning in beginnings])
