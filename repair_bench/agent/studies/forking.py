"""Going on from stored failures: under another feedback policy, history or temperature, or with another model.

The attempts that a fork goes on from are copied into the new run (`origin.jsonl`, the attempts of an episode on each
line), so that it stands alone. Their ids stay: a fork is paired with the episode it was taken from.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

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
    """Which failures to go on from: those of `episodes` (ids, or the start of them; None for all) at `attempt`."""

    episodes: tuple[str, ...] | None
    attempt: int = 0


@dataclass(frozen=True)
class ForkedRun:
    """A run that is forked, and the beginnings that are gone on from, each ending with a failure.

    `repairers`: the models that repair; None for each failure's own writer.
    """

    directory: Path
    manifest: Manifest
    choice: ChosenFailures
    beginnings: Sequence[tuple[Recorded, ...]]
    repairers: tuple[str, ...] | None = None

    @property
    def origin(self) -> OriginFields:
        """What the new run's manifest pins of it."""
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
    """The failures to go on from. Raises UsageError when the run holds none of that choice."""
    run = load_rows(directory)
    if "conditions" not in run.manifest.experiment:
        raise UsageError(f"{directory}/run.json holds no experiment that this version can read")
    chosen: dict[str, tuple[Recorded, ...]] = {}
    for episode in metrics.episodes(run.rows):
        if choice.episodes is not None and not episode.first.episode.startswith(choice.episodes):
            continue
        beginning = episode.attempts[: choice.attempt + 1]
        whole = [a.attempt for a in beginning] == list(range(choice.attempt + 1))
        answered = all(a.completion is not None and a.verdict is not None for a in beginning)
        if whole and answered and not any(a.passed or a.off_policy for a in beginning):
            chosen.setdefault(beginning[-1].id, beginning)  # arms share attempt 0: it is gone on from once
    if not chosen:
        which = "no episode" if choice.episodes is None else f"no episode {' or '.join(choice.episodes)}"
        raise UsageError(f"{directory} holds {which} that failed at attempt {choice.attempt}: nothing to go on from")
    return ForkedRun(directory, run.manifest, choice, list(chosen.values()))


def settings_of(source: ForkedRun, given: Mapping[str, Any]) -> dict[str, Any]:
    """The fork's settings: those of the run, with what was given instead; the models are the writers where none is.

    What the run was to compare is no question of the fork.
    """
    try:
        stored = manifest.stored_experiment(source.manifest)
    except KeyError:
        raise UsageError(f"{source.directory}/run.json holds no experiment that this version can read") from None
    writers = sorted({beginning[-1].writer or beginning[-1].model for beginning in source.beginnings})
    return settings.merged({**stored, "models": writers, "comparisons": ()}, given)


def keep(directory: Path, beginnings: Sequence[tuple[Recorded, ...]]) -> None:
    """Copy the beginnings into the new run."""
    lists = ([row.with_texts().to_json() for row in beginning] for beginning in beginnings)
    write_whole(directory / ORIGIN, (json.dumps(listed, ensure_ascii=True) + "\n" for listed in lists))


def load_prefixes(directory: Path, origin: OriginFields) -> Sequence[tuple[Recorded, ...]]:
    """The beginnings that a fork was begun with. Raises UsageError when the copy is not whole."""
    beginnings: Sequence[tuple[Recorded, ...]]
    try:
        beginnings = load_lists(directory / ORIGIN)
    except (OSError, DamagedRecordError):
        beginnings = []
    if _digest(beginnings) != origin.get("digest"):
        again = origin.get("run", "the run")
        raise UsageError(f"{directory / ORIGIN} is not whole: nothing was asked yet, so fork {again} again")
    return beginnings


def episodes(
    experiment: Experiment, suites: Sequence[Suite], beginnings: Sequence[tuple[Recorded, ...]], origin: OriginFields
) -> list[PlannedEpisode]:
    """One episode for each beginning, model that repairs and arm. Raises UsageError when a task is not what it was."""
    by_name = {suite.name: suite for suite in suites}
    tasks = tasks_by_key(suites)
    forks = []
    for beginning in beginnings:
        last = beginning[-1]
        task, suite = tasks.get(task_key(last)), by_name.get(last.suite)
        if task is None or suite is None or suite.version != last.suite_version:
            raise UsageError(f"{last.suite}/{last.task_id} is not the task it was: the suite has changed since")
        writer = last.writer or last.model
        asked = (origin.get("conditions") or {}).get(last.condition)
        writers = origin.get("repairers") or (writer,)
        if asked is None or not set(writers) <= set(experiment.models):
            raise UsageError(f"the run is no fork of {last.id}: its manifest names other conditions or models")
        for condition in experiment.conditions():
            prompt = json.loads(json.dumps(condition.prompt_key()))
            if any(asked.get(name) != value for name, value in prompt.items()):
                continue  # the first answer was given to another prompt
            count = condition.few_shot
            shown = few_shot.examples(task, few_shot.pool(suite), count) if count else ()
            for model in writers:
                named = condition if model == writer else replace(condition, name=f"{condition.name}@{writer}")
                forks.append(PlannedEpisode(model, task, suite.version, named, last.sample, shown, beginning))
    return forks


def _digest(beginnings: Sequence[tuple[Recorded, ...]]) -> str:
    return digest([[a.id for a in beginning] for beginning in beginnings])
