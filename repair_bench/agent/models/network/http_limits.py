"""The bounds of every HTTP exchange with a provider: how far it may lead, and how much may come back.

litellm sends its asynchronous requests through `httpx` clients whose transport one function of its own makes.
`limit_transports` stands in for that function, so that the clients of all providers are bounded. What is refused
reaches `watched` as it was raised: on the way back the clients dress it up as a broken connection.
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
"""Bytes of one reply, decompressed. The longest completions (128,000 tokens, every character escaped) have half of it.
Read as JSON it may take fifty times as much memory: 440 MB, where all of it is empty objects."""

_CODINGS = {"", "identity", "gzip", "x-gzip"}
"""The content codings that are asked for or go without saying."""
_GZIP = b"\x1f"  # begins no JSON; some servers name a coding and do not use it, or the other way round


class WireError(Exception):
    """The provider's reply is unacceptable, and would be the same again."""

    unbilled = False
    """Whether it is sure that nothing was answered."""


class RedirectRefusedError(WireError):
    """The request was sent on to another host, and stayed here: its headers may hold the key. Nothing was answered."""

    unbilled = True


class UnreadableReplyError(WireError):
    """A reply came that is not read: too long, or coded as nobody asked for."""


@dataclass
class Exchange:
    """One exchange as seen from below the client."""

    longest: int = MAX_REPLY
    """Bytes of the reply, decompressed, that are read at most."""
    refusal: WireError | None = None
    """The error that ended it here."""
    completed: bool = False
    """Whether the provider began to send an answer that is no error, and so may bill it."""
    body: bytearray = field(default_factory=bytearray)
    """As much as arrived of that answer, decompressed."""

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
        """Whether what came is a page, such as a gateway shows while the provider is away."""
        return self.body[:100].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


Send = Callable[[httpx.Request], Awaitable[httpx.Response]]

_instead: ContextVar[Send | None] = ContextVar("_instead", default=None)
_seen: ContextVar[Exchange | None] = ContextVar("_seen", default=None)


@contextmanager
def diverted(send: Send) -> Iterator[None]:
    """Hand the requests of this task to `send`, and send none."""
    token = _instead.set(send)
    try:
        yield
    finally:
        _instead.reset(token)


@contextmanager
def watched(longest: int = MAX_REPLY) -> Iterator[Exchange]:
    """Watch one exchange. Raises the `WireError` that ended it, whatever the client made of it."""
    exchange = Exchange(longest)
    token = _seen.set(exchange)
    try:
        yield exchange
    except Exception:
        if exchange.refusal is None:
            raise
    finally:
        _seen.reset(token)
    if exchange.refusal is not None:
        # a new one: the one that was raised holds the frames, and with them the key
        raise type(exchange.refusal)(*exchange.refusal.args)


def limit_transports(handler: Any) -> None:
    """Let litellm's `AsyncHTTPHandler` make bounded transports, for every client that it makes from now on.

    They are always those over aiohttp, litellm's default: the others would take proxies past the transport.
    """

    def make(**options: Any) -> Any:
        transport = handler.create_aiohttp_transport(**options)
        transport.handle_async_request = partial(_exchange, transport.handle_async_request)
        return transport

    handler.create_async_transport = staticmethod(make)


async def _exchange(send: Send, request: httpx.Request) -> httpx.Response:
    """The response, its body decompressed as it is read. Raises WireError, and whatever `send` does."""
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
        refusal = refusal or UnreadableReplyError(f"the reply is coded as {coding[:40]!r}, which was not asked for")
    if refusal is not None:
        await response.aclose()
        raise exchange.refuse(refusal)
    assert isinstance(response.stream, httpx.AsyncByteStream)
    headers = [(n, v) for n, v in response.headers.raw if n.lower() not in (b"content-encoding", b"content-length")]
    stream = _Bounded(response.stream, exchange)
    return httpx.Response(response.status_code, headers=headers, stream=stream, request=request)


class _Bounded(httpx.AsyncByteStream):
    """A body that is decompressed piece by piece, up to the limit of its exchange."""

    def __init__(self, inner: httpx.AsyncByteStream, exchange: Exchange) -> None:
        self._inner = inner
        self._exchange = exchange
        self._unpack: Any = None
        self._begun = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        room = self._exchange.longest
        async for piece in self._inner:
            plain = self._unpacked(piece, room + 1)
            room -= len(plain)
            if room < 0:
                error = UnreadableReplyError(f"the reply is longer than {self._exchange.longest // 2**20} MiB")
                raise self._exchange.refuse(error)
            self._exchange.add(plain)
            yield plain

    async def aclose(self) -> None:
        await self._inner.aclose()

    def _unpacked(self, piece: bytes, most: int) -> bytes:
        if not self._begun and piece:
            self._begun = True
            self._unpack = zlib.decompressobj(16 + zlib.MAX_WBITS) if piece.startswith(_GZIP) else None
        if self._unpack is None:
            return piece
        try:
            plain: bytes = self._unpack.decompress(piece, most)
            while (rest := self._unpack.unused_data).startswith(_GZIP) and len(plain) < most:  # another member
                self._unpack = zlib.decompressobj(16 + zlib.MAX_WBITS)
                plain += self._unpack.decompress(rest, most - len(plain))
        except zlib.error as error:
            raise httpx.DecodingError(str(error)) from None
        return plain


def _refused_redirect(asked: httpx.URL, response: httpx.Response) -> RedirectRefusedError | None:
    """Return why a redirect may not be followed; None if it may, or if there is none."""
    if not response.has_redirect_location:
        return None
    try:
        target = asked.join(response.headers["Location"])
    except (httpx.InvalidURL, ValueError):
        return RedirectRefusedError(f"{_place(asked)} redirects to an address that cannot be read")
    if _origin(target) == _origin(asked) or (asked.scheme == "http" and _origin(target) == _secured(asked)):
        return None
    return RedirectRefusedError(f"{_place(asked)} redirects to another host, {_place(target)}: not followed")


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port or {"http": 80, "https": 443}.get(url.scheme)


def _secured(url: httpx.URL) -> tuple[str, str, int | None] | None:
    """Return the origin of the same host by https, if both have their default ports."""
    return ("https", url.host, 443) if _origin(url)[2] == 80 else None


def _place(url: httpx.URL) -> str:
    return url.netloc.decode("ascii", "replace").rpartition("@")[2][:200] or url.scheme[:200]
