"""Run episodes as a session does, but with models that a test supplies."""

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from rich.console import Console

from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.experiment.spending_limits import SpendingLimits
from repair_bench.agent.loop.runner import RunEnd
from repair_bench.agent.models.base import Model
from repair_bench.agent.session import Session, carry_out
from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.options import Backend
from repair_bench.executors.program import Executor
from repair_bench.prompts.feedback import PlaceboSource
from repair_bench.report.progress import RunProgress
from repair_bench.testing.made_up_runs import load_run
from repair_bench.traces.record.records import Attempt
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.store import RunStore


def drive(
    directory: Path,
    episodes: Sequence[PlannedEpisode],
    models: Sequence[Model],
    *,
    resume: bool = False,
    concurrency: int = 4,
    seed: int = 0,
    executor: Executor | None = None,
    placebo_sources: Sequence[PlaceboSource] = (),
    max_cost: float | None = None,
    max_tokens: int | None = None,
    experiment: Experiment | None = None,
) -> tuple[RunEnd, list[Attempt], RunStore]:
    """Run the episodes to completion in the run directory `directory`, as a new run or, with `resume`, in the existing
    one.

    `models`: one model per name in the episodes; all are closed at the end. `concurrency`: the number of episodes in
    progress. `executor`: an executor, which is not closed; if None, a new executor with two workers is opened and
    closed. `placebo_sources`: failures on other tasks, for use as placebo feedback. `max_cost`, `max_tokens`: the
    budget. `experiment`: the settings of the run; if None, an experiment is made from the names of `models` and from
    `seed`.

    Returns how the run ended, all recorded attempts, and the closed store. Raises the loop's errors.
    """

    async def go() -> tuple[RunEnd, list[Attempt], RunStore]:
        opened = LocalExecutor(workers=2) if executor is None else executor
        store = (RunStore.resume if resume else RunStore.create)(directory, Manifest({}))
        session = Session(
            directory,
            experiment or Experiment(models=tuple(model.name for model in models), seed=seed),
            episodes,
            {model.name: model for model in models},
            cast("Backend", opened),  # only runs programs
            store,
            SpendingLimits(max_cost, max_tokens, store.spending),
            placebo_sources,
            resumed=resume,
        )
        repairs = max((episode.condition.max_attempts for episode in episodes), default=0)
        shown = RunProgress(len(episodes), Console(quiet=True), repairs=repairs, spending=store.spending)
        try:
            with shown:
                result = await carry_out(session, concurrency=concurrency, progress=shown, preflight=False)
            return result, load_run(directory)[1], store
        finally:
            for model in models:
                await model.close()
            if opened is not executor:
                await opened.close()
            await store.close()

    return run_to_end(go())
