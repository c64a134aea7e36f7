"""Cost of watching a run: the delay until `repair-bench watch` shows 100,000 attempts, and the slowdown of the run.

    python benchmarks/watching.py [--quick] [--json FILE]

The delays are measured from the start of the command to the first frame on a terminal, and to the first frame of all
attempts. The run uses the real loop with a scripted model and recorded outcomes, which is the worst case because it
keeps all cores busy. A watch works briefly and then rests, so attempts are counted during its work, shortly afterwards,
and at rest. The slowdown is the difference from the rate in the surrounding seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pty
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from common import parse, report
from driving import drive, episodes
from loop import Answers, Recorded
from report_growth import make

from repair_bench.agent.models.base import Request
from repair_bench.executors.program import Program
from repair_bench.traces.faults import BudgetExhausted
from repair_bench.traces.record.records import Completion, Outcome

MOST = 1_000_000
"""The maximum number of attempts in a run, which is stopped before it reaches this number."""
LOOKS = 3
"""The number of first frames that are not counted, because the watch loads modules during them."""
EVERY = 0.02
"""Seconds between readings of the counters."""
AFTER = 0.1
"""Seconds by which a watch can delay an attempt."""
BLOCK = 8.0
"""Seconds over which the rate at rest is measured; the machine's speed drifts over longer times."""
PATIENCE = 300.0
"""Maximum seconds until a watch shows all attempts."""
WATCH = [sys.executable, "-m", "repair_bench", "watch"]
REPAIRS = 4


@contextlib.contextmanager
def watch(directory: Path) -> Iterator[tuple[bytearray, int]]:
    """Run a watch on a terminal of 80 columns until Ctrl-C. Yield the terminal's output and the process."""
    ours, theirs = pty.openpty()
    seen = bytearray()

    def read() -> None:
        with contextlib.suppress(OSError):  # the other end is closed
            while True:
                seen.extend(os.read(ours, 65536))

    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "LINES": "50"}
    command = [*WATCH, str(directory)]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        try:
            yield seen, process.pid
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)
            reader.join(60)
            os.close(ours)


def paint(directory: Path, total: int) -> dict[str, float]:
    """Return seconds to the first frame with rates and to the first frame of all attempts, each with CPU seconds."""
    began = time.perf_counter()
    found: dict[str, float] = {}
    with watch(directory) as (seen, pid):
        while "all" not in found:
            if time.perf_counter() - began > PATIENCE:
                raise TimeoutError(f"the watch has not shown {total:,} attempts within {PATIENCE:g} s")
            time.sleep(0.01)
            if b"Pass@1" in seen and "first" not in found:
                found |= {"first": time.perf_counter() - began, "first cpu": _cpu(pid)}
            if f"{total:,} attempts.".encode() in seen:
                found |= {"all": time.perf_counter() - began, "all cpu": _cpu(pid)}
    return found


class Counting(Recorded):
    """Counts executions."""

    ran = 0

    async def run(self, program: Program) -> Outcome:
        self.ran += 1
        return await super().run(program)


class Ending(Answers):
    """Answers until the run should end."""

    def __init__(self) -> None:
        super().__init__("print(1)")
        self.over = threading.Event()

    async def complete(self, request: Request) -> Completion:
        if self.over.is_set():
            raise BudgetExhausted("the turns are over")
        answer: Completion = await super().complete(request)
        return answer


@dataclass
class Moment:
    """The time between two readings. `work`: CPU seconds of the watch. `attempts`: attempts made by the run."""

    began: float
    seconds: float
    work: float
    attempts: int


def moments(seconds: float) -> list[Moment]:
    """Return the readings of a watched run of this length."""
    model, executor = Ending(), Counting()
    found: list[Moment] = []

    def take(directory: Path) -> None:
        try:
            with watch(directory) as (seen, pid):
                while seen.count(b"Pass@1") < LOOKS:
                    time.sleep(0.01)
                before = time.perf_counter(), _computed(pid), executor.ran
                began = before[0]
                while before[0] < began + seconds:
                    time.sleep(EVERY)
                    now = time.perf_counter(), _computed(pid), executor.ran
                    found.append(Moment(before[0], now[0] - before[0], now[1] - before[1], now[2] - before[2]))
                    before = now
        finally:
            model.over.set()

    with tempfile.TemporaryDirectory() as folder:
        taken = episodes(MOST // (REPAIRS + 1), "python", REPAIRS, model.name, tasks=100)
        watcher = threading.Thread(target=take, args=(Path(folder, "run"),))
        watcher.start()
        asyncio.run(drive(Path(folder, "run"), taken, model, executor, 16))
        watcher.join()
    return found


def missing(found: list[Moment]) -> list[tuple[float, float]]:
    """Return, for each block, the attempts lost while the watch worked, and those expected at rest."""
    late, blocks = 0.0, dict[int, list[tuple[Moment, bool]]]()
    for moment in found:
        if moment.work > 0.05 * moment.seconds:
            late = moment.began + moment.seconds + AFTER
        blocks.setdefault(int((moment.began - found[0].began) / BLOCK), []).append((moment, moment.began < late))
    made = []
    for block in blocks.values():
        rest = [moment for moment, at_work in block if not at_work]
        rate = sum(moment.attempts for moment in rest) / sum(moment.seconds for moment in rest)
        short = sum(rate * moment.seconds - moment.attempts for moment, at_work in block if at_work)
        made.append((short, rate * sum(moment.seconds for moment, _ in block)))
    return made


def _computed(pid: int) -> float:
    """Return the CPU seconds of a process, with nanosecond resolution."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def _cpu(pid: int | None) -> float:
    """Return the CPU seconds of another process."""
    if pid is None:
        return 0.0
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    options = parse(__doc__)
    total, paints = (5_000, 1) if options.quick else (100_000, 5)
    with tempfile.TemporaryDirectory() as folder:
        size = make(Path(folder, "run"), total)
        painted = [paint(Path(folder, "run"), total) for _ in range(paints)]
    row = {"attempts": total, "MiB": round(size / 2**20), "rounds": paints}
    for name, words in (("first", "s to the first frame"), ("all", "s to all attempts")):
        row[words] = round(statistics.median(one[name] for one in painted), 2)
        row[f"CPU {words}"] = round(statistics.median(one[f"{name} cpu"] for one in painted), 2)
    report("Delay of a watch", [row], options.json)

    seconds = 20.0 if options.quick else 400.0
    found = moments(seconds)
    blocks = missing(found)
    total = sum(made for _, made in blocks)
    row = {
        "seconds": seconds,
        "attempts a second": round(sum(moment.attempts for moment in found) / seconds, 1),
        "watch at work, %": round(100 * sum(moment.work for moment in found) / seconds, 2),
        "attempts lost to it, %": round(100 * sum(short for short, _ in blocks) / total, 2),
        "standard error": round(100 * statistics.stdev(short for short, _ in blocks) * len(blocks) ** 0.5 / total, 2),
    }
    report("Slowdown of a watched run", [row], options.json)


if __name__ == "__main__":
    main()
