"""A real HTTP server on 127.0.0.1 with the OpenAI chat-completions protocol, which follows a script.

A script is a list of replies, one per request in the order of arrival (the last one repeats), or a function from a
request to a reply. See the functions below for replies with errors.

    with ScriptedServer([rate_limited(retry_after=1), answer("ok")]) as server:
        ...  # query server.url
    assert len(server.asked) == 2

It runs in separate threads, so it serves asyncio tests, plain tests and child processes. Leaving the `with` block ends
every connection and every thread, including those that hang.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

MAX_WAIT = 30.0
"""Default maximum delay of a reply in seconds, after which a forgotten hang ends."""


@dataclass(frozen=True)
class ReceivedRequest:
    """A request as it arrived. `time`: of `time.monotonic()`. Header names are in lower case. `content`: the JSON body,
    or its bytes if it is not JSON.
    """

    number: int
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    time: float

    @property
    def messages(self) -> list[dict[str, str]]:
        return self.body["messages"]


@dataclass(frozen=True)
class Reply:
    """The bytes of a reply. `cut`: send this number of bytes of the body, then close. `reset`: send nothing. `endless`:
    repeat the body, with `pause` seconds in between, until the client leaves.
    """

    body: bytes = b""
    status: int = 200
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut: int | None = None
    reset: bool = False
    endless: bool = False
    pause: float = 0.0


Script = Sequence[Reply] | Callable[[ReceivedRequest], Reply]

USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


def answer(
    text: str | None,
    *,
    usage: dict[str, Any] | None = USAGE,
    finish_reason: str = "stop",
    delay: float = 0.0,
    model: str = "scripted",
    **message: Any,
) -> Reply:
    """Return a valid completion. `text=None` is a null content, `usage=None` omits the counts. `message`: further
    fields of the message.
    """
    whole = {"role": "assistant", "content": text, **message}
    choice = {"index": 0, "finish_reason": finish_reason, "message": whole}
    data = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": model, "choices": [choice]}
    if usage is not None:
        data["usage"] = usage
    return Reply(json.dumps(data).encode(), delay=delay)


def anthropic(*content: dict[str, Any], stop_reason: str = "end_turn", **usage: int) -> Reply:
    """Return a message in Anthropic's format. `usage`: its counts."""
    counts = {"input_tokens": 100, "output_tokens": 20, **usage}
    data: dict[str, Any] = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5"}
    data |= {"content": content, "stop_reason": stop_reason, "stop_sequence": None, "usage": counts}
    return Reply(json.dumps(data).encode())


def refused(status: int, message: str, /, *, headers: dict[str, str] | None = None, **fields: Any) -> Reply:
    """Return an error in OpenAI's format with any status. `fields`: `type`, `code`, `param` and others."""
    error = {"message": message, "type": "error", "code": None, "param": None, **fields}
    return Reply(json.dumps({"error": error}).encode(), status=status, headers=headers or {})


def rate_limited(retry_after: float | str | None = None) -> Reply:
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return refused(429, "Rate limit reached for requests", code="rate_limit_exceeded", headers=headers)


def server_error(status: int = 500) -> Reply:
    return refused(status, "The server had an error while processing your request")


def unauthorized(message: str = "Incorrect API key provided") -> Reply:
    return refused(401, message, code="invalid_api_key")


def unsupported(param: str) -> Reply:
    """Return status 400: the model does not support this parameter."""
    return refused(400, f"Unsupported parameter: '{param}' is not supported with this model.", param=param)


def redirect(location: str, status: int = 307) -> Reply:
    """Return a redirect; after 307 and 308 the request is sent unchanged to the other address."""
    return Reply(status=status, headers={"Location": location})


