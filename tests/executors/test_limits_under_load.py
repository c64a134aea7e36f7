"""Limits on a busy machine: CPU seconds decide timeouts, and only a candidate that got no core is starved."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from plain_programs import plain, returned

from repair_bench.executors.conversation import Cancel, Transcript, converse
from repair_bench.executors.fork_server import ForkServer
from repair_bench.executors.outcomes import read_outcome, starved
from repair_bench.executors.program import Program

pytestmark = pytest.mark.slow  # these tests keep the machine busy

BURN = """
    import time
    def answer():
        while time.process_time() < {seconds}: pass
        return 1
"""
CROWD_ONE_CORE_THEN_SLEEP = """
    import hashlib, os, threading, time
    BLOCK = bytes(1 << 20)
    def burn(end):
        while time.monotonic() < end: hashlib.sha256(BLOCK).digest()
    def answer():
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        end = time.monotonic() + 0.9
        threads = [threading.Thread(target=burn, args=(end,)) for _ in range(8)]
        for thread in threads: thread.start()
        burn(end)
        time.sleep(60)
"""
"""The main thread waits for a core most of the time, because the program's other threads use it."""


RUN_WHEN_THE_CLOCK_TICKS = """
    import os, time
    def ticked(): return time.clock_gettime(~os.getpid() << 3)
    def answer():
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        while ticked() < 4.5 and time.process_time() < 0.9:
            before = ticked()
            while ticked() == before: pass
            tick, length = time.monotonic(), ticked() - before
            for beat in range(1, 51):
                time.sleep(max(0, tick + (beat - 0.08) * length - time.monotonic()))
                while time.monotonic() < tick + (beat + 0.05) * length: pass
        return ticked() / time.process_time()
"""
"""Runs for half a millisecond around each clock tick, but the kernel counts the whole 4 ms since the last tick."""


@contextlib.contextmanager
def load(processes: int) -> Iterator[None]:
    """Start busy processes. Each has its own session, because the scheduler shares cores between sessions."""
    command = [sys.executable, "-I", "-S", "-c", "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"]
    with contextlib.ExitStack() as stack:
        for _ in range(processes):
            process = stack.enter_context(subprocess.Popen(command, start_new_session=True))
            stack.callback(process.kill)
        yield


@contextlib.contextmanager
def one_core() -> Iterator[None]:
    """Make all processes that are started in this block share one core."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def once(server: ForkServer, program: Program) -> Transcript:
    """Return the outcome of one child, without the repetition by an executor."""
    with contextlib.closing(Cancel()) as cancel:
        return converse(server, program, cancel)


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer]:
    server = ForkServer("python", sys.executable)
    yield server
    server.close()


def test_a_candidate_within_its_cpu_seconds_is_not_stopped_under_load(server):
    program = plain(BURN.format(seconds=5.7), cpu_seconds=6)
    with load(8):
        transcript = once(server, program)
    outcome = read_outcome(program, transcript)
    assert returned(outcome) == "1"
    assert 5.7 <= outcome.cpu_seconds < 6


def test_overcounted_kernel_ticks_do_not_cause_a_timeout(server):
    program = plain(RUN_WHEN_THE_CLOCK_TICKS, cpu_seconds=0.99)
    outcome = read_outcome(program, once(server, program))
    assert float(returned(outcome)) > 2


def test_exceeding_the_limit_between_checks_is_a_timeout(server):
    fate = once(server, plain(BURN.format(seconds=0.03), cpu_seconds=0.02)).fate
    assert fate["killed"] == "cpu_timeout"


def test_the_kernels_cpu_limit_is_a_timeout(server):
    program = plain(BURN.format(seconds=30), cpu_seconds=0.5)
    found: list[Transcript] = []
    thread = threading.Thread(target=lambda: found.append(once(server, program)))
    thread.start()
    time.sleep(0.3)
    inner = _serving(server)
    os.kill(inner, signal.SIGSTOP)
    try:
        end = time.monotonic() + 60
        while not _ended(inner) and time.monotonic() < end:
            time.sleep(0.1)
    finally:
        os.kill(inner, signal.SIGCONT)
        thread.join()
    (transcript,) = found
    assert transcript.fate["exit"] == -signal.SIGKILL
    assert 0.5 < transcript.fate["cpu_seconds"] < 14  # the kernel counts whole ticks, and therefore counts too much
    assert read_outcome(program, transcript).status == "cpu_timeout"


@pytest.mark.parametrize("busy", [0, 8])
def test_waiting_for_its_own_threads_is_not_starvation(server, busy):
    program = plain(CROWD_ONE_CORE_THEN_SLEEP, wall_seconds=2)
    with load(busy):
        transcript = once(server, program)
    assert transcript.fate["killed"] == "wall_timeout"
    assert not starved(transcript)


def test_sleeping_on_a_busy_machine_is_not_starvation(server):
    with load(8):
        transcript = once(server, plain("import time\ndef answer(): time.sleep(60)", wall_seconds=1))
    assert transcript.fate["killed"] == "wall_timeout"
    assert not starved(transcript)


def test_a_ninth_of_a_core_is_starvation():
    with one_core(), contextlib.closing(ForkServer("python", sys.executable)) as server, load(8):
        transcript = once(server, plain(BURN.format(seconds=1.5), wall_seconds=2))
    assert transcript.fate["killed"] == "wall_timeout"
    assert starved(transcript), transcript.fate


def _serving(server: ForkServer) -> int:
    """Return the process that forks the candidates: with namespaces, a child of the started process."""
    below = _children(server.pid)
    inside = any(state == "on" for name, state in server.layers.items() if name.endswith("_ns"))
    return below[0] if inside else server.pid


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _ended(server: int) -> bool:
    """Return whether every child of a process is a zombie."""
    return all(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z" for pid in _children(server))
