"""The service over real HTTP on loopback: requests and replies of a trainer, and refusals."""

import asyncio
import contextlib
import dataclasses
import io
import os
import random
import signal
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import aiohttp
import pytest
from aiohttp.test_utils import TestServer

from repair_bench.agent.experiment.file import Experiment, Repair
from repair_bench.agent.training import service
from repair_bench.agent.training.rollout import Rollouts
from repair_bench.agent.training.service import MAX_BYTES, Bounds, Service, is_local, served
from repair_bench.cli.commands.run import serve_until_stopped
from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.options import ExecutorOptions
from repair_bench.executors.program import Program
from repair_bench.suites.task import Suite
from repair_bench.traces.faults import ExecutorError, UsageError
from repair_bench.traces.record.records import Outcome

RAISES = "```python\ndef Bell_State():\n    return missing\n```"
BELL = {"task_id": "16", "framework": "qiskit"}


class Slow:
    """An executor that waits for a signal, and may fail."""

    capacity = 1

    def __init__(self, executor: LocalExecutor) -> None:
        self.executor, self.runs, self.broken = executor, 0, False
        self.begun, self.gate = asyncio.Event(), asyncio.Event()

    async def run(self, program: Program) -> Outcome:
        self.runs += 1
        self.begun.set()
        await self.gate.wait()
        if self.broken:
            raise ExecutorError("no memory left")
        return await self.executor.run(program)


@pytest.fixture
def small(suite: Suite) -> Suite:
    return dataclasses.replace(suite, tasks=tuple(task for task in suite.tasks if task.id in ("16", "17")))


@pytest.fixture
def right(suite: Suite) -> str:
    task = next(task for task in suite.tasks if (task.id, task.framework) == ("16", "qiskit"))
    return f"```python\n{task.reference}```"


class Client:
    """Sends JSON, and reads the status and the JSON of the reply."""

    def __init__(self, session: aiohttp.ClientSession, address: str) -> None:
        self.session, self.address = session, address

    async def __call__(self, method: str, path: str, body: Any = None, **more: Any) -> tuple[int, Any]:
        async with self.session.request(method, f"{self.address}{path}", json=body, **more) as reply:
            return reply.status, await reply.json() if reply.status != 204 else None

    async def open(self, **task: Any) -> str:
        status, opened = await self("POST", "/rollouts", task or BELL)
        assert status == 201
        return opened["id"]


Talk = Callable[[Client], Awaitable[None]]


@pytest.fixture
def talk(small: Suite, executor: LocalExecutor) -> Callable[..., None]:
    """Connect a client to the service."""

    def run(talk: Talk, *, through: object = None, **bounds: Any) -> None:
        async def go() -> None:
            rollouts = Rollouts(Experiment(max_attempts=2), [small], through or executor)
            async with (
                served(rollouts, "127.0.0.1", 0, Bounds(**bounds)) as address,
                aiohttp.ClientSession() as session,
            ):
                await talk(Client(session, address))

        run_to_end(go())

    return run


@pytest.mark.slow
def test_complete_rollout_over_http(talk, right) -> None:
    async def trainer(ask: Client) -> None:
        status, tasks = await ask("GET", "/tasks")
        assert (status, len(tasks)) == (200, 6)
        status, opened = await ask("POST", "/rollouts", BELL)
        assert (status, opened["attempt"], opened["done"]) == (201, 0, False)
        answers = f"/rollouts/{opened['id']}/answers"
        status, failed = await ask("POST", answers, {"text": RAISES})
        assert (status, failed["verdict"], failed["reward"], failed["attempt"]) == (200, "exception", 0.0, 1)
        assert "NameError" in failed["feedback"]
        assert failed["messages"] == [
            *opened["messages"],
            {"role": "assistant", "content": RAISES},
            {"role": "user", "content": failed["feedback"]},
        ]
        status, passed = await ask("POST", answers, {"text": right, "attempt": 1})
        assert (status, passed["verdict"], passed["reward"], passed["done"]) == (200, "pass", 1.0, True)
        assert (passed["feedback"], passed["messages"], passed["solved"]) == (None, [], 1.0)
        assert passed["use_of_feedback"] == pytest.approx(2 / 3)
        assert (await ask("POST", answers, {"text": right}))[0] == 409
        status, state = await ask("GET", f"/rollouts/{opened['id']}")
        assert (status, state["last"]) == (200, passed)
        assert (await ask("DELETE", f"/rollouts/{opened['id']}"))[0] == 204
        assert (await ask("GET", f"/rollouts/{opened['id']}"))[0] == 404

    talk(trainer)


