"""Limits on every HTTP exchange with a provider: redirects, content codings and the size of a reply.

litellm sends asynchronous requests through `httpx` clients, and creates their transports in one function.
`limit_transports` replaces litellm's function for creating transports, so the limits apply to all providers. If a reply
violates a limit, litellm's clients report only a broken connection. `watched` replaces this report with the original
error, which states the reason.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import httpx

MAX_REPLY = 8 * 2**20
"""Maximum size of a decompressed reply in bytes: twice the longest completion (128,000 tokens, with all characters
escaped).
When parsed as JSON, a reply of the maximum size may need 440 MB of memory (if the reply consists of empty objects)."""

_CODINGS = {"", "identity", "gzip", "x-gzip"}
_GZIP = b"\x1f"  # never begins JSON; some servers declare a coding and do not use it, or the reverse


class WireError(Exception):
    """An unacceptable reply; repeating the request would produce the same reply."""

    unbilled = False
    """Whether it is certain that the provider did not answer the request."""


class RedirectRefusedError(WireError):
    """A redirect to another host, which is not followed because the request's headers may contain the key."""

    unbilled = True


class UnreadableReplyError(WireError):
    """A reply that is too long or has an unexpected content coding."""


@dataclass
class Exchange:
    """One HTTP exchange, as observed in the transport below the HTTP client."""

    limit: int = MAX_REPLY
    """The maximum size of the decompressed reply, in bytes."""
    refusal: WireError | None = None
    """The error with which this module ended the exchange."""
    completed: bool = False
    """Whether the provider began a successful answer and may therefore bill it."""
    body: bytearray = field(default_factory=bytearray)
    """The bytes of the HTTP answer received so far, after decompression."""

    def begin(self, response: httpx.Response) -> None:
        self.completed = response.is_success
        self.body.clear()

    def add(self, piece: bytes) -> None:
        if self.completed:
            self.body += piece

    def refuse(self, error: WireError) -> WireError:
        self.refusal = self.refusal or error
        return error

    @property
    def is_page(self) -> bool:
        """Whether the answer is an HTML page, such as a gateway's error page while the provider is down."""
        return self.body[:100].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


Send = Callable[[httpx.Request], Awaitable[httpx.Response]]

_instead: ContextVar[Send | None] = ContextVar("_instead", default=None)
_seen: ContextVar[Exchange | None] = ContextVar("_seen", default=None)


@contextmanager
def diverted(send: Send) -> Iterator[None]:
    """Pass the requests of this asyncio task to `send` instead of sending the requests over the network."""
    token = _instead.set(send)
    try:
        yield
    finally:
        _instead.reset(token)


@contextmanager
def watched(limit: int = MAX_REPLY) -> Iterator[Exchange]:
    """Watch one exchange. If a `WireError` ended the exchange, it is raised in place of the client's error."""
    exchange = Exchange(limit)
    token = _seen.set(exchange)
    try:
        yield exchange
    except Exception:
        if exchange.refusal is None:
            raise
    finally:
        _seen.reset(token)
    if exchange.refusal is not None:
        # a new error, because the frames of the original one contain the key
        raise type(exchange.refusal)(*exchange.refusal.args)


def limit_transports(handler: Any) -> None:
    """Make litellm's `AsyncHTTPHandler` always create aiohttp transports, which enforce these limits.

    The change affects all clients that are created later.
    """

    def make(**options: Any) -> Any:
        transport = handler.create_aiohttp_transport(**options)
        transport.handle_async_request = partial(_exchange, transport.handle_async_request)
        return transport

    handler.create_async_transport = staticmethod(make)


async def _exchange(send: Send, request: httpx.Request) -> httpx.Response:
    """Return the response; its body is decompressed while it is read. Raises WireError, and the errors of `send`."""
    exchange = _seen.get() or Exchange()
    if (instead := _instead.get()) is not None:
        try:
            response = await instead(request)
        except WireError as error:
            raise exchange.refuse(error) from None
        exchange.begin(response)
        exchange.add(response.content)
        return response
    request.headers["Accept-Encoding"] = "gzip"
    response = await send(request)
    exchange.begin(response)
    coding = response.headers.get("Content-Encoding", "").strip().lower()
    refusal: WireError | None = _refused_redirect(request.url, response)
    if coding not in _CODINGS:
        refusal = refusal or UnreadableReplyError(
            f"the reply has the content encoding {coding[:40]!r}, which was not requested"
        )
    if refusal is not None:
        await response.aclose()
        raise exchange.refuse(refusal)
    assert isinstance(response.stream, httpx.AsyncByteStream)
    headers = [(n, v) for n, v in response.headers.raw if n.lower() not in (b"content-encoding", b"content-length")]
    stream = _Bounded(response.stream, exchange)
    return httpx.Response(response.status_code, headers=headers, stream=stream, request=request)


class _Bounded(httpx.AsyncByteStream):
    """A response body that is decompressed in chunks, up to the size limit set for the exchange."""

    def __init__(self, inner: httpx.AsyncByteStream, exchange: Exchange) -> None:
        self._inner = inner
        self._exchange = exchange
        self._unpack: Any = None
        self._started = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._exchange.limit
        async for piece in self._inner:
            plain = self._unpacked(piece, left + 1)
            left -= len(plain)
            if left < 0:
                error = UnreadableReplyError(f"the reply is longer than {self._exchange.limit // 2**20} MiB")
                raise self._exchange.refuse(error)
            self._exchange.add(plain)
            yield plain

    async def aclose(self) -> None:
        await self._inner.aclose()

    def _unpacked(self, piece: bytes, maximum: int) -> bytes:
        if not self._started and piece:
            self._started = True
            self._unpack = zlib.decompressobj(16 + zlib.MAX_WBITS) if piece.startswith(_GZIP) else None
        if self._unpack is None:
            return piece
        try:
            plain: bytes = self._unpack.decompress(piece, maximum)
            while (rest := self._unpack.unused_data).startswith(_GZIP) and len(plain) < maximum:  # another member
                self._unpack = zlib.decompressobj(16 + zlib.MAX_WBITS)
                plain += self._unpack.decompress(rest, maximum - len(plain))
        except zlib.error as error:
            raise httpx.DecodingError(str(error)) from None
        return plain


def _refused_redirect(source: httpx.URL, response: httpx.Response) -> RedirectRefusedError | None:
    if not response.has_redirect_location:
        return None
    try:
        target = source.join(response.headers["Location"])
    except (httpx.InvalidURL, ValueError):
        return RedirectRefusedError(f"{_place(source)} redirects to an invalid address")
    secured = ("https", source.host, 443) if _origin(source) == ("http", source.host, 80) else None
    if _origin(target) in (_origin(source), secured):
        return None
    return RedirectRefusedError(f"{_place(source)} redirects to another host, {_place(target)}, and was not followed")


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port or {"http": 80, "https": 443}.get(url.scheme)


def _place(url: httpx.URL) -> str:
    return url.netloc.decode("ascii", "replace").rpartition("@")[2][:200] or url.scheme[:200]
