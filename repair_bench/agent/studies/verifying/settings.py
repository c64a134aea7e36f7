"""The settings of a run checked, and the episodes that they make."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from repair_bench.agent.experiment import manifest as manifests
from repair_bench.agent.experiment import settings, study
from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.experiment.resumption import in_words, version_changes
from repair_bench.agent.models import PROVIDERS
from repair_bench.agent.studies import forking
from repair_bench.agent.studies.sharding import Shard
from repair_bench.agent.studies.verifying.findings import VerificationReport
from repair_bench.executors.options import Backend
from repair_bench.frameworks import USUAL
from repair_bench.grading.loading import load_suite, tasks_by_key
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import Fault, UsageError
from repair_bench.traces.record.lazy_attempt import TaskKey
from repair_bench.traces.run.changes import changes
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.study_lock import StudyLock

_STATED_ELSEWHERE = {"versions", "origin", "asked_with"}
"""Parts of the manifest's experiment that its settings do not make."""


@dataclass
class Plan:
    """The episodes that a run must have, and its tasks as this version loads them.

    `episodes`: by id; None where they cannot be derived here. `absent`: why a suite is not here as the run had it.
    `seed`: the run's.
    """

    tasks: dict[TaskKey, Task] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    episodes: dict[str, PlannedEpisode] | None = None
    seed: int = 0

    def task(self, key: TaskKey) -> Task | None:
        """The task; None where it cannot be judged here."""
        task = self.tasks.get(key)
        return task if task is not None and task.excluded is None else None

    def why_not(self, key: TaskKey) -> str:
        """Why there is none."""
        task = self.tasks.get(key)
        if task is not None and task.excluded is not None:
            return task.excluded
        return self.absent.get(key[0], f"{key[0]} has no such task here")


Suites = dict[tuple[Any, ...], Suite | str]
"""Suites that were loaded, and why others could not be, by name and settings."""


async def plan(manifest: Manifest, directory: Path, data: Path | None, executor: Backend, suites: Suites,
               found: VerificationReport) -> Plan:  # fmt: skip
    """The plan of the run in `directory`; what is wrong with its settings goes to `found`."""
    made = Plan()
    loaded = await _load(manifest, data, executor, suites, made)
    for why in made.absent.values():
        found.doubt(why)
    found.versions = await _other_versions(manifest, executor)
    try:
        local = {
            "api_base": manifest.experiment.get("api_base"),
            "providers": manifest.resources.get("providers") or {},
        }
        experiment = settings.experiment({**manifests.stored_experiment(manifest), **local})  # no model is made of it
        _check_suites(experiment, manifest, found)
        complete = not made.absent
        episodes, tasks = _episodes(experiment, manifest, directory, loaded, complete=complete)
        _check_manifest(experiment, manifest, loaded, episodes, tasks, found, complete=complete)
        _check_lock(StudyLock.read(directory), experiment, manifest, loaded, episodes, found, complete=complete)
        if (shard := Shard.of_run(manifest)) is not None:
            pinned = shard.pinned(Manifest({"episodes": _certain(episodes)}), 0).shard
            episodes = shard.part(episodes)
            if manifest.shard != pinned:
                found.contradict("its shard is not one of its experiment")
    except (AttributeError, KeyError, TypeError, ValueError, UsageError) as error:
        found.doubt(f"the planned episodes cannot be derived: {error}")
        return made
    made.seed = experiment.seed
    if complete and not manifest.is_regrade and manifest.episodes != _certain(episodes):
        found.differ(f"run.json plans {manifest.episodes} episodes, and its settings make {_certain(episodes)}")
    made.episodes = {episode.id: episode for episode in episodes}
    found.planned = len(episodes)
    return made


async def _load(manifest: Manifest, data: Path | None, executor: Backend, suites: Suites, made: Plan) -> list[Suite]:
    """The suites that are here as the run had them; `made` gets their tasks, and why others are absent."""
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
            made.absent[name] = f"{name} is here in other contents than those of the run (version {pinned[0]})"
        else:
            loaded.append(suite)
    made.tasks = tasks_by_key(loaded)
    return loaded


