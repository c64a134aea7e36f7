"""A plain HTTP service that offers the repair loop to any trainer (`repair-bench serve`).

A client opens a rollout, sends answers and receives feedback.

| request | required fields | optional fields | reply |
| --- | --- | --- | --- |
| `GET /` | | | the service and its limits |
| `GET /tasks` | | | a list: `task_id`, `suite`, `framework`, `sound`, `sealed`, ... |
| `POST /rollouts` | `task_id` | `suite`, `framework`, `condition`, `sample` | `id`, `attempt`, `messages` |
| `POST /rollouts/ID/answers` | `text` | `attempt`, `finish_reason` | `verdict`, `reward`, `feedback`, `messages`, ... |
| `GET /rollouts/ID` | | | the state of the rollout, and in `last` the reply to the last answer |
| `DELETE /rollouts/ID` | | | no content |

Requests and replies are JSON. The service limits the size of a request's body, the number of open rollouts and the
number of concurrent requests. The service also limits the time for judging an answer and the lifetime of an idle
rollout. Only one answer per rollout is judged at a time, so at most one program per rollout waits for the sandbox.
After a broken connection, a client may resend an answer. If the request states the number of the attempt (`attempt`),
the answer counts only once. An error is one line of JSON, `{"error": ...}`. The status is 400 for an invalid request,
404 for an unknown or expired rollout, 409 for an attempt that is not due, and 429 for too many requests. If the body is
incomplete, too large or not JSON, the status is 408, 413 or 415, respectively. The status is 500 for an error in this
code, and 503 for an infrastructure error or a shutdown. After a 503 response, the client may send the same answer
again. If the input is not HTTP, the service replies with status 400 and plain text. The service has no authentication:
use it on one machine or in a trusted network. Only the operating system limits the number of connections.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import logging
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web

from repair_bench._version import __version__
from repair_bench.agent.training.rollout import Rollout, Rollouts
from repair_bench.traces.faults import Fault, UsageError
from repair_bench.traces.record.printable import printable

MAX_BYTES = 1 << 20
"""The maximum size of a request's body."""
BODY_SECONDS = 30.0
"""The time limit for receiving a request's body."""
REPLY_SECONDS = 30.0
"""The time limit for a client to read a reply."""
_ANSWER_SECONDS = 1_800.0  # to judge an answer, including the wait for the sandbox
_IDLE_CONNECTION_SECONDS = 75.0  # after which a connection without a complete request is closed
_REQUESTS_PER_ROLLOUT = 2  # requests in each phase (arriving, handled, leaving) per rollout that may be open
_MAX_ERROR = 500  # characters; an error may quote the request
_logger = logging.getLogger(__name__)
_silenced = logging.getLogger(f"{__name__}.silenced")  # for aiohttp, which logs a traceback per unreadable request
_silenced.setLevel(logging.CRITICAL)

Handler = Callable[[web.Request], Awaitable[Any]]


@dataclass(frozen=True)
class Bounds:
    """The maximum number of open rollouts, and the number of seconds after which an idle rollout expires."""

    rollouts: int = 256
    expires: float = 1_800.0


@dataclass
class _OpenRollout:
    id: str
    rollout: Rollout
    touched: float
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    text: str | None = None
    last: dict[str, Any] | None = None

    def state(self) -> dict[str, Any]:
        rollout = self.rollout
        return {
            "id": self.id,
            "attempt": len(rollout.attempts),
            "messages": rollout.messages,
            "done": rollout.done,
            "solved": rollout.solved if rollout.done else None,
            "use_of_feedback": rollout.use_of_feedback if rollout.done else None,
        }


