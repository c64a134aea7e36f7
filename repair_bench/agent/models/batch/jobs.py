"""Process a batch: record it in the ledger, submit it, and collect its answers.

The ledger (`traces.run.batches`) records a batch before the provider receives it, so a later session can find it.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from repair_bench.agent.models.batch.api import ENDED, Answer, BatchApi, State, answers, request
from repair_bench.agent.models.network.errors import is_transient, was_refused
from repair_bench.agent.models.network.http_limits import WireError
from repair_bench.agent.models.network.redaction import one_line
from repair_bench.agent.models.retry import RetryPolicy
from repair_bench.log import log
from repair_bench.traces.run.batches import Batch, BatchLedger

T = TypeVar("T")

MAX_BATCH = 26 * 3600.0
"""Maximum seconds to wait for a batch; providers end a batch after a day."""
_MAX_UNKNOWN = 3  # replies that the batch does not exist, after which it is lost
_FIRST_POLL, _MAX_POLL = 5.0, 60.0  # seconds between polls; the wait grows by half each time
_MAX_TRANSIT = 30.0  # seconds that a batch may take to reach the provider
# the last three are proportionally shorter if the retry budget is below the default


class BatchLostError(WireError):
    """The answers of a batch are lost, and the provider may have billed them."""


class BatchCancelledError(WireError):
    """The batch was cancelled on the provider's side before this request was answered."""

    unbilled = True


def _future() -> asyncio.Future[Any]:
    return asyncio.get_running_loop().create_future()


@dataclass(eq=False)
class Entry:
    """A request that belongs to a batch and has no answer yet."""

    key: str
    params: dict[str, Any]
    size: int = 0
    prepared: asyncio.Future[None] = field(default_factory=_future)
    """A future that completes once the batch of this request is recorded in the ledger."""
    body: asyncio.Future[Any] = field(default_factory=_future)
    """A future for the request body. The future is cancelled if the request is not to be sent."""
    answer: asyncio.Future[Answer | Exception] = field(default_factory=_future)
    """A future for the answer, or for the exception to raise if no answer arrives."""

    def settle(self, answer: Answer | Exception) -> None:
        if not self.answer.done():
            self.answer.set_result(answer)

    def leave(self) -> None:
        """Stop waiting."""
        for future in (self.prepared, self.body, self.answer):
            future.cancel()


