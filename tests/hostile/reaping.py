"""Kills a driver, or its fork servers, at random moments, and tells which processes are still there long after.

    python reaping.py driver|server SEED MOMENTS LAYER...

Prints a line of JSON a moment. Processes whose parent died become children of this one: none can get out of sight.
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

from repair_bench.executors import Call, Limits, LocalExecutor, Program, UnitTest
from repair_bench.executors.guest import syscalls
from repair_bench.traces.faults import ExecutorError

LATEST = 1.5
"""Seconds up to which a moment comes after the servers were started: until then one is importing, the other is busy."""
GONE_SECONDS = 90.0
"""A server that is importing its framework sees only when it is done that its driver has gone."""
FOREVER = Limits(cpu_seconds=600, wall_seconds=600)
TEST = UnitTest("answer", "def check(answer): assert answer() == 1", "check", passes_candidate=True)
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
    time.sleep(600)
"""
"""Tries for children and grandchildren, in sessions of their own."""
CALL = Call("answer", "state")
IN_FLIGHT = [(SLEEPS, CALL), (SPINS, CALL), (MULTIPLIES, CALL), (SLEEPS, TEST), (QUICK, CALL), (QUICK, TEST)]


async def drive(layers: list[str]) -> None:
    """Keep an executor busy for ever."""

    async def again_and_again(framework: str, source: str, call: Call | UnitTest) -> None:
        while True:
            try:
                await executor.run(Program(framework, source, call, FOREVER))
            except ExecutorError:  # its server was killed, twice
                await asyncio.sleep(0.01)

    executor = LocalExecutor(workers=2 * len(IN_FLIGHT), layers=layers)
    await asyncio.gather(*(again_and_again(name, *job) for name in ("python", "qiskit") for job in IN_FLIGHT))


class Driver:
    """A process that drives an executor."""

    def __init__(self, layers: list[str]) -> None:
        self._nested = any(name.endswith("_ns") for name in layers)
        self._process = subprocess.Popen([sys.executable, "-B", __file__, "drive", "0", "0", *layers])
        self.pid = self._process.pid

    def servers(self) -> list[int]:
        """The processes that are its fork servers, those within the namespaces included."""
        outer = children(self.pid)
        return outer + [pid for server in outer if self._nested for pid in children(server)]

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


def main(victim: str, seed: str, moments: int, layers: list[str]) -> None:
    syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
    driver = None
    for moment in range(moments):
        chance = random.Random(f"{victim} {seed} {moment}")
        driver = driver or Driver(layers)
        assert settled(driver.servers, GONE_SECONDS)
        time.sleep(chance.uniform(0, LATEST))
        struck = [driver.pid] if victim == "driver" else chance.sample(driver.servers(), 1)
        family = {pid: born(pid) for top in struck for pid in descendants(top)}
        os.kill(struck[0], signal.SIGKILL)
        if victim == "driver":
            driver.kill()
            driver = None
        settled(lambda: not left(family, driver), GONE_SECONDS)
        told = {"moment": moment, "family": len(family), "left": left(family, driver)}
        print(json.dumps(told), flush=True)
    if driver is not None:
        driver.kill()
        settled(lambda: not left({}, None), GONE_SECONDS)
        print(json.dumps({"moment": "end", "family": 0, "left": left({}, None)}), flush=True)


def left(family: dict[int, str], driver: Driver | None) -> list[str]:
    """Of a dead process's family and of our own orphans those that are still there; the dead ones are reaped."""
    orphans = [pid for pid in children(os.getpid()) if driver is None or pid != driver.pid]
    for pid in orphans:
        os.waitpid(pid, os.WNOHANG)
    there = [pid for pid, when in family.items() if when and born(pid) == when and state(pid) not in "ZX"]
    return [f"{pid} {state(pid)}" for pid in {*there, *orphans} if state(pid) != "X"]


def descendants(pid: int) -> list[int]:
    below = children(pid)
    return below + [further for child in below for further in descendants(child)]


def born(pid: int) -> str:
    """When a process was started, in ticks of the clock: a number may be given again. Empty when it has gone."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[19]
    except OSError:
        return ""


if __name__ == "__main__":
    what, seed, moments, *layers = sys.argv[1:]
    if what == "drive":
        asyncio.run(drive(layers))
    else:
        main(what, seed, int(moments), layers)
