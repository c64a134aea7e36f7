"""Episodes through the real loop, executor and store, as a session drives them, with models of a test's own."""

import asyncio
import io
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.experiment.spending_limits import SpendingLimits
from repair_bench.agent.loop.ask import Asker
from repair_bench.agent.loop.progress import Progress
from repair_bench.agent.loop.runner import RunEnd, run_all
from repair_bench.agent.loop.state import Context
from repair_bench.agent.models.base import Model
from repair_bench.executors import LocalExecutor
from repair_bench.executors.program import Executor
from repair_bench.prompts.feedback import Donor
from repair_bench.testing.made_up_runs import load_run
from repair_bench.traces.manifest import Manifest
from repair_bench.traces.records import Attempt
from repair_bench.traces.store import RunStore


def drive(
    directory: Path,
    episodes: Sequence[PlannedEpisode],
    models: Sequence[Model],
    *,
    resume: bool = False,
    concurrency: int = 4,
    seed: int = 0,
    executor: Executor | None = None,
    donors: Sequence[Donor] = (),
    max_cost: float | None = None,
    max_tokens: int | None = None,
) -> tuple[RunEnd, list[Attempt], RunStore]:
    """Take the episodes to their end in a new run in `directory`, or with `resume` go on with the one that is there.

    `models`: one for each name that the episodes ask for; closed in the end. `concurrency`: episodes in flight.
    `seed`: the run's. `executor`: what executes programs, and stays open; without it one of two workers is opened and
    closed. `donors`: other tasks' failures, for the placebo. `max_cost`, `max_tokens`: the budget, None for none.

    Returns how the run ended, all recorded attempts, and the store, which is closed. Raises what the loop does.
    """

    async def go() -> tuple[RunEnd, list[Attempt], RunStore]:
        opened = LocalExecutor(workers=2) if executor is None else executor
        store = (RunStore.resume if resume else RunStore.create)(directory, Manifest({}))
        asker = Asker(store, SpendingLimits(max_cost, max_tokens, store.spending))
        try:
            console = Console(file=io.StringIO())
            repairs = max((episode.condition.max_attempts for episode in episodes), default=0)
            with Progress(len(episodes), console, repairs=repairs, spending=store.spending) as progress:
                contexts = {
                    model.name: Context(
                        *("test", seed, model, opened, store, asker, progress.attempt_done, donors),
                        on_adopted=progress.attempt_done,
                    )
                    for model in models
                }
                result = await run_all(episodes, contexts=contexts, concurrency=concurrency, progress=progress)
            return result, load_run(directory)[1], store
        finally:
            for model in models:
                await model.close()
            if opened is not executor:
                await opened.close()
            await store.close()

    return asyncio.run(go())