class BatchJobs:
    def __init__(self, model: str, api: BatchApi, ledger: BatchLedger, retry: RetryPolicy, timeout: float) -> None:
        self._model, self._api, self._ledger = model, api, ledger
        self._retry, self._timeout = retry, timeout
        self._pace = min(1.0, retry.budget / RetryPolicy.budget)

    async def submit(self, entries: list[Entry]) -> None:
        """Submit a batch of these requests and collect its answers."""
        if not entries:
            return
        params = {entry.key: entry.params for entry in entries}
        batch = await self._ledger.prepared(secrets.token_hex(12), self._model, params)
        for entry in entries:
            if not entry.prepared.done():
                entry.prepared.set_result(None)
        await asyncio.wait([entry.body for entry in entries])
        entries = [entry for entry in entries if not entry.body.cancelled()]
        try:
            await self._submit(batch, entries)
        except BatchLostError as error:
            _settle(entries, error)
        except Exception as error:  # noqa: BLE001 - the boundary: each request receives its error
            await self._end(batch, entries, _answer_of(error), one_line(error))
        else:
            await self._collect(batch, entries)

    async def resume(self, batch: Batch, entries: list[Entry]) -> None:
        """Collect the answers of a batch that an earlier session prepared."""
        if batch.name is None:
            try:
                name = None if batch.file is None else await self._found(batch)
            except BatchLostError as error:
                _settle(entries, error)
                return
            if name is None:
                await self._end(batch, entries, Answer.error(503, "the batch was never submitted"), "never submitted")
                return
            await self._ledger.note(batch, "submitted", name=name)
        await self._collect(batch, entries)

    async def _submit(self, batch: Batch, entries: Sequence[Entry]) -> None:
        """Submit a batch. Raises the provider's error, or BatchLostError if it is unknown whether the batch arrived."""
        if not entries:
            raise BatchCancelledError("no episode is waiting for the answers of this batch")
        file = await self._api.upload(batch.id, b"".join(request(entry.key, entry.body.result()) for entry in entries))
        await self._ledger.note(batch, "uploaded", file=file)
        try:
            name = await self._api.create(batch.id, file)
        except Exception as error:  # whatever it was, the batch may have been made
            found = None if was_refused(error) else await self._found(batch)
            if found is None:
                raise
            name = found
        await self._ledger.note(batch, "submitted", name=name)
        log.info("batch_submitted", id=batch.id, requests=len(entries))

    async def _found(self, batch: Batch) -> str | None:
        """Return the provider's name for a batch whose submission was interrupted; None if the batch never arrived."""
        assert batch.file is not None
        for wait in (0.0, _MAX_TRANSIT * self._pace):
            await asyncio.sleep(wait)
            try:
                name = await self._patiently(self._api.find, batch.id, batch.file)
            except Exception as error:  # noqa: BLE001 - after any error it is still unknown
                raise BatchLostError(
                    f"it is unknown whether {self._api.provider} received the batch: {one_line(error)}"
                ) from None
            if name is not None:
                return name
        return None

    async def _collect(self, batch: Batch, entries: Sequence[Entry]) -> None:
        assert batch.name is not None
        try:
            state = await self._ended(batch.name)
            found = await self._read(state) if state is not None else {}
        except Exception as error:  # noqa: BLE001 - the batch continues after any error
            _settle(entries, BatchLostError(f"the batch at {self._api.provider} cannot be read: {one_line(error)}"))
            return
        if state is None or state.status == "failed":
            reason = "forgotten" if state is None else "refused"
            await self._end(batch, entries, _refusal(state), reason)
            return
        settled = {entry.key: found.get(entry.key) or _missing(state) for entry in entries}
        answered = {key for key, answer in settled.items() if isinstance(answer, Answer) and answer.is_completion}
        unanswered = [key for key in settled if key not in answered]
        await self._ledger.note(batch, "collected", unanswered=unanswered)
        log.info("batch_collected", id=batch.id, answered=len(entries) - len(unanswered), unanswered=len(unanswered))
        if unknown := len(found.keys() - batch.params.keys()):
            log.warning("batch_unknown_answers", id=batch.id, answers=unknown)
        for entry in entries:
            entry.settle(settled[entry.key])

    async def _end(self, batch: Batch, entries: Sequence[Entry], answer: Answer | Exception, reason: str) -> None:
        await self._ledger.note(batch, "failed", reason=reason)
        log.warning("batch_failed", id=batch.id, requests=len(entries))
        _settle(entries, answer)

    async def _ended(self, name: str) -> State | None:
        """Wait until a batch ends, and return its state; None if the provider no longer has the batch."""
        wait, forgotten, until = _FIRST_POLL * self._pace, 0, time.monotonic() + MAX_BATCH
        while time.monotonic() < until:
            await asyncio.sleep(wait)
            wait = min(wait * 1.5, _MAX_POLL * self._pace)
            try:
                state = await self._patiently(self._api.state, name)
            except Exception as error:
                forgotten += 1
                if getattr(error, "status_code", None) != 404:
                    raise
                if forgotten == _MAX_UNKNOWN:
                    return None
            else:
                forgotten = 0
                if state.status in ENDED:
                    return state
        raise TimeoutError(f"the batch did not finish within {MAX_BATCH / 3600:.0f} hours")

    async def _read(self, state: State) -> dict[str, Answer]:
        """Return the answers of an ended batch by key; if a key has several answers, only the first answer counts."""
        found: dict[str, Answer] = {}
        for file in state.files:
            for line in answers(await self._patiently(self._api.content, file)):
                if line is not None and not (line[0] in found and found[line[0]].is_completion):
                    found[line[0]] = line[1]
        return found

    async def _patiently(self, function: Callable[..., Awaitable[T]], *arguments: Any) -> T:
        return await self._retry.retrying(is_transient, self._timeout, lambda: 0.0)(function, *arguments)


def _settle(entries: Sequence[Entry], answer: Answer | Exception) -> None:
    for entry in entries:
        entry.settle(answer)


def _answer_of(error: Exception) -> Answer | Exception:
    """Return the result for each request of a batch. `error`: the error that prevented the batch's submission."""
    if isinstance(error, WireError):
        return BatchCancelledError(*error.args)
    if isinstance(error, ConnectionError) and was_refused(error):
        return error  # no server is running
    status, body = getattr(error, "status_code", None), getattr(error, "body", None)
    if not isinstance(status, int) or status in (408, 502, 504):  # a gateway's error may hide an answer
        status = 503
    fields = body if isinstance(body, dict) else {}
    return Answer.error(status, one_line(error), code=fields.get("code"), param=fields.get("param"))


def _refusal(state: State | None) -> Answer:
    """Return the error response for each request in a batch that the provider refused.

    `state`: the state of the batch; None if the provider no longer has the batch.
    """
    if state is None:
        return Answer.error(502, "the provider no longer has the batch")  # and may have answered it
    first = state.errors[0] if state.errors else None
    code, message, param = (getattr(first, name, None) for name in ("code", "message", "param"))
    status = 429 if code == "token_limit_exceeded" else 400  # the provider's queue is full
    return Answer.error(status, f"the batch was refused: {message}", code=code, param=param)


def _missing(state: State) -> Answer | WireError:
    if state.status == "cancelled":
        return BatchCancelledError("the batch was cancelled on the provider's side")
    if state.status == "expired":
        return Answer.error(503, "the batch expired", code="batch_expired")
    return Answer.error(502, "the batch contains no answer to this request")  # lost, and perhaps billed
