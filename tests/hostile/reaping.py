"""Kill a driver or its fork servers at random moments, and report the processes that survive.

    python reaping.py driver|server FRAMEWORK MOMENTS LAYER...

Prints one line of JSON per moment. Processes whose parent died become children of this process, so none is missed.
"""

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time

from surroundings import children, settled, state

from repair_bench.coroutines import run_to_end
from repair_bench.executors.guest.sandbox import syscalls
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Call, Limits, Program, UnitTest
from repair_bench.traces.faults import ExecutorError

LATEST = 0.7
"""Maximum seconds until the kill. Every other kill comes after the driver has started a server, which then enters its
namespaces and imports; the others come while the server runs candidates.
"""
GONE_SECONDS = 90.0
"""A server that imports its framework notices the end of its driver only after the imports."""
LIMITS = Limits(cpu_seconds=0.5, wall_seconds=1)
CHECK = "def check(answer): assert answer() == 1"
TEST = UnitTest(entry_point="answer", test=CHECK, function="check", passes_candidate=True)
SLEEPS = "import time\ndef answer(): time.sleep(600)"
SPINS = "def answer():\n    while True: pass"
QUICK = "def answer(): return 1"
MULTIPLIES = """
import os, subprocess, time
def answer():
    for start in (os.fork, lambda: subprocess.Popen(["/bin/sleep", "600"], start_new_session=True).pid):
        try:
            if start() == 0:
                os.setsid()
                os.fork()
                time.sleep(600)
        except OSError:
            continue
    time.sleep(0.2)
"""
"""Tries to start children and grandchildren in new sessions."""
CALL = Call("answer", "state")
IN_FLIGHT = [(SLEEPS, CALL), (SPINS, CALL), (MULTIPLIES, CALL), (SLEEPS, TEST), (QUICK, CALL), (QUICK, TEST)]


async def drive(framework: str, layers: list[str]) -> None:
    """Keep an executor busy forever."""

    async def again_and_again(source: str, call: Call | UnitTest) -> None:
        while True:
            try:
                await executor.run(Program(framework, source, call, LIMITS))
            except ExecutorError:  # its server was killed twice
                await asyncio.sleep(0.01)

    executor = LocalExecutor(workers=len(IN_FLIGHT), layers=layers)
    await asyncio.gather(*(again_and_again(*job) for job in IN_FLIGHT))


class Driver:
    """Start a process that drives an executor."""

    def __init__(self, framework: str, layers: list[str]) -> None:
        self._nested = any(name.endswith("_ns") for name in layers)
        self._process = subprocess.Popen([sys.executable, "-B", __file__, "drive", framework, "0", *layers])
        self.pid = self._process.pid

    def servers(self) -> list[int]:
        """Return the processes of the driver's fork server: one, or two with namespaces."""
        outer = children(self.pid)
        return outer + [pid for server in outer if self._nested for pid in children(server)]

    def candidates(self) -> list[int]:
        return [pid for pid in descendants(self.pid) if pid not in self.servers()]

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


def main(victim: str, framework: str, moments: int, layers: list[str]) -> None:
    syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
    for moment in range(moments):
        chance = random.Random(f"{victim} {framework} {moment}")
        driver = Driver(framework, layers)
        assert settled(driver.servers, GONE_SECONDS)
        if moment % 2:
            assert settled(lambda: len(driver.candidates()) > 2, GONE_SECONDS)  # noqa: B023 - called at once
        time.sleep(chance.uniform(0, LATEST))
        in_flight = len(driver.candidates())
        struck = driver.pid if victim == "driver" else chance.choice(driver.servers())
        family = {pid: born(pid) for pid in descendants(struck)}
        os.kill(struck, signal.SIGKILL)
        stray = []
        if victim == "server":
            settled(lambda: not left(family, driver.pid), GONE_SECONDS)  # noqa: B023
            stray = left(family, driver.pid)
            family = {}
        driver.kill()
        settled(lambda: not left(family), GONE_SECONDS)  # noqa: B023
        sys.stdout.write(json.dumps({"in_flight": in_flight, "left": stray + left(family)}) + "\n")


def left(family: dict[int, str], but: int = 0) -> list[str]:
    """Return the surviving descendants of a dead process and adopted orphans, and reap the dead ones."""
    orphans = [pid for pid in children(os.getpid()) if pid != but]
    for pid in orphans:
        os.waitpid(pid, os.WNOHANG)
    there = [pid for pid, when in family.items() if when and born(pid) == when and state(pid) not in "ZX"]
    return [f"{pid} {state(pid)}" for pid in {*there, *orphans} if state(pid) != "X"]


def descendants(pid: int) -> list[int]:
    below = children(pid)
    return below + [further for child in below for further in descendants(child)]


def born(pid: int) -> str:
    """Return the start time of a process in clock ticks, as its number may be reused. Empty after its end."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[19]
    except OSError:
        return ""


if __name__ == "__main__":
    what, framework, moments, *layers = sys.argv[1:]
    if what == "drive":
        run_to_end(drive(framework, layers))
    else:
        main(what, framework, int(moments), layers)
