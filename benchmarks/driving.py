"""The repair loop for benchmarks: episodes of an artificial task, with models that wait or answer immediately."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.experiment.spending_limits import SpendingLimits
from repair_bench.agent.loop.ask import Asker
from repair_bench.agent.loop.runner import run_all
from repair_bench.agent.loop.state import Context
from repair_bench.agent.models.base import Model
from repair_bench.executors.program import Call, Executor, Program
from repair_bench.prompts.condition import Condition
from repair_bench.report.progress import RunProgress
from repair_bench.suites.task import Task
from repair_bench.traces.record.records import Outcome, Verdict
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.store import RunStore


@dataclass(frozen=True)
class Never:
    """Runs the answer and rejects any result, so every episode uses all attempts."""

    rule: str = "never"

    def program(self, task: Task, code: str, *, seed: int | None = None) -> Program:
        return Program(task.framework, code, Call("answer", "state"), seed=task.seed if seed is None else seed)

    def judge(self, task: Task, outcome: Outcome) -> Verdict:  # noqa: ARG002
        return Verdict("wrong_answer", {"cases": [], "problem": f"ended with {outcome.status}"})


def episodes(number: int, framework: str, repairs: int, model: str, tasks: int | None = None) -> list[PlannedEpisode]:
    """Return `count` episodes, each on a different task or as samples of `tasks` tasks."""
    condition = Condition(system_text="Answer with a program.", history="last", max_attempts=repairs)
    made = [
        Task("bench", f"{n:06}", framework, "answer", "Print one.", "", Never(), "none") for n in range(tasks or number)
    ]
    return [PlannedEpisode(model, made[n % len(made)], "1", condition, n // len(made)) for n in range(number)]


async def drive(
    directory: Path, taken: Sequence[PlannedEpisode], model: Model, executor: Executor, concurrency: int
) -> None:
    store = RunStore.create(directory, Manifest.from_json({}))
    try:
        repairs, console = taken[0].condition.max_attempts, Console(file=io.StringIO())
        with RunProgress(len(taken), console, repairs=repairs, spending=store.spending) as progress:
            context = Context(
                "bench",
                0,
                model,
                executor,
                store,
                Asker(store, SpendingLimits(None, None, store.spending)),
                progress,
            )
            await run_all(taken, contexts={model.name: context}, concurrency=concurrency, progress=progress)
    finally:
        await store.close()


async def drive_in_rounds(
    directory: Path, taken: Sequence[PlannedEpisode], model: Model, executor: Executor, concurrency: int
) -> None:
    """Run with a barrier after each round: episodes start an attempt when all have finished the previous one."""
    from repair_bench.agent.loop.graph import run_episode

    store = RunStore.create(directory, Manifest.from_json({}))
    repairs, console = taken[0].condition.max_attempts, Console(file=io.StringIO())
    progress = RunProgress(len(taken), console, repairs=repairs, spending=store.spending)
    asker = Asker(store, SpendingLimits(None, None, store.spending))
    context = Context("bench", 0, model, executor, store, asker, progress)
    gate = asyncio.Semaphore(concurrency)
    rounds = taken[0].condition.max_attempts

    async def attempt(episode: PlannedEpisode, number: int) -> None:
        from dataclasses import replace

        only = replace(episode, condition=replace(episode.condition, max_attempts=number))
        async with gate:
            await run_episode(only, context, store.episode(episode.id))

    try:
        for number in range(rounds + 1):
            await asyncio.gather(*(attempt(episode, number) for episode in taken))
    finally:
        await store.close()
