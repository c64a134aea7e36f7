"""Repeated runs of a unit test in this process: first with a real candidate, then with its recorded messages."""

from __future__ import annotations

import contextlib
import copy
import os
import random
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from repair_bench.executors.conversation import call_fields, classes_of
from repair_bench.executors.guest.unit_tests.messages import Malformed, loads
from repair_bench.executors.guest.unit_tests.proxy import Ended, Peer
from repair_bench.executors.guest.unit_tests.stub import ServedTrial, StubbedTrial
from repair_bench.executors.program import UnitTest
from repair_bench.suites.checks import UnitTestCheck
from repair_bench.suites.task import Task

SECONDS = 20
"""The maximum CPU seconds per mutant, from its creation to its comparison."""


class Late(BaseException):
    """A test exceeded its time limit."""


class Recorded(Peer):
    """A peer that records the messages.

    `received`: from the candidate. `asked`: the calls of the test. `calls`: for each reply, the call that it answers.
    """

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.received: list[Any] = []
        self.asked: list[Any] = []
        self.calls: dict[int, Any] = {}
        self._open: list[Any] = []

    def send(self, message: Any) -> None:
        if "call" in message:
            self.asked.append(copy.deepcopy(message))
            self._open.append(self.asked[-1])
        super().send(message)

    def receive(self) -> Any:
        message = super().receive()
        if self._open and "call" not in message:
            self.calls[len(self.received)] = self._open.pop()
        self.received.append(copy.deepcopy(message))
        return message


class Replayed(Peer):
    """A peer that sends recorded messages."""

    def __init__(self, messages: list[bytes], **more: Any) -> None:
        super().__init__(-1, **more)
        self.messages = list(messages)
        self.calls: list[Any] = []

    def send(self, message: Any) -> None:
        if "call" in message:
            self.calls.append(message)

    def receive(self) -> Any:
        if not self.messages:
            self._end(Ended("no message left"))
        return self._read(loads, self.messages.pop(0))


class Trial(StubbedTrial):
    """The test's side, in this process and repeatable."""

    def __init__(self, task: Task, adapter: Any) -> None:
        assert isinstance(task.check, UnitTestCheck)
        call = task.check.program(task, task.reference or "").call
        assert isinstance(call, UnitTest)
        common = {"seed": task.seed, "entry_point": call.entry_point, "preamble": call.preamble}
        self.served = {**common, "source": task.check.program(task, task.reference or "").source}
        self.served |= {"given": classes_of(call.classes), "value_bytes": 1 << 24}
        request = {**common, **call_fields(call), "source": "", "imports": call.imports, "classes": call.classes}
        super().__init__({**request, "changes": call.changes}, adapter)
        self.prepare()
        self._states = random.getstate(), np.random.get_state()  # noqa: NPY002 - the generator that tests use
        self.peer: Any = None

    def _new_peer(self) -> Peer:
        return self.peer

    def record(self) -> tuple[bool, Recorded]:
        """Return whether the reference passes, and the recorded messages."""
        near, far = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            near.close()
            _serve(self.served, self._adapter, far.fileno())
        far.close()
        with near:
            self.peer = Recorded(near.fileno(), **self._of_peer())
            passed = self._passes()
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return passed, self.peer

    def replay(self, messages: list[bytes]) -> str:
        """Return the result of a test on these messages: "passed", "failed" or "malformed"."""
        self.peer = Replayed(messages, **self._of_peer())
        passed = self._passes()
        if isinstance(self.peer.ended, Malformed):
            return "malformed"
        return "passed" if passed else "failed"

    def _of_peer(self) -> dict[str, Any]:
        return {"classes": self._given, "seeds": self._seeds, "changes": self._request["changes"]}

    def _passes(self) -> bool:
        random.setstate(self._states[0])
        np.random.set_state(self._states[1])  # noqa: NPY002
        self._sown.clear()
        found = self._result("")
        return bool(found.get("value", {}).get("test") == "passed")


def _serve(request: dict[str, Any], adapter: Any, fd: int) -> None:
    try:
        with tempfile.TemporaryDirectory() as folder, Path(os.devnull).open("w") as nothing:
            os.chdir(folder)
            sys.stdout = sys.stderr = nothing
            trial = ServedTrial(request, adapter, fd)
            trial.prepare()
            trial.run()
    finally:
        os._exit(0)


@contextlib.contextmanager
def alarm() -> Iterator[None]:
    """Raise Late after `SECONDS`."""

    def late(*_: Any) -> None:
        raise Late

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
