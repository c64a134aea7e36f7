"""Check a run's settings, and derive the planned episodes from these settings."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from repair_bench.agent.experiment import beginnings, settings, study
from repair_bench.agent.experiment import manifest as manifests
from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.experiment.resumption import in_words, version_changes
from repair_bench.agent.models import PROVIDERS
from repair_bench.agent.studies.sharding import Shard
from repair_bench.agent.studies.verifying.findings import VerificationReport
from repair_bench.executors.options import Backend
from repair_bench.frameworks import USUAL
from repair_bench.grading.loading import load_suite, tasks_by_key
from repair_bench.prompts.compose import compose
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import Fault, UsageError
from repair_bench.traces.record.lazy_attempt import TaskKey
from repair_bench.traces.run.changes import changes
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.study_lock import StudyLock

_STATED_ELSEWHERE = {"versions", "origin", "asked_with"}
"""The keys in the manifest's `experiment` whose values cannot be derived from the run's settings."""


@dataclass
class Plan:
    """The episodes that a run must contain, and its tasks as loaded by this version.

    `episodes`: the episodes by id; None if they cannot be derived on this machine. `absent`: the reason why a suite is
    not available in the version that the run used, keyed by suite name. `seed`: the run's random seed.
    """

    tasks: dict[TaskKey, Task] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    episodes: dict[str, PlannedEpisode] | None = None
    seed: int = 0

    def task(self, key: TaskKey) -> Task | None:
        """Return a task, or None if the task cannot be graded on this machine."""
        task = self.tasks.get(key)
        return task if task is not None and task.excluded is None else None

    def why_not(self, key: TaskKey) -> str:
        """Return the reason why `task(key)` is None."""
        task = self.tasks.get(key)
        if task is not None and task.excluded is not None:
            return task.excluded
        return self.absent.get(key[0], f"the installed {key[0]} has no such task")


Suites = dict[tuple[Any, ...], Suite | str]
"""Loaded suites, or the reasons why loading failed, keyed by name and settings."""


async def plan(
    manifest: Manifest, directory: Path, data: Path | None, executor: Backend, suites: Suites, found: VerificationReport
) -> Plan:
    """Return the episodes and tasks planned for the run in `directory`. Add errors in the run's settings to `found`."""
    made = Plan()
    loaded = await _load(manifest, data, executor, suites, made)
    for why in made.absent.values():
        found.doubt(why)
    complete = not made.absent
    found.versions = await _other_versions(manifest, executor)
    try:
        providers = manifest.resources.get("providers") or {}
        local = {"api_base": manifest.experiment.get("api_base"), "providers": providers}
        experiment = settings.experiment(
            {**manifests.stored_experiment(manifest, directory), **local}
        )  # no model is created from it
        if set(experiment.suites) != set(manifest.suite_contents):
            found.contradict("run.json names suites whose contents it does not record, or the reverse")
        episodes, tasks = _episodes(experiment, manifest, directory, loaded, complete=complete)
        check_simulated(manifest, experiment, found)
        if "graded" in manifest.origin:
            _check_answers(episodes, found)
        if complete:
            pinned = manifests.make(
                experiment, loaded, episodes, name="", simulated=(), data=None, sandbox={}, versions={}
            )
            _check_manifest(pinned, manifest, found)
            _check_excluded(manifest, tasks, made.tasks, found)
        if (lock := StudyLock.read(directory)) is None:
            found.doubt("study.lock is missing, so the planned comparisons are unknown")
        else:
            found.lock = lock.hash
            if complete:
                version = manifest.versions.get("driver", {}).get("repair-bench")
                expected = study.lock(experiment, loaded, episodes, version=version)
                _check_lock(lock, expected, found, regraded=manifest.is_regrade)
        certain = sum(not episode.stoppable for episode in episodes)  # adaptive stopping may never start the others
        if (shard := Shard.of_run(manifest)) is not None:
            share = shard.pinned(Manifest({"episodes": certain}), 0).shard
            episodes = shard.part(episodes)
            certain = sum(not episode.stoppable for episode in episodes)
            if manifest.shard != share:
                found.contradict("the shard in run.json does not belong to the experiment")
    except (AttributeError, KeyError, TypeError, ValueError, UsageError) as error:
        found.doubt(f"the planned episodes cannot be derived from run.json: {error}")
        return made
    if complete and not manifest.is_regrade and manifest.episodes != certain:
        found.differ(f"run.json plans {manifest.episodes} episodes, but its settings imply {certain}")
    made.seed = experiment.seed
    made.episodes = {episode.id: episode for episode in episodes}
    found.planned = len(episodes)
    return made


async def _load(manifest: Manifest, data: Path | None, executor: Backend, suites: Suites, made: Plan) -> list[Suite]:
    """Return the suites that are available in the version that the run used.

    The tasks of the returned suites are stored in `made.tasks`. The reasons why the other suites are not available are
    stored in `made.absent`.
    """
    rule = manifest.experiment.get("rule", "exact")
    strict = bool(manifest.experiment.get("require_sealed"))
    loaded = []
    for name, pinned in manifest.suite_contents.items():
        key = (name, rule, strict, data)
        if key not in suites:
            try:
                suites[key] = await load_suite(name, executor, data=data, rule=rule, require_sealed=strict)
            except (UsageError, Fault) as error:
                suites[key] = str(error)
        suite = suites[key]
        if isinstance(suite, str):
            made.absent[name] = suite
        elif [suite.version, suite.contents(manifest.experiment.get("frameworks", USUAL))] != list(pinned):
            made.absent[name] = f"the installed {name} differs from the run's suite (version {pinned[0]})"
        else:
            loaded.append(suite)
    made.tasks = tasks_by_key(loaded)
    return loaded


