"""Build `run.json`: everything needed to repeat a run, and everything that must stay the same when the run resumes."""

from __future__ import annotations

import os
import platform
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from repair_bench import plugins, prompts
from repair_bench._version import __version__
from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.models import PROVIDERS
from repair_bench.agent.models.network.providers import PACE
from repair_bench.executors.program import Limits
from repair_bench.frameworks import BUILT_IN
from repair_bench.prompts.feedback import POLICIES
from repair_bench.suites import SUITES
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.labels import DOUBTS
from repair_bench.traces.record.records import SCHEMA
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.manifest_fields import ExperimentFields, Fields, OriginFields
from repair_bench.traces.run.run_files import MANIFEST


def make(
    experiment: Experiment,
    suites: Sequence[Suite],
    episodes: Sequence[PlannedEpisode],
    *,
    name: str,
    simulated: Sequence[str],
    data: str | None,
    sandbox: Mapping[str, Mapping[str, str]],
    versions: Mapping[str, Mapping[str, str]],
    nodes: Sequence[Mapping[str, Any]] = (),
    origin: OriginFields | None = None,
) -> Manifest:
    """Return the manifest of a run. When a run is resumed, every field of `experiment` must be unchanged.

    `sandbox`: the layers of each framework's fork server; `versions`: the package versions in each framework's
    interpreter. `nodes`: the cluster's nodes. `origin`: the original run of a fork.
    """
    own = driver(
        suites=experiment.suites,
        frameworks=experiment.frameworks,
        models=experiment.queried,
        policies=[condition.feedback for condition in experiment.conditions()],
    )
    pinned: ExperimentFields = {
        **experiment.settings(),
        "conditions": {e.condition.name: e.condition.settings() for e in episodes},
        "asked_with": {  # all that an answer may depend on, so not the pace
            name: provider.model_dump(mode="json", exclude=set(PACE), exclude_none=True)
            for name, provider in experiment.providers.items()
        },
        "prompts": {"version": prompts.VERSION},
        "suite_contents": {suite.name: [suite.version, suite.contents(experiment.frameworks)] for suite in suites},
        "limits": {"default": vars(Limits())},
        "versions": {"driver": own, **versions},
    }
    if origin:
        pinned["origin"] = origin
    fields: Fields = {
        "schema": SCHEMA,
        "name": name,
        "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "experiment": pinned,
        "data": data,
        "resources": experiment.resources(),
        "platform": {"system": platform.system(), "machine": platform.machine(), "cores": os.cpu_count()},
        "sandbox": sandbox,
        "episodes": sum(not episode.stoppable for episode in episodes),  # the others may never start
        "simulated": list(simulated),
        **task_fields(experiment.tasks(suites)),
    }
    if nodes:
        fields["nodes"] = nodes
    return Manifest(fields)


def task_fields(tasks: Collection[Task]) -> Fields:
    """Return the fields of a manifest that describe its tasks: labels, titles and exclusions."""
    labelled = {label: {(task.suite, task.id) for task in tasks if label in task.labels} for label in DOUBTS}
    return {
        "labels": {label: sorted(found) for label, found in labelled.items()},
        "titles": sorted({(task.suite, task.id, task.title or task.entry_point) for task in tasks}),
        "excluded": [[*t.key, t.excluded] for t in tasks if t.excluded is not None],
    }


def driver(
    *, suites: Iterable[str], frameworks: Iterable[str], models: Iterable[str] = (), policies: Iterable[str] = ()
) -> dict[str, str]:
    """Return the versions of Python, repair-bench, and the plug-in packages that provide the given components."""
    return {
        "python": platform.python_version(),
        "repair-bench": __version__,
        **plugins.versions("models", {name.partition("/")[0] for name in models} - PROVIDERS.keys()),
        **plugins.versions("suites", {name.partition("?")[0] for name in suites} - SUITES.keys()),
        **plugins.versions("feedback", set(policies) - set(POLICIES)),
        **plugins.versions("frameworks", set(frameworks) - set(BUILT_IN)),
    }


def stored_experiment(manifest: Manifest, directory: Path) -> dict[str, Any]:
    """Return the settings of a recorded experiment, except those that the user must pass again (see `given_again`).

    Raises UsageError if a setting is missing from the record.
    """
    stored: Mapping[str, Any] = manifest.experiment
    fields = [name for name, field in Experiment.model_fields.items() if not field.exclude and name != "api_base"]
    if not stored.keys() >= {*fields}:
        raise UsageError(f"{directory / MANIFEST} has no experiment that this version can read")
    kept = {name: value for name in ("budget", "names") if (value := manifest.resources.get(name))}
    return {**{name: stored[name] for name in fields}, **kept}
