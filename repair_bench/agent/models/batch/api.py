"""A provider's batch API, through litellm: request files and answer files.

A provider is supported only if litellm can submit, find and read its batches in OpenAI's format.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from repair_bench.agent.models.network.http_limits import watched

MAX_REQUESTS = 10_000
"""The maximum number of requests in a batch; OpenAI accepts 50,000 requests with a total of 200 MB."""
_GRACE = 1.0  # seconds
_MAX_RESULT = 512 * 2**20  # bytes of the answers of one batch

_ENDPOINT: Literal["/v1/chat/completions"] = "/v1/chat/completions"
_METADATA_KEY = "repair_bench"  # of our own id of a batch
_PAGE = 100
_MAX_PAGES = 50  # of the list of batches, newest first

ENDED = {"completed", "failed", "expired", "cancelled"}


class Answer(NamedTuple):
    """The answer to one request in a batch: an HTTP status and a JSON body."""

    status: int
    body: bytes

    @classmethod
    def error(cls, status: int, message: str, *, code: str | None = None, param: str | None = None) -> Answer:
        """Return an error response in OpenAI's format."""
        error = {"message": message, "type": "error", "code": code, "param": param}
        return cls(status, json.dumps({"error": error}).encode())

    @property
    def is_completion(self) -> bool:
        return 200 <= self.status < 300


@dataclass(frozen=True)
class State:
    status: str
    files: Sequence[str]
    """The provider's files with the answers and errors of the batch."""
    errors: Sequence[Any]
    """The provider's reasons for rejecting the batch."""


class BatchApi:
    """The batches of one provider. `credentials`: a function that returns the key and the address."""

    def __init__(
        self, litellm: Any, provider: str, timeout: float, credentials: Callable[[], tuple[str | None, str | None]]
    ) -> None:
        self._litellm = litellm
        self.provider = provider
        self._timeout = timeout
        self._credentials = credentials
        _bound_clients(litellm)

    @staticmethod
    def serves(litellm: Any, provider: str) -> bool:
        """Whether litellm supports the complete batch API of a provider."""
        return provider in litellm.types.utils.OPENAI_COMPATIBLE_BATCH_AND_FILES_PROVIDERS

    async def upload(self, id_: str, lines: bytes) -> str:
        """Upload the requests of a batch, and return the id of the file."""
        file = (f"{_METADATA_KEY}-{id_}.jsonl", lines, "application/jsonl")
        made = await self._call(self._litellm.acreate_file, file=file, purpose="batch")
        return str(made.id)

    async def create(self, id_: str, file: str) -> str:
        """Start a batch. Return the provider's id for the batch."""
        made = await self._call(
            self._litellm.acreate_batch,
            completion_window="24h",
            endpoint=_ENDPOINT,
            input_file_id=file,
            metadata={_METADATA_KEY: id_},
        )
        return str(made.id)

    async def find(self, id_: str, file: str) -> str | None:
        """Return the provider's id of the batch whose metadata contains `id_` or whose input file is `file`.

        The result is None if the provider lists no such batch.
        """
        after = None
        for _ in range(_MAX_PAGES):
            page = await self._call(self._litellm.alist_batches, after=after, limit=_PAGE)
            for batch in page.data:
                if (batch.metadata or {}).get(_METADATA_KEY) == id_ or batch.input_file_id == file:
                    return str(batch.id)
            if not page.data or not getattr(page, "has_more", False):
                return None
            after = page.data[-1].id
        return None

    async def state(self, name: str) -> State:
        # otherwise litellm also reads the answers, to log their price
        quiet = {"batch_ignore_default_logging": True}
        batch = await self._call(self._litellm.aretrieve_batch, batch_id=name, litellm_metadata=quiet)
        files = [file for file in (batch.output_file_id, batch.error_file_id) if file]
        return State(batch.status, files, getattr(batch.errors, "data", None) or [])

    async def content(self, file: str) -> bytes:
        content: bytes = (await self._call(self._litellm.afile_content, file_id=file)).content
        return content

    async def _call(self, function: Callable[..., Awaitable[Any]], **arguments: Any) -> Any:
        key, base = self._credentials()
        try:
            with watched(_MAX_RESULT):
                sent = function(
                    **arguments,
                    custom_llm_provider=self.provider,
                    api_key=key,
                    api_base=base,
                    timeout=self._timeout,
                    max_retries=0,
                )
                return await _cancelled_late(sent)
        except self._litellm.main.openai.APIConnectionError as error:  # without a status
            raise ConnectionError(str(error)) from error


async def _cancelled_late(sent: Awaitable[Any]) -> Any:
    """Wait for a request. A cancelled request gets some time to end.

    litellm prepares a request in a thread. If it were cancelled then, the thread would return a coroutine that nothing
    awaits, and Python would warn about it.
    """
    task = asyncio.ensure_future(sent)
    try:
        return await asyncio.shield(task)
    finally:
        if not task.done():
            await asyncio.wait([task], timeout=_GRACE)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


def request(key: str, body: Any) -> bytes:
    """Return one line of a request file."""
    data = {"custom_id": key, "method": "POST", "url": _ENDPOINT, "body": body}
    return json.dumps(data).encode() + b"\n"


def answers(content: bytes) -> Iterator[tuple[str, Answer] | None]:
    """Yield, for each line of a batch's answer file, the key of the request and the answer.

    The lines may be in any order. For an unreadable line, None takes the place of the pair.
    """
    for raw in content.splitlines():
        if not raw.strip():
            continue
        try:
            data = json.loads(raw)
            key, response = data["custom_id"], data.get("response")
            if response:
                answer = Answer(int(response["status_code"]), json.dumps(response["body"]).encode())
            else:
                error = data.get("error") or {}
                # an expired batch or a failure of the provider, neither of them billed
                answer = Answer.error(503, str(error.get("message")), code=str(error.get("code")))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            yield None
        else:
            yield str(key), answer


def _bound_clients(litellm: Any) -> None:
    """Make litellm send batches and files through the HTTP clients that it uses for completions.

    Other clients would not enforce our limits and would never be closed.
    """

    def client(*, _is_async: bool, **arguments: Any) -> Any:
        return litellm.main.openai_chat_completions._get_openai_client(is_async=_is_async, **arguments)  # noqa: SLF001

    for api in (litellm.batches.main.openai_batches_instance, litellm.files.main.openai_files_instance):
        setattr(api, "get_openai_client", client)  # noqa: B010 - an attribute that nothing here reads
