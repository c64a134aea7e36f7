"""Set up a run: check the settings, load suites and models, and open the run directory."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import itertools
import json
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from repair_bench import suites
from repair_bench.agent import models
from repair_bench.agent.experiment import beginnings, manifest, settings, study
from repair_bench.agent.experiment.feasibility import (
    check_models,
    check_names,
    check_providers,
    check_settings,
    check_tasks,
)
from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.experiment.given_again import check_given_again
from repair_bench.agent.experiment.resumption import resumption
from repair_bench.agent.experiment.spending_limits import SpendingLimits
from repair_bench.agent.models.base import Model, check_keys
from repair_bench.agent.session import Session
from repair_bench.agent.studies import forking
from repair_bench.agent.studies.sharding import Shard
from repair_bench.agent.telemetry import Telemetry, check_installed
from repair_bench.coroutines import run_to_end
from repair_bench.executors.options import Backend, ExecutorOptions
from repair_bench.grading import placebo_sources
from repair_bench.grading.loading import load_suite
from repair_bench.prompts.feedback import PlaceboSource, needs_placebo_source
from repair_bench.suites.task import Suite
from repair_bench.traces.faults import UsageError
from repair_bench.traces.files.atomic_file import write_whole
from repair_bench.traces.files.record_files import read_as
from repair_bench.traces.run.manifest import Manifest, change_words
from repair_bench.traces.run.run_files import EXPERIMENT, PLACEBO_SOURCES
from repair_bench.traces.run.store import RunStore


@dataclass(frozen=True)
class CustomComponents:
    """Models and suites that a script passes as objects, keyed by name."""

    models: Mapping[str, Model] = field(default_factory=dict)
    suites: Mapping[str, Suite] = field(default_factory=dict)


RUNS = Path("runs")
"""The default parent directory of runs."""
_NOTHING = CustomComponents()
Stage = Callable[[str], object]
"""A callback that receives the name of each stage of the set-up."""


def _free_directory(out: Path | None) -> Path:
    if out is None:
        name = f"{datetime.now():%Y%m%d-%H%M%S}"  # noqa: DTZ005 - a name in the user's local time
        numbered = (f"{name}-{number}" for number in itertools.count(2))  # several runs may start in one second
        out = next(path for one in itertools.chain([name], numbered) if not (path := RUNS / one).exists())
    RunStore.check_free(out)
    return out


def start(
    given: Mapping[str, Any], *, out: Path | None, data: Path | None, executor: ExecutorOptions,
    shard: Shard | None = None, own: CustomComponents = _NOTHING, stage: Stage = lambda _: None,
) -> Session:  # fmt: skip
    """Open a new run, or one `shard` of a new run. `own`: models and suites passed as objects. Raises UsageError."""
    experiment = settings.experiment(given)
    check_settings(experiment)
    pinned = with_recorded_suites(experiment, own=own)
    if shard is not None and experiment.first_answers is not None:
        raise UsageError("--shard cannot be combined with first_answers: split the file of answers, or remove --shard")
    if shard is not None and with_recorded_suites(experiment, own=own) != pinned:
        chosen = " ".join(f"--suite '{name}'" for name in pinned.suites)
        raise UsageError(f"--shard: all shards must use the same hidden conventions. Pass {chosen} to each shard")
    return _open(pinned, _free_directory(out), data, executor, shard=shard, own=own, stage=stage)


def with_recorded_suites(
    experiment: Experiment, recorded: Sequence[str] = (), own: CustomComponents = _NOTHING
) -> Experiment:
    """Return a copy of the experiment in which the recorded name of each suite replaces the name in the settings.

    The names of suites that were passed as objects stay unchanged.

    Raises UsageError.
    """
    names = [name if name in own.suites else suites.recorded_name(name, recorded) for name in experiment.suites]
    return experiment.model_copy(update={"suites": tuple(names)})


def fork(
    origin: Path, episodes: tuple[str, ...] | None, attempt: int, given: Mapping[str, Any], *, out: Path | None,
    data: Path | None, executor: ExecutorOptions, stage: Stage = lambda _: None,
) -> Session:  # fmt: skip
    """Open a new run that repairs the failures of another run (see `forking.read`).

    Raises UsageError as `start` does.
    """
    forked, source = forking.read(origin, episodes, attempt)
    values = forking.settings_of(forked, source, given)
    if "models" not in given:
        check_given_again(origin, forked, given, values["models"])
    experiment = settings.experiment(values)
    # settings of the run's own arms may have no effect on the arms of the fork
    repair: dict[str, Any] = {"feedback": experiment.repair.feedback}
    if "tool" in experiment.repair.feedback:
        repair["command"] = experiment.repair.command
    check_settings(settings.experiment(settings.merged({**values, "names": {}, "critic": {}, "repair": repair}, given)))
    if attempt >= experiment.max_attempts:
        raise UsageError(f"no repair follows attempt {attempt}: set --max-attempts above {attempt}")
    repairers = experiment.models if "models" in given else None  # None: the writer of each failure
    source = replace(source, stated={**source.stated, "repairers": repairers})
    return _open(experiment, _free_directory(out), data, executor, source=source, stage=stage)


def resume(
    directory: Path, given: Mapping[str, Any], *, data: Path | None, executor: ExecutorOptions,
    shard: Shard | None = None, own: CustomComponents = _NOTHING, accept_versions: bool = False,
    stage: Stage = lambda _: None,
) -> Session:  # fmt: skip
    """Open a run to resume it. If the user passes a setting again, the value must match the original value.

    Execution settings may change: quotas, the budget and the paths of interpreters. The module `resumption` describes
    which versions may change. The module `given_again` lists the settings that the user must pass again.
    """
    stored = Manifest.read(directory)
    values = manifest.stored_experiment(stored, directory)
    if stored.is_regrade:
        raise UsageError(f"{directory} is a regrade: to continue it, repeat the `repair-bench regrade` command")
    check_given_again(directory, stored, given, values["models"])
    if given.get("first_answers") is not None:  # copied into the run: the file may have changed since
        if values["first_answers"] is None:
            raise UsageError(f"{directory} did not read first answers from a file: remove first_answers")
        given = {**given, "first_answers": values["first_answers"]}
    stored_shard = Shard.of_run(stored)
    if shard not in (None, stored_shard):
        is_shard = f"shard {stored_shard}" if stored_shard else "not a shard"
        raise UsageError(f"{directory} is {is_shard}: remove --shard {shard}")
    experiment = settings.experiment(settings.merged(values, given))
    experiment = with_recorded_suites(experiment, values["suites"], own)
    check_providers(given.get("providers") or (), experiment.queried)
    check_names(given.get("names") or {}, experiment)
    return _open(experiment, directory, data, executor, resuming=stored, shard=stored_shard, own=own,
                 accept_versions=accept_versions, stage=stage)  # fmt: skip


def _open(
    experiment: Experiment,
    directory: Path,
    data: Path | None,
    options: ExecutorOptions,
    *,
    resuming: Manifest | None = None,
    source: beginnings.Beginnings | None = None,
    shard: Shard | None = None,
    own: CustomComponents = _NOTHING,
    accept_versions: bool = False,
    stage: Stage = lambda _: None,
) -> Session:
    if (otlp := experiment.telemetry.otlp) is not None:
        check_installed()
    stage("loading the models")
    made = {
        **models.create_all(
            [name for name in experiment.queried if name not in own.models],
            experiment.providers,
            api_base=experiment.api_base,
        ),
        **own.models,
    }
    check_models(experiment, made)
    if resuming is None:  # a complete run needs no keys: its session checks them
        check_keys(made.values())
    with contextlib.ExitStack() as on_failure:
        stage(f"loading {', '.join(experiment.suites)} and starting {', '.join(experiment.frameworks)}")
        answers = experiment.first_answers if resuming is None else None  # a path in a record is never read
        hidden = source.place if source is not None else answers and Path(answers)
        executor = replace(options, pythons=experiment.pythons).open(data, directory, RUNS, hidden or None)
        on_failure.callback(executor.shutdown)
        loaded, sandbox = run_to_end(prepare(experiment, data, executor, own.suites))
        if answers is not None:
            stage("grading the first answers")
            source = run_to_end(beginnings.graded(experiment, loaded, executor))
            experiment = experiment.model_copy(update={"first_answers": source.place.name})
        elif source is not None:
            source = source.chosen(experiment, loaded)
        origin = source.origin if source is not None else resuming.origin if resuming is not None else None
        known = source.paths if source is not None else beginnings.load_prefixes(directory, origin)
        episodes = beginnings.episodes(experiment, loaded, known, origin)
        if experiment.repair.stop == "value" and (origin or shard is not None):
            raise UsageError(
                'repair.stop = "value" works only in a run of all problems, not in a fork or a shard: '
                "remove the setting"
            )
        if resuming is None:
            check_tasks(experiment, loaded, episodes)
        simulated = {name for name, model in made.items() if model.simulated}.union(source.simulated if source else ())
        pinned = manifest.make(
            experiment,
            loaded,
            episodes,
            name=directory.name,
            simulated=sorted(simulated),
            data=str(data) if data is not None else None,
            sandbox=sandbox,
            versions={framework: executor.versions(framework) for framework in sandbox},
            nodes=executor.nodes,
            origin=origin,
        )
        lock = study.lock(experiment, loaded, episodes) if resuming is None else None
        if shard is not None:
            episodes = shard.part(episodes)
            pinned = shard.pinned(pinned, len(episodes))
        if resuming is not None:
            tasks = experiment.tasks(loaded)
            store = RunStore.resume(directory, resumption(directory, pinned, tasks, accept_versions=accept_versions))
            for entry in store.manifest.resumed[len(resuming.resumed) :]:
                changed = "; ".join(change_words(*change) for change in entry["changed"].items())
                store.notes.append(f"changes since the last session, recorded in run.json: {changed}")
        else:
            store = RunStore.create(directory, pinned, lock)
        on_failure.callback(lambda: run_to_end(store.close()))  # this process may resume the run
        if source is not None:
            beginnings.keep(directory, source.paths)
            known = beginnings.load_prefixes(directory, origin)  # texts remain on disk
            episodes = beginnings.episodes(experiment, loaded, known, origin)
        write_whole(directory / EXPERIMENT, [settings.written(experiment)])
        pool = _placebo_sources(experiment, loaded, executor, directory / PLACEBO_SOURCES)
        on_failure.pop_all()  # from here on the session closes them
    budget = SpendingLimits(experiment.budget.max_cost, experiment.budget.max_tokens, store.spending)
    spans = Telemetry(otlp, directory.name, experiment.max_attempts) if otlp is not None else None
    return Session(
        directory,
        experiment,
        episodes,
        made,
        executor,
        store,
        budget,
        pool,
        resumed=resuming is not None,
        telemetry=spans,
    )


async def prepare(
    experiment: Experiment, data: Path | None, executor: Backend, own: Mapping[str, Suite]
) -> tuple[tuple[Suite, ...], dict[str, dict[str, str]]]:
    """Load the suites and start all fork servers.

    Return the suites, and the sandbox layers of each framework's server.
    """
    rule, strict = experiment.rule, experiment.require_sealed
    named = [own.get(name, name) for name in experiment.suites]
    loaded = tuple([await load_suite(s, executor, data=data, rule=rule, require_sealed=strict) for s in named])
    tasks = experiment.tasks(loaded)
    used = {task.framework for task in tasks if task.excluded is None}
    if not used:
        reasons = "; ".join(sorted({str(task.excluded) for task in tasks}))
        raise UsageError(f"every task is excluded: {textwrap.shorten(reasons, 300, placeholder=' ...')}")
    # also those with a separate interpreter, where a reference may run
    frameworks = [name for name in experiment.frameworks if name in used]
    frameworks += [name for name in experiment.pythons if name not in frameworks]
    layers = await asyncio.gather(*(asyncio.to_thread(executor.layers, f) for f in frameworks))
    return loaded, dict(zip(frameworks, layers, strict=True))


def _placebo_sources(
    experiment: Experiment, loaded: Sequence[Suite], executor: Backend, file: Path
) -> tuple[PlaceboSource, ...]:
    """Return failures on other tasks, as a source of placebo feedback.

    A run stores the failures for placebo feedback before its first request.
    """
    if not any(needs_placebo_source(policy) for policy in experiment.repair.feedback):
        return ()
    if not file.exists():
        made = run_to_end(make_placebo_sources(experiment, loaded, executor))
        write_whole(file, [json.dumps([dataclasses.asdict(source_task) for source_task in made], indent=1)])
    return msgspec.convert(read_as(file, tuple[PlaceboSource, ...]), tuple[PlaceboSource, ...])


async def make_placebo_sources(
    experiment: Experiment, loaded: Sequence[Suite], executor: Backend
) -> list[PlaceboSource]:
    return [
        source_task
        for suite in loaded
        for source_task in await placebo_sources.make_donors(
            suite, executor, frameworks=experiment.frameworks, seed=experiment.seed
        )
    ]
