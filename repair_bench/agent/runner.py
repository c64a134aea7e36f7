"""Drives many episodes through the loop at once. An episode's next attempt waits for its own last one alone."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass

from repair_bench.agent.graph import Context, run_episode
from repair_bench.agent.identity import Episode
from repair_bench.agent.models.base import Model
from repair_bench.agent.progress import Progress
from repair_bench.executors.program import Executor
from repair_bench.traces.store import RunStore


@dataclass(frozen=True)
class Result:
    """How a run ended. `owed`: episodes that are not finished, by a fault or an interruption."""

    episodes: int
    owed: int
    faults: int
    interrupted: bool


async def run_all(
    episodes: Iterable[Episode],
    *,
    run: str,
    run_seed: int,
    models: Mapping[str, Model],
    executor: Executor,
    store: RunStore,
    concurrency: int,
    progress: Progress,
) -> Result:
    """Take every episode to its end, at most `concurrency` in flight.

    Ctrl-C stops cleanly: what is recorded stays, what is in flight is dropped and owed. UsageError from a model (a key
    that is refused, say) stops the run at once.
    """
    episodes = list(episodes)
    recorded = store.by_episode()
    contexts = {
        name: Context(run, run_seed, model, executor, store, progress.attempt_done) for name, model in models.items()
    }
    waiting = iter(episodes)
    finished = faults = 0

    async def work() -> None:
        nonlocal finished, faults
        for episode in waiting:
            before = [a for a in recorded.get(episode.id, []) if a.fault is None]
            attempts = await run_episode(episode, contexts[episode.model], before)
            if attempts[-1].fault is None:
                finished += 1
            else:
                faults += 1
            progress.episode_done(attempts)

    async with _interruptible() as interrupted:
        workers = [asyncio.create_task(work()) for _ in range(min(concurrency, len(episodes)))]
        stop = asyncio.create_task(interrupted.wait())
        try:
            await _first_trouble(workers, stop)
        finally:
            for task in (*workers, stop):
                task.cancel()
            await asyncio.gather(*workers, stop, return_exceptions=True)
    return Result(
        episodes=len(episodes), owed=len(episodes) - finished, faults=faults, interrupted=interrupted.is_set()
    )


async def _first_trouble(workers: list[asyncio.Task[None]], stop: asyncio.Task[bool]) -> None:
    """Wait until all workers are done, one of them raises, or the user stops the run."""
    pending: set[asyncio.Task[None]] = set(workers)
    while pending and not stop.done():
        done, rest = await asyncio.wait({*pending, stop}, return_when=asyncio.FIRST_COMPLETED)
        for task in done - {stop}:
            task.result()
        pending = rest - {stop}  # type: ignore[assignment]


@contextlib.asynccontextmanager
async def _interruptible() -> AsyncIterator[asyncio.Event]:
    """An event that Ctrl-C or SIGTERM sets; a second Ctrl-C is an ordinary KeyboardInterrupt."""
    event, loop = asyncio.Event(), asyncio.get_running_loop()

    def interrupt() -> None:
        event.set()
        loop.remove_signal_handler(signal.SIGINT)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupt)
    try:
        yield event
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
