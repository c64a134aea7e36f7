"""Run episodes concurrently. An attempt waits only for the previous attempt of its episode."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import signal
import threading
from collections import deque
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.experiment.spending_limits import SpendingLimits
from repair_bench.agent.loop.graph import run_episode
from repair_bench.agent.loop.state import Context, Progress
from repair_bench.agent.loop.steps import is_over
from repair_bench.agent.models.base import Batched
from repair_bench.log import log, log_context
from repair_bench.text import count
from repair_bench.traces.faults import BudgetExhausted, Unanswered
from repair_bench.traces.record.records import Attempt

GRACE = 20.0
"""Maximum wait after SIGTERM for the answers to requests in flight, in seconds. Slurm kills a job 30 seconds after
SIGTERM."""
_MAX_GATHERED = 10_000  # episodes that wait for batches at once; each keeps its conversation in memory


@dataclass(frozen=True)
class RunEnd:
    """How a run ended. `pending`: episodes left unfinished due to a fault, an interruption or the budget."""

    episodes: int
    pending: int
    faults: int
    interrupted: bool
    exhausted: str | None
    """The reason why the budget stopped the run; None if the budget did not stop the run."""


async def run_all(
    episodes: Iterable[PlannedEpisode],
    *,
    contexts: Mapping[str, Context],
    concurrency: int,
    progress: Progress,
) -> RunEnd:
    """Run every episode until it ends or pauses, with at most `concurrency` episodes in flight.

    For models that use batches, up to `_MAX_GATHERED` episodes are in flight. A smaller number would require more
    batches, each of which may take hours.

    The arms of an experiment share attempt 0. Only one arm requests attempt 0 from the model. The other arms begin once
    attempt 0 is on disk. Ctrl-C, SIGTERM or a UsageError from a model, for example because of a rejected key, stops the
    run: no further request is sent. The run waits for the answers to requests in flight and stores them, unless a
    further signal cancels the requests. After SIGTERM, it waits at most `GRACE` seconds. Unfinished episodes are
    pending. When the budget is spent, only the requests in flight are finished.
    """
    agenda = _Agenda(episodes, contexts)
    faults = 0
    exhausted: BudgetExhausted | None = None

    async def work() -> None:
        nonlocal faults, exhausted
        while (episode := await agenda.next()) is not None:
            context = contexts[episode.model]
            if exhausted is not None:
                agenda.done(episode, finished=False)
                continue
            try:
                taking_part = context.asker.budget.batch_round.taking_part
                waits = taking_part() if _is_gathered(episode, context) else contextlib.nullcontext()
                with waits, log_context(episode=episode.id):
                    attempts = before = await _recorded(episode, context)
                    if not before and agenda.is_awaited(episode):
                        attempts = await run_episode(dataclasses.replace(episode, until=0), context, before)
                    agenda.release_waiting(episode, attempts)
                    attempts = await run_episode(episode, context, attempts)
            except (BudgetExhausted, Unanswered) as stop:
                exhausted = stop if isinstance(stop, BudgetExhausted) else exhausted
                agenda.done(episode, finished=False)
                continue
            faults += attempts[-1].fault is not None
            agenda.done(episode, finished=attempts[-1].fault is None)
            if attempts[-1].fault is not None or is_over(episode, attempts[-1]):  # otherwise it is paused
                progress.add(fresh=len(attempts) > len(before))

    async with _interruptible() as signals:
        at_once = max(concurrency, min(agenda.gathered, _MAX_GATHERED))
        workers = [asyncio.create_task(work()) for _ in range(min(at_once, agenda.total))]
        stop = asyncio.create_task(signals.stop.wait())
        try:
            await _first_trouble(workers, stop)
        finally:
            if not all(worker.done() for worker in workers):
                await _drain({context.asker.budget for context in contexts.values()}, signals, progress)
            for task in (*workers, stop):
                task.cancel()
            await asyncio.gather(*workers, stop, return_exceptions=True)
    return RunEnd(
        episodes=agenda.total,
        pending=agenda.total - agenda.finished,
        faults=faults,
        interrupted=signals.stop.is_set(),
        exhausted=str(exhausted) if exhausted is not None else None,
    )


class _Agenda:
    """The order in which episodes run. If episodes share attempt 0, one of them starts and the others wait for it."""

    def __init__(self, episodes: Iterable[PlannedEpisode], contexts: Mapping[str, Context]) -> None:
        self.total = self.finished = self.gathered = 0
        self._ready: deque[PlannedEpisode] = deque()
        self._waiting: dict[str, list[PlannedEpisode]] = {}
        self._changed = asyncio.Event()
        for episode in episodes:
            self.total += 1
            self.gathered += _is_gathered(episode, contexts[episode.model])
            if not episode.prefix and episode.root in self._waiting:
                self._waiting[episode.root].append(episode)
            else:
                self._waiting.setdefault(episode.root, [])
                self._ready.append(episode)
        self._left = self.total

    async def next(self) -> PlannedEpisode | None:
        """Return the next episode to begin, or None when all are done."""
        while not self._ready:
            if not self._left:
                return None
            self._changed.clear()
            await self._changed.wait()
        return self._ready.popleft()

    def is_awaited(self, episode: PlannedEpisode) -> bool:
        return bool(self._waiting.get(episode.root))

    def release_waiting(self, episode: PlannedEpisode, attempts: Sequence[Attempt]) -> None:
        """If attempt 0 of this episode is on disk, move the arms that share this attempt to the front of the queue."""
        if attempts and attempts[0].fault is None:
            self._ready.extendleft(reversed(self._waiting.pop(episode.root, ())))
            self._changed.set()

    def done(self, episode: PlannedEpisode, *, finished: bool) -> None:
        """Record that this session will not continue an episode.

        Episodes of other arms that are still waiting for this episode's attempt 0 remain pending.
        """
        self._left -= 1 + len(self._waiting.pop(episode.root, ()))
        self.finished += finished
        self._changed.set()


async def _recorded(episode: PlannedEpisode, context: Context) -> list[Attempt]:
    """Return the recorded attempts of an episode, including those shared with other arms or with a fork's origin."""
    path = [a for a in context.store.episode(episode.id) if a.fault is None]
    shared = episode.prefix
    if not shared and not path and (first := context.store.first(episode.root)) is not None:
        shared = (first,)
    for attempt in map(episode.adopt, shared[len(path) :]):
        await context.store.append_attempt(attempt)
        context.progress.attempt_done(attempt)
        path.append(attempt)
    return path


