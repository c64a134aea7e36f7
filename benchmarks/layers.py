"""CPU time and memory of a candidate for each layer of the sandbox.

    python benchmarks/layers.py [--quick] [--json FILE]

There is one executor per set of layers, from none to all. Each round runs the same candidate (a Bell pair) once on each
executor, in random order. The cost of a layer is the median difference from the previous set. On a busy machine this is
mostly noise; the CPU time of a fork server and its candidates, per candidate, is less noisy. Memory is the private
memory of a waiting candidate, measured with the fork server's objects frozen (`gc.freeze`), as usual, and unfrozen, so
that the garbage collector writes to all of them.
"""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from common import parse, references, report

from repair_bench.executors.fork_server import ForkServer
from repair_bench.executors.guest.sandbox.lockdown import LAYERS
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Program
from repair_bench.frameworks import FRAMEWORKS, PYTHON
from repair_bench.suites.task import Task

ROUNDS, QUICK = 300, 10
TARGETS = {"qiskit": 6.0, "pennylane": 10.0}
"""The maximum accepted cost of all layers together, in milliseconds."""
BELL = "16"
LINGER_SECONDS = 1.0


def costs(framework: str, program: Program, rounds: int, seed: int) -> list[dict[str, Any]]:
    """Return a row per set of layers: the median wall-clock time and the cost of its last layer, in ms."""
    sets = [LAYERS[:count] for count in range(len(LAYERS) + 1)]
    rng = random.Random(seed)
    with ExitStack() as stack:
        executors = []
        for layers in sets:
            executors.append(LocalExecutor(1, layers=layers))
            stack.callback(executors[-1].shutdown)
            asyncio.run(executors[-1].run(program))
        refused = {name: state for name, state in executors[-1].layers(framework).items() if state != "on"}
        servers = [executor._servers[framework].pid for executor in executors]  # noqa: SLF001
        before = [cpu_seconds(pid) for pid in servers]
        seconds: list[list[float]] = [[] for _ in sets]
        for _ in range(rounds):
            for index in rng.sample(range(len(sets)), len(sets)):
                seconds[index].append(clocked(executors[index], program))
        cpu = [1000 * (cpu_seconds(pid) - was) / rounds for pid, was in zip(servers, before, strict=True)]
    if refused:
        print(f"not available on this machine, so no cost is measured: {refused}")
    rows = []
    for index, layers in enumerate(sets):
        rows.append(
            {
                "framework": framework,
                "layers": f"+ {layers[-1]}" if layers else "none: the plain fork server",
                "median_ms": round(1000 * statistics.median(seconds[index]), 1),
                "p99_ms": round(1000 * statistics.quantiles(seconds[index], n=100)[98], 1),
                "added_ms": round(difference(seconds[index], seconds[index - 1]), 1) if index else None,
                "over_plain_ms": round(difference(seconds[index], seconds[0]), 1),
                "cpu_ms": round(cpu[index], 1),
                "cpu_over_plain_ms": round(cpu[index] - cpu[0], 1),
            }
        )
    return rows


def clocked(executor: LocalExecutor, program: Program) -> float:
    async def go() -> float:
        began = time.perf_counter()
        await executor.run(program)
        return time.perf_counter() - began

    return asyncio.run(go())


def difference(ours: list[float], theirs: list[float]) -> float:
    """Return the median of the differences within rounds, in ms."""
    return 1000 * statistics.median(one - other for one, other in zip(ours, theirs, strict=True))


def memories(tasks: dict[str, Task]) -> list[dict[str, Any]]:
    """Return one row per framework with Python programs, because these can wait during the measurement."""
    return [memory(task) for name, task in tasks.items() if FRAMEWORKS[name].language is PYTHON]


def memory(task: Task) -> dict[str, Any]:
    """Return the private memory, in MB, of a candidate's process after it has built and read its circuit."""
    row: dict[str, Any] = {"framework": task.framework}
    for name, thaw in (("frozen", ""), ("thawed", "gc.unfreeze(); ")):
        rest = f"{task.entry_point}()\n{thaw}gc.collect()\ntime.sleep({LINGER_SECONDS})\n"
        source = f"{task.reference}\nimport gc, time\n{rest}"
        executor = LocalExecutor(1)
        try:
            asyncio.run(executor.run(task.check.program(task, str(task.reference))))
            server = executor._servers[task.framework]  # noqa: SLF001
            row["server_rss_mb"] = megabytes(serving(server), "Rss")
            row[f"{name}_mb"] = asyncio.run(watched(executor, task.check.program(task, source), serving(server)))
        finally:
            executor.shutdown()
    return row


async def watched(executor: LocalExecutor, program: Program, server: int) -> float:
    """Return the peak private memory of a candidate's process."""
    running = asyncio.create_task(executor.run(program))
    most = 0.0
    while not running.done():
        for pid in children(server):
            most = max(most, megabytes(pid, "Private_Dirty"))
        await asyncio.sleep(0.02)
    outcome = running.result()
    assert outcome.status == "returned", outcome
    return most


def serving(server: ForkServer) -> int:
    """Return the forking process, which is a child of the started process."""
    return (children(server.pid) or [server.pid])[0]


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def cpu_seconds(pid: int) -> float:
    """Return the CPU seconds of a fork server and its candidates: the started process and its forking child."""
    ticks = 0
    for one in [pid, *children(pid)[:1]]:
        fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def megabytes(pid: int, name: str) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:  # it has just ended
        return 0.0
    return next((round(int(line.split()[1]) / 1024, 1) for line in lines if line.startswith(name + ":")), 0.0)


def main() -> int:
    options = parse(__doc__)
    if sys.platform != "linux":
        print("no sandbox layers are available on this system")
        return 0
    bell = {task.framework: task for task in references("aligned") if task.id == BELL}
    totals = []
    for framework in FRAMEWORKS:
        task = bell[framework]
        program = task.check.program(task, str(task.reference))
        rows = costs(framework, program, QUICK if options.quick else ROUNDS, options.seed)
        report(f"Cost of each layer per candidate, {framework}", rows, options.json)
        target = TARGETS.get(framework)
        reached = None if target is None else "yes" if rows[-1]["over_plain_ms"] < target else "no"
        totals.append(
            {
                "framework": framework,
                "all_layers_ms": rows[-1]["over_plain_ms"],
                "cpu_ms": rows[-1]["cpu_over_plain_ms"],
                "target_ms": target,
                "reached": reached,
            }
        )
    report("Median cost of all layers together", totals, options.json)
    report("Private memory of a candidate's process", memories(bell), options.json)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