class Service:
    def __init__(self, rollouts: Rollouts, bounds: Bounds, clock: Callable[[], float] = time.monotonic) -> None:
        self._rollouts = rollouts
        self._bounds = bounds
        self._clock = clock
        self._open_rollouts: dict[str, _OpenRollout] = {}
        self._max_requests = _REQUESTS_PER_ROLLOUT * bounds.rollouts
        self._requests = 0
        """The number of requests that have arrived completely and whose replies are not complete yet."""
        self._arriving = _Waits(self._max_requests)
        self._leaving = _Waits(self._max_requests)
        self._handling: set[asyncio.Task[Any]] = set()
        self._ending = False

    def application(self, *, local: bool) -> web.Application:
        """Return the aiohttp application. `local`: reject other `Host` headers, against DNS rebinding."""
        self._local = local
        app = web.Application(client_max_size=MAX_BYTES, middlewares=[self._guarded])
        app.on_shutdown.append(self._end)
        app.router.add_get("/", self._about)
        app.router.add_get("/tasks", self._tasks)
        app.router.add_post("/rollouts", self._open)
        app.router.add_get("/rollouts/{id}", self._state)
        app.router.add_post("/rollouts/{id}/answers", self._answer)
        app.router.add_delete("/rollouts/{id}", self._drop)
        return app

    async def _end(self, _: web.Application) -> None:
        """Refuse the requests in progress, so that their clients learn why the connection is closing."""
        self._ending = True
        for task in self._handling:
            task.cancel()

    async def _about(self, _: web.Request) -> web.Response:
        self._sweep()
        return web.json_response({
            "service": "repair-bench",
            "version": __version__,
            "tasks": len(self._rollouts.tasks()),
            "conditions": self._rollouts.conditions,
            "max_attempts": self._rollouts.max_attempts,
            "rollouts": len(self._open_rollouts),
            "most_rollouts": self._bounds.rollouts,
            "expires_seconds": self._bounds.expires,
        })  # fmt: skip

    async def _tasks(self, _: web.Request) -> web.Response:
        return web.json_response(self._rollouts.tasks())

    async def _open(self, request: web.Request) -> web.Response:
        given = await _body(
            request, {"task_id": str}, {"suite": str, "framework": str, "condition": str, "sample": int}
        )
        rollout = self._rollouts.open(**given)
        self._sweep()
        self._make_room()
        opened = _OpenRollout(secrets.token_hex(8), rollout, self._clock())
        self._open_rollouts[opened.id] = opened
        return web.json_response(opened.state(), status=201)

    async def _state(self, request: web.Request) -> web.Response:
        opened = self._find(request)
        return web.json_response({**opened.state(), "last": opened.last})

    async def _drop(self, request: web.Request) -> web.Response:
        opened = self._find(request)
        del self._open_rollouts[opened.id]
        return web.Response(status=204)

    async def _answer(self, request: web.Request) -> web.Response:
        opened = self._find(request)
        given = await _body(request, {"text": str}, {"attempt": int, "finish_reason": str})
        text, attempt = given["text"], given.get("attempt")
        async with asyncio.timeout(_ANSWER_SECONDS), opened.turn:
            due = len(opened.rollout.attempts)
            if attempt is not None and attempt == due - 1 and text == opened.text:
                return web.json_response(opened.last)
            if opened.rollout.done or attempt not in (None, due):
                state = "the rollout has ended" if opened.rollout.done else f"attempt {due} is due"
                raise _Refused(409, f"{state}: see GET /rollouts/{opened.id}")
            try:
                answered = await opened.rollout.answer(text, finish_reason=given.get("finish_reason"))
            finally:
                opened.touched = self._clock()
            opened.text = text
            opened.last = {
                "verdict": answered.verdict,
                "reward": answered.reward,
                "feedback": answered.feedback,
                **opened.state(),
            }
            return web.json_response(opened.last)

    def _find(self, request: web.Request) -> _OpenRollout:
        self._sweep()
        opened = self._open_rollouts.get(request.match_info["id"])
        if opened is None:
            raise _Refused(404, f"unknown rollout; rollouts expire after {self._bounds.expires:g} s without a request")
        opened.touched = self._clock()
        return opened

    def _sweep(self) -> None:
        oldest = self._clock() - self._bounds.expires
        for opened in [*self._open_rollouts.values()]:
            if opened.touched < oldest and not opened.turn.locked():
                del self._open_rollouts[opened.id]

    def _make_room(self) -> None:
        """Drop the oldest completed rollout if too many rollouts are open.

        Raises _Refused if all open rollouts are still in progress.
        """
        if len(self._open_rollouts) < self._bounds.rollouts:
            return
        for opened in self._open_rollouts.values():
            if opened.rollout.done and not opened.turn.locked():
                del self._open_rollouts[opened.id]
                return
        raise _Refused(429, f"{self._bounds.rollouts} rollouts are open (the maximum): close one, or try again later")

    @web.middleware
    async def _guarded(self, request: web.Request, handler: Handler) -> web.Response:
        """Check the host, limit concurrent requests, and reply to every request with JSON."""
        if self._local and not _names_this_machine(request.host):
            return _refusal(403, f"this service only accepts requests to localhost, not to {request.host[:80]!r}")
        if (refusal := await self._arrival(request)) is not None:
            return refusal
        if self._requests >= self._max_requests:
            return _refusal(429, "too many requests at once: try again later")
        self._requests += 1
        try:
            reply = await self._reply(request, handler)
        finally:
            self._requests -= 1
        await self._send(request, reply)
        return reply

    async def _arrival(self, request: web.Request) -> web.Response | None:
        """Wait until aiohttp has received and cached the body of a request.

        Return an error response if the body does not arrive completely and in time.
        """
        try:
            async with self._arriving.wait(BODY_SECONDS):
                await request.read()
        except TimeoutError:
            return _refusal(408, f"the body did not arrive within {BODY_SECONDS:g} s, or newer requests took priority")
        except web.HTTPException as error:
            return _refusal(error.status, error.reason)
        except (web.RequestPayloadError, ConnectionError):
            return _refusal(400, "the body is incomplete, or its encoding does not match its headers")
        return None

    async def _send(self, request: web.Request, reply: web.Response) -> None:
        await reply.prepare(request)
        try:
            async with self._leaving.wait(REPLY_SECONDS):
                await reply.write_eof()
        except (TimeoutError, ConnectionError):
            if request.transport is not None:
                request.transport.abort()

    async def _reply(self, request: web.Request, handler: Handler) -> web.Response:
        """Return the handler's reply, or the reason for its failure, as JSON."""
        task = asyncio.current_task()
        assert task is not None
        self._handling.add(task)
        try:
            reply: web.Response = await handler(request)
        except asyncio.CancelledError:
            if not self._ending:
                raise
            task.uncancel()
            return _refusal(503, "the service is shutting down")
        except _Refused as refused:
            return _refusal(refused.status, refused.words)
        except UsageError as error:
            return _refusal(400, str(error))
        except Fault as fault:
            return _refusal(503, f"infrastructure error ({fault.boundary}); you may send the answer again: {fault}")
        except TimeoutError:
            return _refusal(503, "time limit exceeded; the answer does not count, and you may send it again")
        except web.HTTPException as error:
            return _refusal(error.status, error.reason)
        except Exception as error:
            _logger.exception("an internal error occurred in repair-bench serve")
            return _refusal(500, f"internal error; the answer does not count: {error!r}")
        else:
            return reply
        finally:
            self._handling.discard(task)