async def _other_versions(manifest: Manifest, executor: Backend) -> str:
    """Describe version differences that can affect verdicts, within the run or between the run and this machine."""
    stated, regraded = manifest.experiment, manifest.is_regrade  # a regrade queries no model
    frameworks = stated.get("frameworks", USUAL)
    policies = [str(condition.get("feedback")) for condition in manifest.conditions.values()]
    critics = [str(condition["critic"][0]) for condition in manifest.conditions.values() if "critic" in condition]
    driver = manifests.driver(
        suites=stated.get("suites", ()),
        frameworks=frameworks,
        models=() if regraded else [*stated.get("models", ()), *critics],
        policies=() if regraded else policies,
    )
    here = {"driver": driver}
    for framework in frameworks:
        try:
            here[framework] = await asyncio.to_thread(executor.versions, framework)
        except (Fault, UsageError) as error:
            return str(error)
    deciding, _ = version_changes({name: manifest.versions.get(name, {}) for name in here}, here)
    return "; ".join([*manifest.accepted, *([in_words(deciding)] if deciding else [])])


def _episodes(
    experiment: Experiment, manifest: Manifest, directory: Path, loaded: Sequence[Suite], *, complete: bool
) -> tuple[list[PlannedEpisode], list[Task]]:
    """Return the episodes and tasks, except those that the run excluded. `complete`: all suites are available."""
    if not loaded or (not complete and (manifest.origin or manifest.shard)):
        raise UsageError("a suite is missing")
    excluded = {(suite, task, framework): reason for suite, task, framework, reason in manifest.excluded}
    as_stated = [
        replace(s, tasks=tuple(replace(t, excluded=excluded.get((s.name, t.id, t.framework))) for t in s.tasks))
        for s in loaded
    ]
    tasks = experiment.tasks(as_stated)
    origin = manifest.origin
    if origin.get("kind") == "fork":
        return beginnings.episodes(experiment, as_stated, beginnings.load_prefixes(directory, origin), origin), tasks
    if manifest.is_regrade and origin.get("of"):
        raise UsageError("the run is a regrade of a run that was itself derived from another run")
    differs = manifest.stated.get("regraded_from", {}).get("differs", ())
    if manifest.is_regrade and any(one.startswith("suite_contents") for one in differs):
        raise UsageError("the run was regraded with another version of a suite")
    return experiment.episodes(as_stated), tasks


def check_simulated(manifest: Manifest, experiment: Experiment, found: VerificationReport) -> None:
    for model in experiment.queried:
        provider = model.partition("/")[0].strip()
        if provider == "replay":
            found.doubt(f"{model} replays a run that is not available on this machine")
        elif provider in PROVIDERS and manifest.is_simulated(model) is not (provider == "sim"):
            verb = "does not mark" if provider == "sim" else "marks"
            found.contradict(f"run.json {verb} {model} as simulated")


def _check_answers(episodes: Sequence[PlannedEpisode], found: VerificationReport) -> None:
    """For each answer copied from a file, recompute the id and the first prompt, and compare them with the record."""
    for episode in {episode.prefix[0].id: episode for episode in episodes}.values():
        copy = episode.prefix[0].with_texts()
        text = copy.completion.text if copy.completion is not None else ""
        if copy.id != beginnings.answer_id(replace(episode, model=copy.model), text):
            found.contradict(f"the id of the copied first answer {copy.id} does not match its content")
        if copy.messages != compose(episode.task, episode.condition):
            found.differ(f"the prompt of the copied first answer {copy.id} differs from the initial prompt of its task")


def _check_manifest(made: Manifest, manifest: Manifest, found: VerificationReport) -> None:
    stated, expected = (
        {name: value for name, value in one.experiment.items() if name not in _STATED_ELSEWHERE}
        for one in (manifest, made)
    )
    parts: dict[str, tuple[Any, Any]] = {"experiment": (stated, expected)}
    if "providers" in manifest.resources:
        parts["asked_with"] = manifest.experiment.get("asked_with"), made.experiment.get("asked_with")
    if not manifest.is_regrade:  # a regrade states the tasks that it judged
        parts |= {name: (manifest.stated.get(name), made.stated.get(name)) for name in ("labels", "titles")}
    for name, (old, new) in parts.items():
        for change in changes(old, json.loads(json.dumps(new)), name):
            found.differ(f"run.json does not match the settings of the run: {change}")


def _check_excluded(
    manifest: Manifest, tasks: Sequence[Task], here: Mapping[TaskKey, Task], found: VerificationReport
) -> None:
    chosen = {task.key for task in tasks}
    for suite, task, framework, reason in manifest.excluded:
        if (key := (suite, task, framework)) in chosen and here[key].excluded is None:
            found.doubt(f"this machine can grade {suite}/{task} ({framework}), which the run excluded: {reason}")


def _check_lock(lock: StudyLock, made: StudyLock, found: VerificationReport, *, regraded: bool) -> None:
    """Compare `study.lock` with the lock that the settings imply.

    For a regrade, only the comparisons and the conditions in the two locks must match, not the numbers of paired
    episodes.
    """
    stated, expected = lock.stated, made.stated
    if regraded:
        stated, expected = (
            {"comparisons": list(map(asdict, one.comparisons)), "conditions": one.stated.get("conditions")}
            for one in (lock, made)
        )
    for change in changes(stated, expected):
        found.differ(f"study.lock does not match the settings of the run: {change}")