async def _other_versions(manifest: Manifest, executor: Backend) -> str:
    """The versions that may decide a verdict and differ here, or differed during the run, in words."""
    stated, regraded = manifest.experiment, manifest.is_regrade  # a regrade asks no model
    frameworks = stated.get("frameworks", USUAL)
    policies = [str(condition.get("feedback")) for condition in manifest.conditions.values()]
    driver = manifests.driver(
        suites=stated.get("suites", ()),
        frameworks=frameworks,
        models=() if regraded else stated.get("models", ()),
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


def _check_suites(experiment: Experiment, manifest: Manifest, found: VerificationReport) -> None:
    if set(experiment.suites) != set(manifest.suite_contents):
        found.contradict("the suites that it names are not those whose contents it states")


def _episodes(
    experiment: Experiment, manifest: Manifest, directory: Path, loaded: Sequence[Suite], *, complete: bool
) -> tuple[list[PlannedEpisode], list[Task]]:
    """The episodes and tasks of the whole experiment, less the tasks that the run excluded.

    `complete`: whether all suites are here. Raises UsageError.
    """
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
        return forking.episodes(experiment, as_stated, forking.load_prefixes(directory, origin), origin), tasks
    if manifest.is_regrade and origin.get("of"):
        raise UsageError("it is a regrade of a run that was made from another")
    if manifest.is_regrade and any(one.startswith("suite_contents") for one in _differs(manifest)):
        raise UsageError("it is a regrade by another version of a suite")
    return experiment.episodes(as_stated), tasks


def _differs(manifest: Manifest) -> Sequence[str]:
    return manifest.stated.get("regraded_from", {}).get("differs", ())


def _certain(episodes: Iterable[PlannedEpisode]) -> int:
    """How many are made in any case; those that a run by value need not begin are not."""
    return sum(not episode.stoppable for episode in episodes)


def _check_manifest(
    experiment: Experiment, manifest: Manifest, loaded: Sequence[Suite], episodes: Sequence[PlannedEpisode],
    tasks: Sequence[Task], found: VerificationReport, *, complete: bool,
) -> None:  # fmt: skip
    """Compare what the manifest states with what a run of its settings would have stated.

    `complete`: whether all suites are here.
    """
    _check_simulated(manifest, experiment, found)
    if not complete:
        return
    made = manifests.make(
        *(experiment, loaded, episodes), name="", simulated=(), data=None, sandbox={}, versions={}
    )  # fmt: skip
    parts: dict[str, tuple[Any, Any]] = {"experiment": (_settings(manifest), _settings(made))}
    if "providers" in manifest.resources:
        pair = manifest.experiment.get("asked_with"), made.experiment.get("asked_with")
        parts["asked_with"] = pair
    if not manifest.is_regrade:  # it states what it judged, and not what its settings make
        parts |= {name: (manifest.stated.get(name), made.stated.get(name)) for name in ("labels", "titles")}
    for name, (stated, expected) in parts.items():
        for change in changes(stated, json.loads(json.dumps(expected)), name):
            found.differ(f"run.json is not what its settings make: {change}")
    for (suite, task, framework), reason in _excluded(manifest, loaded, tasks):
        found.doubt(f"the run excluded {suite}/{task} ({framework}), which can be judged here: {reason}")


def _settings(manifest: Manifest) -> dict[str, Any]:
    return {name: value for name, value in manifest.experiment.items() if name not in _STATED_ELSEWHERE}


def _excluded(manifest: Manifest, loaded: Sequence[Suite], tasks: Sequence[Task]) -> list[tuple[TaskKey, str]]:
    """The tasks that the run excluded and that can be judged here."""
    here = tasks_by_key(loaded)
    chosen = {(task.suite, task.id, task.framework) for task in tasks}
    stated = {(suite, task, framework): reason for suite, task, framework, reason in manifest.excluded}
    return [(key, reason) for key, reason in stated.items() if key in chosen and here[key].excluded is None]


def _check_simulated(manifest: Manifest, experiment: Experiment, found: VerificationReport) -> None:
    """Compare the models that are called simulated with those that are."""
    for model in experiment.models:
        provider = model.partition("/")[0].strip()
        if provider == "replay":
            found.doubt(f"{model} gives the answers of a run that is not here")
        elif provider in PROVIDERS and manifest.is_simulated(model) is not (provider == "sim"):
            text = "is not called simulated" if provider == "sim" else "is called simulated"
            found.contradict(f"{model} {text} in run.json")


def _check_lock(
    lock: StudyLock | None, experiment: Experiment, manifest: Manifest, loaded: Sequence[Suite],
    episodes: Sequence[PlannedEpisode], found: VerificationReport, *, complete: bool,
) -> None:  # fmt: skip
    """Compare `study.lock` with the one that the settings make; a regrade has that of its run."""
    if lock is None:
        found.doubt("there is no study.lock: the planned comparisons are not known")
        return
    found.lock = lock.hash
    if not complete:
        return
    made = study.lock(experiment, loaded, episodes)
    stated, expected = (_asked(of) if manifest.is_regrade else of.stated for of in (lock, made))
    for change in changes(stated, expected):
        found.differ(f"study.lock is not what the settings make: {change}")


def _asked(lock: StudyLock) -> dict[str, Any]:
    """What a lock says of a regrade, which may exclude other tasks and so have other numbers of pairs."""
    return {"comparisons": list(map(asdict, lock.comparisons)), "conditions": lock.stated.get("conditions")}
