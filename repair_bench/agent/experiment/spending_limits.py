"""Keeps a run within what it may spend: every request is counted at its worst case before it is sent.

What was spent is the sum over `completions.jsonl` (see `repair_bench.traces.record.spending`), so a resumed run goes on
from where it stopped, and requests that were lost stay spent.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from repair_bench.agent.models.base import Model, Paid, RequestError
from repair_bench.log import log
from repair_bench.text import count
from repair_bench.traces.faults import BudgetExhausted, UsageError
from repair_bench.traces.record.spending import Spend, Spending, add, subtract


@dataclasses.dataclass
class Reservation:
    """The worst case of one request, from before it is sent until its answer is on disk."""

    at_most: Spend
    gathered: bool
    """Whether it goes with a batch, whose answers can wait."""
    sent: bool
    """Whether it may be on its way, and so be billed. Set by whoever sends it."""


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

    def __init__(self, max_cost: float | None, max_tokens: int | None, spending: Spending) -> None:
        self._limits = Spend(max_cost, max_tokens)
        self._spending = spending
        self._exhausted = False
        self._reserved: dict[str, Reservation] = {}
        self._changed = asyncio.Event()
        self._stopped = False

    @asynccontextmanager
    async def reserve(self, key: str, at_most: Spend, *, gathered: bool, sent: bool) -> AsyncIterator[Reservation]:
        """Around one request for `key`, until its answer is on disk. One at a time for a key.

        Waits until the worst case has room, unless it was counted when an earlier session sent the request (`sent`).
        Left by an exception it gives back what was not sent, or is sure to cost nothing. Raises BudgetExhausted when
        the room will not come.
        """
        if not sent:
            await self.room(at_most)
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
        """Requests that were sent and whose answers would be lost with this process; those in batches would not."""
        return sum(reserved.sent and not reserved.gathered for reserved in self._reserved.values())

    async def drain(self) -> None:
        """Send no further request, and wait until nothing is in flight. Answers are on disk then."""
        self._stopped = True
        while self.in_flight:
            await self._changed.wait()

    async def unless_stopped(self) -> None:
        """Return at once, or never if the run is stopping: the caller is cancelled with it."""
        if self._stopped:
            await asyncio.get_running_loop().create_future()

    def spent_words(self) -> str | None:
        """What was spent, one sentence; None when nothing was sent. For a run that has stopped."""
        spending = self._spending
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

    async def room(self, at_most: Spend) -> None:
        """Wait until the worst case fits beside what is spent and what is in flight. Raises BudgetExhausted."""
        while not self._fits(add(self._spending.total, at_most)):
            certain = self._spending.total
            for reserved in self._reserved.values():
                certain = subtract(certain, reserved.at_most)
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


def _words(amount: Spend) -> str:
    cost = None if amount.cost_usd is None else f"{amount.cost_usd:.4f} USD"
    tokens = None if amount.tokens is None else f"{amount.tokens:,} tokens"
    return " and ".join(part for part in (cost, tokens) if part) or "nothing known"
