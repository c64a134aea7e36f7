"""Request one answer from a model within the budget and the quota, and retry failed requests.

Before a request is sent, the program reserves its maximum cost, waits for the provider's quota, and records the
request. The answer is written to disk before the program uses it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from repair_bench.agent.experiment.spending_limits import SpendingLimits
from repair_bench.agent.models.base import Batched, Model, Paid, Request, RequestError, Tries
from repair_bench.log import log_context
from repair_bench.traces.record.records import Completion
from repair_bench.traces.record.spending import Spend, tokens_of
from repair_bench.traces.run.store import RunStore

_FIRST_TRIES = 3
"""The run stops after this number of failed requests if the server has never answered."""
_MAX_UNREADABLE = 3
"""A request is no longer retried after this number of unreadable answers. Each of these answers may have been
billed."""


@dataclasses.dataclass(frozen=True)
class Asker:
    store: RunStore
    budget: SpendingLimits
    on_retry: Callable[[str], None] = lambda _: None
    """A callback that receives a short reason before each retry."""

    async def ask(self, model: Model, request: Request, *, once: bool = False) -> Completion:
        """Return the model's answer with its cost, once the answer is on disk. Concurrent calls require different keys.

        `once`: whether to send the request only once, even after a transient error. Raises the errors of
        `Model.complete`, and BudgetExhausted when the budget is too small for the request.
        """
        await self.budget.unless_stopped()
        with log_context(attempt=request.id):
            if isinstance(model, Paid):
                request = dataclasses.replace(request, tries=Tries())
                completion = await self._ask_provider(model, request, once=once)
            else:
                await self.budget.wait_for_budget(Spend())
                completion = await model.complete(request)
                if model.simulated:  # its answer cost nothing and may be dropped
                    await self.budget.wait_for_budget(Spend(0.0, tokens_of(completion.usage)))
                await self._record(request.key, completion)
        await self.budget.unless_stopped()
        return completion

    async def _ask_provider(self, model: Paid, request: Request, *, once: bool) -> Completion:
        """Return a provider's answer, repeating the request as long as it may still succeed."""
        tries = request.tries

        def hopeless(error: BaseException) -> bool:
            astray = isinstance(error, RequestError) and error.unreached is not None
            return tries.unreadable >= _MAX_UNREADABLE or (astray and tries.sent >= _FIRST_TRIES)

        retrying = model.retry.retrying(
            lambda error: isinstance(error, RequestError) and error.again == "later",
            model.timeout,
            lambda: tries.seconds,
            hopeless=hopeless,
            on_failure=lambda error: self.on_retry(getattr(error, "reason", "")),
        )
        async with model.quota.slots:
            try:
                return await (self._send(model, request) if once else retrying(self._send, model, request))
            except RequestError as error:
                failure = error.error if once or error.unreached is None else error.unreached
        raise failure  # outside of the except block, without the other as its context

    async def _send(self, model: Paid, request: Request) -> Completion:
        """Send one request. If the model rejects a parameter, send another request immediately."""
        at_most = model.worst_case(request.messages, request.max_tokens)
        while True:
            try:
                with model.quota.line(request) as sent:
                    return await self._send_one(model, request, at_most, sent=sent)
            except RequestError as error:
                if error.again != "now":
                    raise

    async def _send_one(self, model: Paid, request: Request, at_most: Spend, *, sent: bool) -> Completion:
        """Send one request and record the answer.

        `sent`: whether an earlier session sent the request; it is then not sent again.
        """
        key, gathered = request.key, isinstance(model, Batched)
        async with self.budget.reserve(key, at_most, gathered=gathered, sent=sent) as reserved:
            if not sent:
                await model.quota.turn(request)
                await self.budget.unless_stopped()
                reserved.sent = True
                await self.store.note_request(key, at_most)
            try:
                completion = await model.complete(request)
            except RequestError as error:
                if error.unbilled:
                    await self.store.note_refused(key)
                raise
            await self._record(key, completion)
        return completion

    async def _record(self, key: str, completion: Completion) -> None:
        data = dataclasses.asdict(completion)
        self.store.spending.answered(key, data)
        await self.store.save_completion(key, data)
