"""Keeps a run within what it may spend: every request is counted at its worst case before it is sent.

What was spent is the sum over `completions.jsonl` (see `repair_bench.traces.spending`), so a resumed run goes on from
where it stopped, and requests that were lost stay spent.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Protocol, runtime_checkable

from repair_bench.agent.models.base import AskedFirst, Batched, Model, Request
from repair_bench.agent.models.errors import was_refused
from repair_bench.analysis.notices import count
from repair_bench.log import bound, log
from repair_bench.traces.faults import BudgetExhausted, UsageError
from repair_bench.traces.records import Completion
from repair_bench.traces.spending import Spend, add, subtract, tokens_of
from repair_bench.traces.store import RunStore


@runtime_checkable
class Paid(Protocol):
    """A model whose requests may be billed. The cost of the others is unknown."""

    @property
    def reasons(self) -> bool:
        """Whether it is known to reason before it answers."""
        ...

    def worst_case(self, messages: list[dict[str, Any]], max_tokens: int | None) -> Spend:
        """What one request may cost at most; None where that cannot be known."""
        ...


def check(
    models: Iterable[Model], longest_completion: int | None, *, max_cost: float | None, max_tokens: int | None
) -> None:
    """Raise UsageError when a limit cannot be kept, because a request's worst case is not known before it is sent.

    `longest_completion`: the tokens that every request allows for its answer.
    """
    for model in models if (max_cost, max_tokens) != (None, None) else ():
        if not isinstance(model, Paid):
            continue
        worst = model.worst_case([], longest_completion)
        if worst.tokens is None:
            raise UsageError("a budget needs the longest completion that may come: give --max-completion-tokens")
        if max_cost is not None and worst.cost_usd is None:
            raise UsageError(f"no price is known for {model.name}: give --max-tokens in place of --max-cost")


class SpendingLimits:
    """What one run has spent and may spend, for one event loop.

    `max_cost`: US dollars; `max_tokens`: of prompts and completions together; both over all sessions of the run, None
    for no limit. They hold for what a provider bills by the price table and within the tokens allowed: one that charges
    more than that cannot be foreseen.
    """

    def __init__(self, max_cost: float | None, max_tokens: int | None, store: RunStore) -> None:
        self._limits = Spend(max_cost, max_tokens)
        self._store = store
        self._exhausted = False
        self._in_flight: dict[str, Spend] = {}
        self._changed = asyncio.Event()
        self._sent: set[str] = set()
        self._stopped = False

    async def complete(self, model: Model, request: Request, key: str, *, once: bool = False) -> Completion:
        """The model's answer, debited and durable. One call for a `key` at a time. `once`: see `AskedFirst`.

        Each request that the model sends for it, repeats too, first waits until its worst case has room, and is noted
        in the store. The answer of a model that sends none counts its tokens. Raises what `Model.complete` does, and
        BudgetExhausted when the room will not come.
        """
        await self._unless_stopped()
        if not isinstance(model, Paid):
            await self._room(Spend())
        try:
            with bound(attempt=request.id):
                sending = partial(self._sending, key, gathered=isinstance(model, Batched) and not once)
                request = dataclasses.replace(request, key=key, sending=sending, awaiting=partial(self._awaiting, key))
                ask = model.ask_once if once and isinstance(model, AskedFirst) else model.complete
                completion = await ask(request)
            if model.simulated:  # its answer was not billed and may be dropped
                await self._room(Spend(0.0, tokens_of(completion.usage)))
            data = dataclasses.asdict(completion)
            self._store.spending.answered(key, data)
            await self._store.save_completion(key, data)
        finally:
            self._landed(key)
        await self._unless_stopped()
        return completion

    @property
    def in_flight(self) -> int:
        """Requests that were sent and whose answers would be lost with this process; those in batches would not."""
        return len(self._sent)

    async def drain(self) -> None:
        """Send no further request, and wait until nothing is in flight.

        Every other call of `complete` stays where it is until it is cancelled: its answer, if any, is durable.
        """
        self._stopped = True
        while self._sent:
            await self._changed.wait()

    def spent_words(self) -> str | None:
        """What was spent, one sentence; None when nothing was sent. For a run that has stopped."""
        spending = self._store.spending
        if spending.total == Spend() and not spending.unknown and not spending.unbounded:
            return None
        words = f"{_words(spending.known)} were spent"
        if spending.unknown:
            words += f"; the cost of {count(spending.unknown, 'answer')} is unknown"
        if spending.open != Spend():
            in_doubt = Spend(spending.open.cost_usd or None, spending.open.tokens)
            words += f"; at most {_words(in_doubt)} of that is in doubt (lost requests, answers without usage)"
        if spending.unbounded:
            words += f"; {count(spending.unbounded, 'request')} of unknown cost got no answer"
        return words

    @asynccontextmanager
    async def _sending(
        self, key: str, at_most: Spend, turn: Callable[[], Awaitable[None]], *, gathered: bool
    ) -> AsyncIterator[None]:
        """Around one request: see `Request.sending`. `gathered`: it goes with a batch, whose answers can wait."""
        spending = self._store.spending
        await self._room(at_most)
        spending.requested(key, at_most)
        self._in_flight[key] = at_most
        try:
            await turn()
            await self._unless_stopped()
        except BaseException:
            spending.refused(key)
            self._landed(key)
            raise
        if not gathered:
            self._sent.add(key)
        await self._store.note_request(key, at_most)
        async with self._awaiting(key, at_most):
            yield

    @asynccontextmanager
    async def _awaiting(self, key: str, at_most: Spend) -> AsyncIterator[None]:
        """Around one answer: see `Request.awaiting`. What the request may cost was counted when it was sent."""
        self._in_flight[key] = at_most
        try:
            yield
        except BaseException as error:
            if was_refused(error):
                self._store.spending.refused(key)
                await self._store.note_refused(key)
            self._landed(key)
            raise

    async def _unless_stopped(self) -> None:
        """Return at once, or never if the run is stopping: the caller is cancelled with it."""
        if self._stopped:
            await asyncio.get_running_loop().create_future()

    async def _room(self, at_most: Spend) -> None:
        """Wait until the worst case fits beside what is spent and what is in flight."""
        while not self._fits(add(self._store.spending.total, at_most)):
            certain = self._store.spending.total
            for amount in self._in_flight.values():
                certain = subtract(certain, amount)
            if not self._fits(add(certain, at_most)):
                if not self._exhausted:  # once, though every episode in flight comes here
                    self._exhausted = True
                    spent, limits = dataclasses.asdict(certain), dataclasses.asdict(self._limits)
                    log.warning("budget", spent=spent, limits=limits, next_request=dataclasses.asdict(at_most))
                raise BudgetExhausted(
                    f"the budget of {_words(self._limits)} does not allow another request: {_words(certain)} were "
                    f"spent, and it may take {_words(at_most)}"
                )
            await self._changed.wait()

    def _fits(self, total: Spend) -> bool:
        cost, tokens = self._limits.cost_usd, self._limits.tokens
        assert total.cost_usd is not None
        assert total.tokens is not None
        return (cost is None or total.cost_usd <= cost) and (tokens is None or total.tokens <= tokens)

    def _landed(self, key: str) -> None:
        """The request for `key` is no longer in flight: those that wait for room, or for the last one, look again."""
        self._sent.discard(key)
        if self._in_flight.pop(key, None) is not None:
            self._changed.set()
            self._changed = asyncio.Event()


def _words(amount: Spend) -> str:
    cost = None if amount.cost_usd is None else f"{amount.cost_usd:.4f} USD"
    tokens = None if amount.tokens is None else f"{amount.tokens:,} tokens"
    return " and ".join(part for part in (cost, tokens) if part) or "nothing known"