def cut_mid_body() -> Reply:
    """Return a valid completion whose connection closes halfway through the body."""
    reply = answer("lost on the way")
    return Reply(reply.body, cut=len(reply.body) // 2)


def reset() -> Reply:
    """Reset the connection before any header is sent."""
    return Reply(reset=True)


def html() -> Reply:
    """Return status 200 with a proxy's HTML page instead of JSON."""
    return Reply(b"<html><body><h1>Bad gateway</h1></body></html>", content_type="text/html")


def invalid_json() -> Reply:
    """Return status 200 with invalid JSON."""
    return Reply(b'{"choices": [{"message": ')


def hang() -> Reply:
    """Send nothing until the client gives up or the server stops."""
    return Reply(reset=True, delay=MAX_WAIT)


class ScriptedServer:
    """Serves one script. `url`: the `api_base` for a client; `asked`: the requests that arrived. `host`: a loopback
    address, in 127.0.0.0/8.
    """

    def __init__(self, script: Script, *, host: str = "127.0.0.1", longest_wait: float = MAX_WAIT) -> None:
        self._script = script
        self._host = host
        self._longest_wait = longest_wait
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._connections: set[socket.socket] = set()
        self.asked: list[ReceivedRequest] = []

    def __enter__(self) -> Self:
        self._server = _Server((self._host, 0), _Handler)
        self._server.owner = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), name="scripted-server")
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._server.shutdown()
        with self._lock:
            for connection in self._connections:
                _shut(connection)
        self._server.server_close()  # joins the threads of the connections
        self._thread.join(MAX_WAIT)

    @property
    def url(self) -> str:
        return f"http://{self.place}/v1"

    @property
    def place(self) -> str:
        """Its host and port."""
        return f"{self._host}:{self._server.server_port}"

    def reply_to(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Reply:
        with self._lock:
            asked = ReceivedRequest(len(self.asked), path, headers, body, time.monotonic())
            self.asked.append(asked)
        if callable(self._script):
            return self._script(asked)
        return self._script[min(asked.number, len(self._script) - 1)]

    def wait(self, seconds: float) -> None:
        self._stopping.wait(min(seconds, self._longest_wait))

    @property
    def stopping(self) -> bool:
        return self._stopping.is_set()

    def opened(self, connection: socket.socket) -> None:
        with self._lock:
            self._connections.add(connection)
            if self._stopping.is_set():
                _shut(connection)

    def closed(self, connection: socket.socket) -> None:
        with self._lock:
            self._connections.discard(connection)


def _shut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # the client was faster


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 128
    owner: ScriptedServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore broken connections, which are part of the script."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = MAX_WAIT
    disable_nagle_algorithm = True  # otherwise a body waits up to 40 ms for the client to acknowledge the headers
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.server.owner.opened(self.connection)

    def finish(self) -> None:
        self.server.owner.closed(self.connection)
        super().finish()

    def do_GET(self) -> None:
        self._reply({})

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"]))
        is_json = self.headers["Content-Type"] == "application/json"
        self._reply(json.loads(content) if is_json else {"content": content})

    def _reply(self, body: dict[str, Any]) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.server.owner.reply_to(self.path, headers, body)
        self.server.owner.wait(reply.delay)
        if reply.reset:
            self._reset()
            return
        self.send_response(reply.status)
        for name, value in {"Content-Type": reply.content_type, **reply.headers}.items():
            self.send_header(name, value)
        if reply.endless:
            self._send_for_ever(reply)
            return
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body if reply.cut is None else reply.body[: reply.cut])
        self.close_connection = self.close_connection or reply.cut is not None

    def _send_for_ever(self, reply: Reply) -> None:
        self.close_connection = True
        self.send_header("Connection", "close")
        self.end_headers()
        until = time.monotonic() + MAX_WAIT
        while time.monotonic() < until and not self.server.owner.stopping:
            self.wfile.write(reply.body)
            self.server.owner.wait(reply.pause)

    def _reset(self) -> None:
        # a linger of zero seconds makes close() send RST instead of FIN
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True

    def log_message(self, *_: Any) -> None:
        """Print nothing; tests read `asked`."""


def most_in_flight() -> tuple[Script, Callable[[], int]]:
    """Return a slow script, and a function that returns the maximum number of concurrent requests."""
    lock, now, most = threading.Lock(), 0, 0

    def script(_: ReceivedRequest) -> Reply:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.03)
        with lock:
            now -= 1
        return answer("ok")

    return script, lambda: most