class _Waits:
    """A limit (`maximum`) on how many slow clients the service waits for at the same time.

    If a new wait would exceed the limit, the service ends the longest current wait. Slow clients therefore cannot block
    other clients.
    """

    def __init__(self, maximum: int) -> None:
        self._maximum = maximum
        self._waits: dict[asyncio.Timeout, None] = {}

    @asynccontextmanager
    async def wait(self, seconds: float) -> AsyncIterator[None]:
        """Return a context manager that limits a connection's wait to `seconds`.

        Raises TimeoutError after `seconds`. If a new wait would bring the number of waits above the maximum, the
        longest current wait raises TimeoutError immediately.
        """
        if len(self._waits) >= self._maximum:
            oldest = next(iter(self._waits))
            del self._waits[oldest]
            if not oldest.expired():
                oldest.reschedule(asyncio.get_running_loop().time())
        async with asyncio.timeout(seconds) as timeout:
            self._waits[timeout] = None
            try:
                yield
            finally:
                self._waits.pop(timeout, None)


class _Refused(Exception):  # noqa: N818 - a reply, not an error
    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status, self.words = status, words


def _refusal(status: int, words: str) -> web.Response:
    line = printable(" ".join(words.split()))
    if len(line) > _MAX_ERROR:
        line = line[: _MAX_ERROR - 3] + "..."
    return web.json_response({"error": line}, status=status, headers={"Retry-After": "1"} if status == 429 else None)


async def _body(request: web.Request, needed: dict[str, type], optional: dict[str, type]) -> dict[str, Any]:
    """Return the fields of a request's JSON object; a null field counts as absent."""
    if request.content_type != "application/json":  # web pages cannot send it to other hosts unasked
        raise _Refused(415, "send JSON: Content-Type: application/json")
    try:
        given = json.loads(await request.read())
    except (ValueError, RecursionError):
        raise _Refused(400, "the body is not JSON") from None
    if not isinstance(given, dict):
        raise _Refused(400, "the body is not a JSON object")
    fields = needed | optional
    for name, value in given.items():
        if name not in fields:
            raise _Refused(400, f"unknown field {name[:80]!r}: choose from {', '.join(fields)}")
        if type(value) is not fields[name] and (value is not None or name in needed):
            raise _Refused(400, f"{name} must be {'a string' if fields[name] is str else 'an integer'}")
    if missing := [name for name in needed if name not in given]:
        raise _Refused(400, f"{missing[0]} is missing")
    return {name: value for name, value in given.items() if value is not None}


def is_local(host: str) -> bool:
    """Whether an address can be reached only from this machine."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _names_this_machine(host: str) -> bool:
    try:
        return is_local(urlsplit(f"//{host}").hostname or "")
    except ValueError:
        return False


@asynccontextmanager
async def served(rollouts: Rollouts, host: str, port: int, bounds: Bounds) -> AsyncIterator[str]:
    """Serve the rollouts and yield the address. `port`: 0 for a free one. Raises UsageError if the port is unusable."""
    app = Service(rollouts, bounds).application(local=is_local(host))
    runner = web.AppRunner(
        app, access_log=None, logger=_silenced, keepalive_timeout=_IDLE_CONNECTION_SECONDS, shutdown_timeout=1.0
    )
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            raise UsageError(
                f"cannot listen on {host}:{port}: {error.strerror or error}. Choose another --port"
            ) from None
        address = runner.addresses[0]
        name = f"[{address[0]}]" if ":" in address[0] else address[0]
        yield f"http://{name}:{address[1]}"
    finally:
        await runner.cleanup()
