"""Models that are queried through their provider's batch API.

When every episode that takes part in batches is waiting for an answer, the requests to each model are submitted as one
batch. As in runs without batches, litellm builds the requests and parses the answers. The requests and answers are
transferred in batch files, not in separate HTTP messages.

A later session collects the answers of earlier batches, and resends only requests that will not be answered.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any, cast

import httpx

from repair_bench.agent.models.base import BatchRound, Model, Request
from repair_bench.agent.models.batch.api import MAX_REQUESTS, BatchApi
from repair_bench.agent.models.batch.jobs import MAX_BATCH, BatchJobs, BatchLostError, Entry
from repair_bench.agent.models.network.client import LiteLLMModel
from repair_bench.agent.models.network.http_limits import WireError, diverted
from repair_bench.agent.models.network.providers import ProviderSettings
from repair_bench.agent.models.network.redaction import one_line
from repair_bench.agent.models.retry import RetryPolicy
from repair_bench.text import count
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Completion
from repair_bench.traces.run.store import RunStore

_SETTLED = 0.2  # seconds without a change, after which a round is complete
_MAX_BYTES = 100 * 2**20  # of the messages in one batch; OpenAI accepts files of 200 MB


class BatchedModel(LiteLLMModel):
    """A `LiteLLMModel` with a batch API. Call `open` before the first request. Raises UsageError without the API."""

    def __init__(self, name: str, settings: ProviderSettings, *, retry: RetryPolicy | None = None) -> None:
        super().__init__(name, settings, retry=retry)
        self.quota = self  # requests wait for their batch
        if not BatchApi.serves(self._litellm, self._provider):
            raise UsageError(f"{name}: litellm does not fully support the batch API of {self._provider}: remove batch")
        self._longest = 2 * MAX_BATCH  # the batch gives up first, and stays pending
        self._api = BatchApi(self._litellm, self._provider, self.timeout, self._credentials)
        self._store: RunStore | None = None
        self._queue: list[Entry] = []
        self._entries: dict[str, Entry] = {}  # by key, waiting for an answer
        self._sent_before: dict[str, Entry] = {}  # by key, from earlier sessions
        self._round = BatchRound()
        self._changed = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self, store: RunStore, batch_round: BatchRound) -> None:
        self._store, self._round = store, batch_round
        batch_round.changes.append(self._changed)
        jobs = BatchJobs(self.name, self._api, store.batches, self.retry, self.timeout)
        for batch, keys in store.pending_batches(self.name):
            entries = [Entry(key, batch.params[key]) for key in keys]
            self._sent_before.update((entry.key, entry) for entry in entries)
            self._start(jobs.resume(batch, entries))
        self._start(self._gather(jobs))

    def closing_line(self) -> str | None:
        """Return a sentence about unfinished batches; None if there are none."""
        batches = self._store.pending_batches(self.name) if self._store is not None else []
        requests = sum(len(keys) for batch, keys in batches if batch.file is not None)
        if not requests:
            return None
        pending = count(requests, "request")
        return f"batches with {pending} are in progress at {self._provider}: resume the run to collect them"

    async def close(self) -> None:
        """See `Model.close`. The provider continues to process submitted batches after the model is closed."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await super().close()

    def alone(self) -> Model:
        settings = self._settings.model_copy(update={"batch": False})
        return cast("Model", LiteLLMModel(self.name, settings, retry=self.retry))

    # one request

    @property
    def slots(self) -> AbstractAsyncContextManager[Any]:
        return nullcontext()

    @contextmanager
    def line(self, request: Request) -> Iterator[bool]:
        entry = self._sent_before.pop(request.key, None)
        sent = entry is not None
        entry = entry or Entry(request.key, self._params(request)[0], len(str(request.messages)))
        self._entries[request.key] = entry
        self._round.change(waiting=1)
        try:
            yield sent
        finally:
            entry.leave()
            del self._entries[request.key]
            self._round.change(waiting=-1)

    async def turn(self, request: Request) -> None:
        """See `Quota.turn`. Wait until the batch of the request is in the ledger."""
        entry = self._entries[request.key]
        self._queue.append(entry)
        self._changed.set()
        try:
            await entry.prepared
        except BatchLostError as error:
            raise self._failed(request, error, entry.params) from None

    async def complete(self, request: Request) -> Completion:
        entry = self._entries[request.key]
        try:
            with diverted(partial(_through, entry)):
                completion = await super().complete(request)
        finally:
            request.tries.seconds = 0.0  # a slow batch is not a hanging provider
        return dataclasses.replace(completion, latency_seconds=None)

    def _params(self, request: Request) -> tuple[dict[str, Any], set[str]]:
        """Return a request's parameters, taken from an earlier session's batch if that batch contains the request."""
        params, dropped = super()._params(request)
        entry = self._entries.get(request.key)
        return (params if entry is None else dict(entry.params)), dropped

    # one round

    async def _gather(self, jobs: BatchJobs) -> None:
        """Submit the queued requests as a batch whenever all episodes are waiting or the queue is full."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            full = len(self._queue) >= MAX_REQUESTS or sum(entry.size for entry in self._queue) >= _MAX_BYTES
            if not self._queue or not (self._round.is_complete or full):
                continue
            await asyncio.sleep(_SETTLED)
            if full or not self._changed.is_set():
                self._start(jobs.submit(self._cut()))
                self._changed.set()

    def _cut(self) -> list[Entry]:
        entries: list[Entry] = []
        size = 0
        while self._queue and len(entries) < MAX_REQUESTS and size < _MAX_BYTES:
            entry = self._queue.pop(0)
            if not entry.prepared.cancelled():
                entries.append(entry)
                size += entry.size
        return entries

    def _credentials(self) -> tuple[str | None, str | None]:
        """Return the provider's key and address.

        If litellm reads a value from the environment, that value is None here.
        """
        _, _, key, base = self._litellm.get_llm_provider(self._route)
        return self._key() or key, self._settings.api_base or base

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        """If the asyncio task of a batch has failed, for example because the ledger cannot be written, make all waiting
        requests fail.
        """
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            broken = BatchLostError(one_line(error))
            for entry in self._entries.values():
                if not entry.prepared.done():
                    entry.prepared.set_exception(broken)
                entry.settle(broken)


async def _through(entry: Entry, request: httpx.Request) -> httpx.Response:
    if request.method != "POST" or not request.url.path.endswith("/chat/completions"):
        raise WireError(f"a batch can only contain chat completions, not requests to {request.url.path[:200]}")
    if not entry.body.done():
        entry.body.set_result(json.loads(await request.aread()))
    answer = await entry.answer
    if isinstance(answer, Exception):
        raise answer.with_traceback(None)  # many requests raise it
    headers = {"Content-Type": "application/json"}
    return httpx.Response(answer.status, headers=headers, content=answer.body, request=request)
