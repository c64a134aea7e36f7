"""Drives episodes through the real loop, executor and store, as a session does, with models of the test's own."""

import asyncio
import io
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from repair_bench.agent.budget import Budget
from repair_bench.agent.graph import Context
from repair_bench.agent.identity import Episode
from repair_bench.agent.models.base import Model
from repair_bench.agent.progress import Progress
from repair_bench.agent.runner import Result, run_all
from repair_bench.executors import LocalExecutor
from repair_bench.executors.program import Executor
from repair_bench.prompts.feedback import Donor
from repair_bench.traces.records import Attempt
from repair_bench.traces.store import RunStore


def drive(
    directory: Path,
    episodes: Sequence[Episode],
    models: Sequence[Model],
    *,
    resume: bool = False,
    concurrency: int = 4,
    seed: int = 0,
    executor: Executor | None = None,
    donors: Sequence[Donor] = (),
    max_cost: float | None = None,
    max_tokens: int | None = None,
) -> tuple[Result, list[Attempt], RunStore]:
    """Take the episodes to their end in a new run, or go on with one. Returns all recorded attempts, too."""

    async def go() -> tuple[Result, list[Attempt], RunStore]:
        own = LocalExecutor(workers=2) if executor is None else None
        store = RunStore.resume(directory, {}) if resume else RunStore.create(directory, {})
        budget = Budget(max_cost, max_tokens, store)
        try:
            with Progress(len(episodes), Console(file=io.StringIO())) as progress:
                contexts = {
                    model.name: Context(
                        "test", seed, model, executor or own, store, budget, progress.attempt_done, donors
                    )
                    for model in models
                }
                result = await run_all(episodes, contexts=contexts, concurrency=concurrency, progress=progress)
            return result, store.attempts(), store
        finally:
            for model in models:
                await model.close()
            if own is not None:
                await own.close()
            await store.close()

    return asyncio.run(go())