def test_repeated_answer_counts_once(talk, executor) -> None:
    slow = Slow(executor)

    async def trainer(ask: Client) -> None:
        answers = f"/rollouts/{await ask.open()}/answers"
        sent = [asyncio.create_task(ask("POST", answers, {"text": RAISES, "attempt": 0})) for _ in range(2)]
        await slow.begun.wait()
        slow.gate.set()
        (status, first), (_, second) = await asyncio.gather(*sent)
        assert (status, first["attempt"], second) == (200, 1, first)
        assert (await ask("POST", answers, {"text": RAISES, "attempt": 0}))[1] == first
        status, refused = await ask("POST", answers, {"text": "other", "attempt": 0})
        assert (status, "attempt 1 is due" in refused["error"]) == (409, True)

    talk(trainer, through=slow)
    assert slow.runs == 1


def test_answer_may_be_sent_again_after_a_fault(talk, executor, right) -> None:
    slow = Slow(executor)
    slow.gate.set()
    slow.broken = True

    async def trainer(ask: Client) -> None:
        answers = f"/rollouts/{await ask.open()}/answers"
        status, told = await ask("POST", answers, {"text": right, "attempt": 0})
        assert (status, "no memory left" in told["error"]) == (503, True)
        slow.broken = False
        assert (await ask("POST", answers, {"text": right, "attempt": 0}))[1]["reward"] == 1

    talk(trainer, through=slow)


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"task_id": "99"}, 400, "there is no task"),
        ({"task_id": "16"}, 400, "set suite and framework"),
        ({"task_id": 16}, 400, "task_id must be a string"),
        ({**BELL, "sample": True}, 400, "sample must be an integer"),
        ({**BELL, "seed": 1}, 400, "unknown field 'seed'"),
        ({}, 400, "task_id is missing"),
        ([BELL], 400, "not a JSON object"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_invalid_request_is_refused_with_the_reason(talk, body: Any, status: int, words: str) -> None:
    async def trainer(ask: Client) -> None:
        got, told = await ask("POST", "/rollouts", body)
        assert (got, words in told["error"]) == (status, True), told

    talk(trainer)


def test_error_quotes_only_part_of_a_request(talk) -> None:
    async def trainer(ask: Client) -> None:
        status, told = await ask("POST", "/rollouts", {"task_id": "9\n" * 100_000})
        assert (status, len(told["error"]), "\n" in told["error"]) == (400, 500, False)

    talk(trainer)


def test_missing_or_unreadable_body_is_refused(talk, monkeypatch) -> None:
    monkeypatch.setattr(service, "BODY_SECONDS", 0.05)
    json_follows = {"Content-Type": "application/json"}

    async def slow() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.sleep(60)

    async def trainer(ask: Client) -> None:
        assert (await ask("POST", "/rollouts", data=slow(), headers=json_follows))[0] == 408
        zipped = {**json_follows, "Content-Encoding": "gzip"}
        status, told = await ask("POST", "/rollouts", data=b"not zipped", headers=zipped)
        assert (status, "its encoding does not match" in told["error"]) == (400, True)
        assert (await ask("GET", "/"))[0] == 200

    talk(trainer)


def test_client_that_does_not_read_is_disconnected(talk, monkeypatch, capfd, caplog) -> None:
    """The reply is longer than the buffers of a connection. Other clients do not wait."""

    async def trainer(ask: Client) -> None:
        opened = await ask.open()
        for _ in range(2):
            await ask("POST", f"/rollouts/{opened}/answers", {"text": "\U0001f600" * 80_000})
        monkeypatch.setattr(service, "REPLY_SECONDS", 0.0)
        host, port = ask.address.removeprefix("http://").split(":")
        with socket.socket() as line:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            line.connect((host, int(port)))
            line.setblocking(False)
            line.send(f"GET /rollouts/{opened} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            assert (await ask("GET", "/"))[0] == 200
            read = bytearray()
            with contextlib.suppress(ConnectionError):
                while part := await asyncio.get_running_loop().sock_recv(line, 1 << 16):
                    read += part
        head, _, body = bytes(read).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200")
        assert len(body) < int(head.lower().split(b"content-length:")[1].split()[0])

    talk(trainer, rollouts=1)
    assert (capfd.readouterr(), caplog.records) == (("", ""), [])


@pytest.mark.parametrize("many", [2, 40])
def test_slow_bodies_do_not_block_other_clients(talk, right, many: int) -> None:
    async def trainer(ask: Client) -> None:
        rollout = await ask.open()
        host, port = ask.address.removeprefix("http://").split(":")
        head = b"POST /rollouts HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        lines = [await asyncio.open_connection(host, port) for _ in range(many)]
        for _, writer in lines:
            writer.write(head + b"Content-Length: 99\r\n\r\n{")
            await writer.drain()
        async with asyncio.timeout(service.BODY_SECONDS / 2):
            assert (await ask("GET", "/"))[0] == 200
            status, told = await ask("POST", f"/rollouts/{rollout}/answers", {"text": right})
        assert (status, told["verdict"]) == (200, "pass")
        for _, writer in lines:
            writer.close()

    talk(trainer, rollouts=1)


@pytest.mark.slow
def test_unread_replies_do_not_block_other_clients(talk) -> None:
    async def trainer(ask: Client) -> None:
        opened = await ask.open()
        for _ in range(2):
            await ask("POST", f"/rollouts/{opened}/answers", {"text": "\U0001f600" * 80_000})
        host, port = ask.address.removeprefix("http://").split(":")
        with contextlib.ExitStack() as lines:
            for _ in range(5):
                line = lines.enter_context(socket.socket())
                line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                line.connect((host, int(port)))
                line.send(f"GET /rollouts/{opened} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            async with asyncio.timeout(service.REPLY_SECONDS / 2):
                for _ in range(5):
                    await asyncio.sleep(0.05)
                    assert (await ask("GET", "/"))[0] == 200

    talk(trainer, rollouts=1)


def test_invalid_http_and_lost_clients_leave_no_traceback(talk, capfd, caplog) -> None:
    async def trainer(ask: Client) -> None:
        address = ask.address.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(*address)
        writer.write(b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n")
        assert (await reader.readline()).split()[1] == b"400"
        writer.close()
        _, writer = await asyncio.open_connection(*address)
        head = b"POST /rollouts HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        writer.write(head + b"Content-Length: 99\r\n\r\n{")
        await writer.drain()
        await ask("GET", "/")  # half of the reply was read by then
        writer.close()
        await writer.wait_closed()
        assert (await ask("GET", "/"))[0] == 200

    talk(trainer)
    assert capfd.readouterr() == ("", "")
    assert not caplog.records


def test_internal_error_is_reported_and_logged(talk, executor, caplog) -> None:
    class Broken:
        capacity = 1

        async def run(self, program: Program) -> Outcome:
            raise SystemError("out of order")

    async def trainer(ask: Client) -> None:
        answers = f"/rollouts/{await ask.open()}/answers"
        status, told = await ask("POST", answers, {"text": RAISES})
        assert (status, "SystemError('out of order')" in told["error"]) == (500, True)

    talk(trainer, through=Broken())
    assert "out of order" in caplog.text


def test_waiting_client_receives_503_at_shutdown(small: Suite, executor) -> None:
    slow = Slow(executor)

    async def go() -> None:
        async with aiohttp.ClientSession() as session:
            async with served(Rollouts(Experiment(), [small], slow), "127.0.0.1", 0, Bounds()) as address:
                ask = Client(session, address)
                answers = f"/rollouts/{await ask.open()}/answers"
                sent = asyncio.create_task(ask("POST", answers, {"text": RAISES}))
                await slow.begun.wait()
            status, told = await sent
            assert (status, "the service is shutting down" in told["error"]) == (503, True)

    run_to_end(go())


def test_invalid_json_is_refused(talk) -> None:
    async def trainer(ask: Client) -> None:
        for body, kind, status in (
            ("{", "application/json", 400),
            ("[" * 9999, "application/json", 400),
            ("{}", "text/plain", 415),
        ):
            headers = {"Content-Type": kind}
            got = await ask("POST", "/rollouts", data=body, headers=headers)
            assert got[0] == status, got
        long = io.BytesIO(b" " * (MAX_BYTES + 1))
        assert (await ask("POST", "/rollouts", data=long, headers={"Content-Type": "application/json"}))[0] == 413
        assert (await ask("GET", "/nowhere"))[0] == 404
        assert (await ask("PUT", "/rollouts"))[0] == 405

    talk(trainer)


def test_request_with_a_foreign_host_is_refused(talk) -> None:
    async def trainer(ask: Client) -> None:
        for host in ("evil.example:80", "localhost.evil.example", "10.0.0.1", "[::1", ""):
            assert (await ask("GET", "/", headers={"Host": host}))[0] == 403, host
        for host in ("localhost:80", "LOCALHOST", "127.0.0.1:80", "127.1.2.3:80", "[::1]:80"):
            assert (await ask("GET", "/", headers={"Host": host}))[0] == 200, host

    talk(trainer)


def test_number_of_open_rollouts_is_limited(talk, right) -> None:
    async def trainer(ask: Client) -> None:
        first, second = await ask.open(), await ask.open()
        status, told = await ask("POST", "/rollouts", BELL)
        assert (status, "2 rollouts are open" in told["error"]) == (429, True)
        await ask("POST", f"/rollouts/{first}/answers", {"text": right})
        await ask.open()  # the completed rollout was dropped
        assert (await ask("GET", f"/rollouts/{first}"))[0] == 404
        assert (await ask("GET", f"/rollouts/{second}"))[0] == 200
        assert (await ask("GET", "/"))[1]["rollouts"] == 2

    talk(trainer, rollouts=2)


def test_idle_rollout_expires_unless_it_is_being_judged(small: Suite, executor) -> None:
    now, slow = [0.0], Slow(executor)

    async def go() -> None:
        rollouts = Rollouts(Experiment(max_attempts=2), [small], slow)
        app = Service(rollouts, Bounds(expires=10), clock=lambda: now[0]).application(local=True)
        async with TestServer(app) as server, aiohttp.ClientSession() as session:
            ask = Client(session, str(server.make_url("")).rstrip("/"))
            idle, busy = await ask.open(), await ask.open()
            sent = asyncio.create_task(ask("POST", f"/rollouts/{busy}/answers", {"text": RAISES}))
            await slow.begun.wait()
            now[0] = 11.0
            assert (await ask("GET", f"/rollouts/{idle}"))[0] == 404
            slow.gate.set()
            assert (await sent)[0] == 200
            assert (await ask("GET", f"/rollouts/{busy}"))[0] == 200

    run_to_end(go())


def test_used_address_is_a_usage_error(small: Suite) -> None:
    async def go() -> None:
        rollouts = Rollouts(Experiment(), [small], None)
        async with (
            served(rollouts, "127.0.0.1", 0, Bounds()) as address,
            served(rollouts, "127.0.0.1", int(address.rpartition(":")[2]), Bounds()),
        ):
            pytest.fail("two share an address")

    with pytest.raises(UsageError, match="Choose another --port"):
        run_to_end(go())


def test_loopback_addresses_are_local() -> None:
    assert [is_local(host) for host in ("127.0.0.1", "127.1.2.3", "::1", "localhost")] == [True] * 4
    assert [is_local(host) for host in ("0.0.0.0", "10.0.0.1", "::", "example.org")] == [False] * 4


def test_public_address_prints_a_warning(cli) -> None:
    done = cli("serve", "--host", "0.0.0.0", "--suite", "nowhere")
    assert (done.returncode, "WARNING: every client that can reach 0.0.0.0" in done.stderr) == (2, True)
    assert "WARNING" not in cli("serve", "--suite", "nowhere").stderr


@pytest.mark.slow
def test_service_can_be_stopped_while_loading(capfd) -> None:
    """The placebo requires a failure of each other task, made before the service starts."""

    async def go() -> None:
        asyncio.get_running_loop().call_soon(
            os.kill, os.getpid(), signal.SIGTERM
        )  # called when it waits for the first time
        experiment = Experiment(frameworks=("qiskit",), repair=Repair(feedback=("shuffled",)))
        await serve_until_stopped(experiment, None, ExecutorOptions(workers=1), "127.0.0.1", 0, Bounds())

    run_to_end(go())
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_concurrent_rollouts_are_all_completed(talk, right) -> None:
    """Each of sixteen concurrent rollouts fails as often as its number, and then passes."""

    async def one(ask: Client, number: int) -> None:
        answers = f"/rollouts/{await ask.open()}/answers"
        for attempt in range(3):
            text = right if attempt == number % 3 else RAISES
            status, told = await ask("POST", answers, {"text": text, "attempt": attempt})
            assert (status, told["reward"], told["attempt"]) == (200, float(text == right), attempt + 1)
            if told["done"]:
                assert attempt == number % 3
                return
            await asyncio.sleep(random.Random(number).random() / 20)
        pytest.fail("it never ended")

    async def trainer(ask: Client) -> None:
        await asyncio.gather(*(one(ask, number) for number in range(16)))
        assert (await ask("GET", "/"))[1]["rollouts"] == 16

    talk(trainer, rollouts=16)