def _is_gathered(episode: PlannedEpisode, context: Context) -> bool:
    """Whether an episode uses batches for requests to its model or to its critic."""
    return isinstance(context.model, Batched) or (episode.condition.asks and isinstance(context.critic, Batched))


async def _first_trouble(workers: list[asyncio.Task[None]], stop: asyncio.Task[bool]) -> None:
    pending: set[asyncio.Task[None]] = set(workers)
    while pending and not stop.done():
        done, rest = await asyncio.wait({*pending, stop}, return_when=asyncio.FIRST_COMPLETED)
        for task in done - {stop}:
            task.result()
        pending = rest - {stop}  # type: ignore[assignment]


@dataclass
class _Signals:
    """The effect of Ctrl-C and SIGTERM: the first sets `stop`, and the second sets `cancel`."""

    stop: asyncio.Event = field(default_factory=asyncio.Event)
    cancel: asyncio.Event = field(default_factory=asyncio.Event)
    soon: bool = False
    """Whether the process will be killed soon, because it received SIGTERM."""


async def _drain(budgets: Iterable[SpendingLimits], signals: _Signals, progress: Progress) -> None:
    """Wait for requests in flight until all answers are on disk or a signal cancels the requests.

    After SIGTERM, wait at most `GRACE` seconds.
    """
    signals.stop.set()  # the next signal cancels the requests, even if an error stops the run
    drained: asyncio.Future[Any] = asyncio.gather(*(budget.drain() for budget in budgets))
    in_flight = sum(budget.in_flight for budget in budgets)
    if in_flight:
        progress.stops(
            f"stopping: waiting {f'up to {GRACE:.0f} s ' if signals.soon else ''}for {count(in_flight, 'request')} in "
            "flight. Without this wait, their answers would be billed but lost. A further Ctrl-C cancels the requests."
        )
        log.info("stopping", in_flight=in_flight)
    again: asyncio.Future[Any] = asyncio.ensure_future(signals.cancel.wait())
    limit = GRACE if signals.soon else None
    try:
        await asyncio.wait([drained, again], timeout=limit, return_when=asyncio.FIRST_COMPLETED)
    finally:
        drained.cancel()
        again.cancel()
        await asyncio.gather(drained, again, return_exceptions=True)


@contextlib.asynccontextmanager
async def _interruptible() -> AsyncIterator[_Signals]:
    """Yield the effect of the signals that the process receives; the third signal ends the process as usual."""
    received, loop = _Signals(), asyncio.get_running_loop()
    is_main = threading.current_thread() is threading.main_thread()
    numbers = (signal.SIGINT, signal.SIGTERM) if is_main else ()

    def interrupt(number: int) -> None:
        if received.stop.is_set():
            received.cancel.set()
            for handled in numbers:
                loop.remove_signal_handler(handled)
        received.soon |= number == signal.SIGTERM
        received.stop.set()

    for number in numbers:
        loop.add_signal_handler(number, interrupt, number)
    try:
        yield received
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
