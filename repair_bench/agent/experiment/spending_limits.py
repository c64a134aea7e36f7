"""Enforce a run's budget: before a request is sent, its maximum cost is reserved.

The spending is the sum of all costs in `completions.jsonl` (see `repair_bench.traces.record.spending`), across all
sessions. Lost requests still count.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from repair_bench.agent.models.base import BatchRound, Model, Paid, RequestError
from repair_bench.log import log
from repair_bench.text import count
from repair_bench.traces.faults import BudgetExhausted, UsageError
from repair_bench.traces.record.spending import Spend, Spending, add, subtract


@dataclasses.dataclass
class Reservation:
    """A request's reserved maximum cost.

    `gathered`: whether the request is in a batch. `sent`: whether the provider may already have received the request.
    """

    at_most: Spend
    gathered: bool
    sent: bool


def check(
    models: Iterable[Model], longest_completion: int | None, *, max_cost: float | None, max_tokens: int | None
) -> None:
    """Raise UsageError for a limit that cannot be enforced. `longest_completion`: the maximum length in tokens."""
    for model in models if (max_cost, max_tokens) != (None, None) else ():
        if not isinstance(model, Paid):
            continue
        worst = model.worst_case([], longest_completion)
        if worst.tokens is None:
            raise UsageError("a budget requires a maximum completion length: set --max-completion-tokens")
        if max_cost is not None and worst.cost_usd is None:
            raise UsageError(f"the price of {model.name} is unknown: use --max-tokens instead of --max-cost")


class SpendingLimits:
    """The budget and the spending of one run, for use in one event loop.

    `max_cost`: the maximum in US dollars; `max_tokens`: the maximum number of prompt and completion tokens. Both limits
    cover all sessions of the run; None for no limit. The limits are reliable if the provider charges the listed prices
    and respects the maximum completion length.
    """

    def __init__(self, max_cost: float | None, max_tokens: int | None, spending: Spending) -> None:
        self._limits = Spend(max_cost, max_tokens)
        self._spending = spending
        self._exhausted = False
        self._reserved: dict[str, Reservation] = {}
        self._changed = asyncio.Event()
        self._stopped = False
        self.batch_round = BatchRound()
        """The batches of the run. The batches are usually submitted once every episode waits for an answer. If the
        remaining budget is too low for a request outside the batches, the batches are submitted at once, because their
        answers release part of the reserved cost."""

    @asynccontextmanager
    async def reserve(self, key: str, at_most: Spend, *, gathered: bool, sent: bool) -> AsyncIterator[Reservation]:
        """Reserve the maximum cost of a request until its answer is on disk. At most one request per key may be open.

        `sent`: whether an earlier session sent the request. If the request has not been sent yet, this method waits
        until the remaining budget covers the maximum cost of the request. If an exception shows that the request was
        not sent or not billed, the reserved cost is released. Raises BudgetExhausted if the budget is too low.
        """
        if not sent:
            await self.wait_for_budget(at_most, gathered=gathered)
            self._spending.requested(key, at_most)
        reserved = self._reserved[key] = Reservation(at_most, gathered, sent)
        try:
            yield reserved
        except BaseException as error:
            if not reserved.sent or (isinstance(error, RequestError) and error.unbilled):
                self._spending.refused(key)
            raise
        finally:
            del self._reserved[key]
            self._changed.set()
            self._changed = asyncio.Event()

    @property
    def in_flight(self) -> int:
        """The number of open requests outside batches.

        The answers to these requests would be lost if the process stopped.
        """
        return sum(reserved.sent and not reserved.gathered for reserved in self._reserved.values())

    async def drain(self) -> None:
        """Stop sending requests, and wait until all answers in flight are on disk."""
        self._stopped = True
        while self.in_flight:
            await self._changed.wait()

    async def unless_stopped(self) -> None:
        """If the run is stopping, wait until the caller is cancelled; otherwise, return immediately."""
        if self._stopped:
            await asyncio.get_running_loop().create_future()

    def spent_words(self) -> str | None:
        """Describe the run's spending in one sentence, or return None if no request was sent."""
        spending = self._spending
        if spending.total == Spend() and not spending.unknown and not spending.unbounded:
            return None
        words = f"{_words(spending.known)} spent"
        if spending.unknown:
            words += f"; the cost of {count(spending.unknown, 'answer')} is unknown"
        if spending.open != Spend():
            in_doubt = Spend(spending.open.cost_usd or None, spending.open.tokens)
            words += f"; up to {_words(in_doubt)} of this amount is uncertain"
            words += " (lost requests, or answers without token counts)"
        if spending.unbounded:
            words += f"; {count(spending.unbounded, 'request')} of unknown cost received no answer"
        return words

    async def wait_for_budget(self, at_most: Spend, *, gathered: bool = False) -> None:
        """Wait until the budget covers this cost in addition to all spent and reserved amounts.

        Raises BudgetExhausted.
        """
        while not self._fits(add(self._spending.total, at_most)):
            certain = self._spending.total
            for reserved in self._reserved.values():
                certain = subtract(certain, reserved.at_most)
            if not self._fits(add(certain, at_most)):
                if not self._exhausted:  # log once for all episodes in flight
                    self._exhausted = True
                    spent, limits = dataclasses.asdict(certain), dataclasses.asdict(self._limits)
                    log.warning("budget", spent=spent, limits=limits, next_request=dataclasses.asdict(at_most))
                raise BudgetExhausted(
                    f"the budget of {_words(self._limits)} is exhausted: {_words(certain)} spent, and the next request "
                    f"may cost up to {_words(at_most)}"
                )
            self.batch_round.change(without_room=not gathered)
            try:
                await self._changed.wait()
            finally:
                self.batch_round.change(without_room=-(not gathered))

    def _fits(self, total: Spend) -> bool:
        cost, tokens = self._limits.cost_usd, self._limits.tokens
        assert total.cost_usd is not None
        assert total.tokens is not None
        return (cost is None or total.cost_usd <= cost) and (tokens is None or total.tokens <= tokens)


def _words(amount: Spend) -> str:
    cost = None if amount.cost_usd is None else f"{amount.cost_usd:.4f} USD"
    tokens = None if amount.tokens is None else f"{amount.tokens:,} tokens"
    return " and ".join(part for part in (cost, tokens) if part) or "nothing known"
