"""A run from its options to its end: suites loaded, models made, the directory opened, episodes driven."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from rich.console import Console

from repair_bench import suites
from repair_bench.agent import models
from repair_bench.agent.experiment import OPTIONS, Experiment
from repair_bench.agent.models.base import Model
from repair_bench.agent.progress import Progress
from repair_bench.executors import LocalExecutor
from repair_bench.executors.options import ExecutorOptions
from repair_bench.suites.task import Suite
from repair_bench.traces.faults import UsageError
from repair_bench.traces.store import RunStore, read_manifest

if TYPE_CHECKING:
    from repair_bench.agent.runner import Result


@dataclass(frozen=True)
class Session:
    """A run that is ready to be driven."""

    directory: Path
    experiment: Experiment
    suites: tuple[Suite, ...]
    models: Mapping[str, Model]
    executor: LocalExecutor
    store: RunStore

    @property
    def resume_command(self) -> str:
        return f"repair-bench run --resume {shlex.quote(str(self.directory))}"


def start(given: Mapping[str, Any], *, out: Path | None, data: Path | None, executor: ExecutorOptions) -> Session:
    """Open a new run. Raises UsageError, having written nothing, when the options cannot be met."""
    experiment = _experiment(given)
    directory = out or Path("runs") / f"{datetime.now():%Y%m%d-%H%M%S}"  # noqa: DTZ005 - a name, in the user's own time
    RunStore.check_free(directory)
    return _open(experiment, directory, data, executor, resuming=False)


def resume(directory: Path, given: Mapping[str, Any], *, data: Path | None, executor: ExecutorOptions) -> Session:
    """Open a run that was stopped. Options given again must be the ones it was started with.

    Interpreters may be others, at other places, as long as the versions are the same.
    """
    manifest = read_manifest(directory)
    try:
        fields = (name for name, field in Experiment.model_fields.items() if not field.exclude)
        stored = {name: manifest["experiment"][name] for name in fields}
        pythons = {**manifest.get("pythons", {}), **given.get("pythons", {})}
    except (KeyError, TypeError):
        raise UsageError(f"{directory}/run.json holds no experiment that this version can read") from None
    if data is None and manifest.get("data"):
        data = Path(manifest["data"])
    return _open(_experiment({**stored, **given, "pythons": pythons}), directory, data, executor, resuming=True)


def drive(session: Session, *, concurrency: int, quiet: bool) -> Result:
    """Take every episode to its end, and stop everything that was started."""
    from repair_bench.agent.runner import run_all  # brings LangGraph, a second that a mistyped option need not cost

    episodes = session.experiment.episodes(session.suites)

    async def go() -> Result:
        console = Console(stderr=True, quiet=quiet)
        try:
            with Progress(len(episodes), console) as progress:
                progress.resumed(session.store.attempts())
                return await run_all(
                    episodes,
                    run=session.directory.name,
                    run_seed=session.experiment.seed,
                    models=session.models,
                    executor=session.executor,
                    store=session.store,
                    concurrency=concurrency,
                    progress=progress,
                )
        finally:
            for model in session.models.values():
                await model.close()
            await session.executor.close()
            await session.store.close()

    return asyncio.run(go())


def _open(
    experiment: Experiment, directory: Path, data: Path | None, options: ExecutorOptions, *, resuming: bool
) -> Session:
    made = {name: models.create(name, api_base=experiment.api_base) for name in experiment.models}
    executor = replace(options, pythons=experiment.pythons).open()
    frameworks = _frameworks(experiment)
    try:
        loaded, sandbox = asyncio.run(_prepare(experiment, data, executor))
        manifest = experiment.manifest(
            directory.name,
            loaded,
            simulated=[name for name, model in made.items() if model.simulated],
            data=str(data) if data is not None else None,
            sandbox=sandbox,
            versions={framework: executor.versions(framework) for framework in frameworks},
        )
        store = RunStore.resume(directory, manifest) if resuming else RunStore.create(directory, manifest)
    except BaseException:
        executor.shutdown()
        raise
    return Session(directory, experiment, loaded, made, executor, store)


async def _prepare(
    experiment: Experiment, data: Path | None, executor: LocalExecutor
) -> tuple[tuple[Suite, ...], dict[str, dict[str, str]]]:
    """The suites, and the sandbox layers of each framework's fork server, which are all started here, side by side."""
    loaded = tuple(
        [
            await suites.load(name, data=data, run=executor.run, import_path=executor.import_path)
            for name in experiment.suites
        ]
    )
    experiment.tasks(loaded)  # nothing is started for a choice that holds no task
    frameworks = _frameworks(experiment)
    layers = await asyncio.gather(*(asyncio.to_thread(executor.layers, f) for f in frameworks))
    return loaded, dict(zip(frameworks, layers, strict=True))


def _frameworks(experiment: Experiment) -> list[str]:
    """Those that are asked in, and those with an interpreter of their own: a reference may run there."""
    return list(dict.fromkeys([*experiment.frameworks, *experiment.pythons]))


def _experiment(values: Mapping[str, Any]) -> Experiment:
    try:
        return Experiment(**values)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        option = "--" + OPTIONS.get(name, name).replace("_", "-")
        raise UsageError(f"{option} {first['input']!r}: {first['msg'].lower()}") from None
