"""Grading throughput against cores: on this machine, and on a Ray cluster of several nodes.

    python benchmarks/scaling.py [--quick] [--json FILE]

The same references of the built-in suite, executed and judged, with 1, 2 and 4 programs at once, more than there are
cores too. The cluster is a real one on this machine: a head node without cores, and nodes with one core
each, whose processes have the priority of the others. A figure is the median of rounds in which all ways take turns,
one program at once on this machine among them: the ratios are to that one. The cluster has no cores but those of this
machine, so its columns show what Ray costs.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from common import parse, references, report

from repair_bench.executors.options import Backend, ExecutorOptions
from repair_bench.suites.task import Task

AT_ONCE = (1, 2, 4)
ROUNDS, PROGRAMS = 5, 120
IN_FLIGHT = 32
NODE = {"node_ip_address": "127.0.0.1", "object_store_memory": 100 << 20}
STARTED = {"RAY_worker_niceness": "0", "RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""By default Ray gives way to all other processes; and the last one keeps it to the loopback interface."""


@contextmanager
def cluster(nodes: int) -> Iterator[str]:
    """The address of a cluster of so many nodes with one core each."""
    from ray.cluster_utils import Cluster

    started = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False, **NODE})
    try:
        for _ in range(nodes):
            started.add_node(num_cpus=1, **NODE)
        yield started.address
    finally:
        started.shutdown()


async def grade(executor: Backend, tasks: list[Task]) -> float:
    """Execute and judge each reference; solutions a second. All have to pass."""
    gate = asyncio.Semaphore(IN_FLIGHT)

    async def one(task: Task) -> None:
        async with gate:
            outcome = await executor.run(task.check.program(task, str(task.reference)))
        verdict = task.check.judge(task, outcome)
        if verdict.kind != "pass":
            raise SystemExit(f"{task.id} in {task.framework}: {verdict.kind}, {verdict.evidence}")

    began = time.perf_counter()
    await asyncio.gather(*map(one, tasks))
    return len(tasks) / (time.perf_counter() - began)


def measure(ways: dict[str, Callable[[], Backend]], tasks: list[Task], rounds: int) -> dict[str, float]:
    """Solutions a second of each way: the median of rounds, in each of which every way has its turn."""
    found: dict[str, list[float]] = {way: [] for way in ways}
    with ExitStack() as stack:
        executors = {way: start() for way, start in ways.items()}
        for executor in executors.values():
            stack.callback(executor.shutdown)
            asyncio.run(grade(executor, tasks[: 2 * IN_FLIGHT]))  # all servers are warm
        for _ in range(rounds):
            for way, executor in executors.items():
                found[way].append(asyncio.run(grade(executor, tasks)))
    return {way: statistics.median(rates) for way, rates in found.items()}


def main() -> None:
    options = parse(__doc__)
    rounds, programs = (1, 60) if options.quick else (ROUNDS, PROGRAMS)
    suite = [task for task in references("aligned") if task.framework == "qiskit"]
    tasks = [suite[number % len(suite)] for number in range(programs)]
    os.environ.update(STARTED)  # read when Ray is imported
    rows: list[dict[str, Any]] = []
    for at_once in AT_ONCE:
        with cluster(at_once) as address:
            ways: dict[str, Callable[[], Backend]] = {
                "one": ExecutorOptions(workers=1).open,
                "machine": ExecutorOptions(workers=at_once).open,
                "ray": ExecutorOptions(backend="ray", ray_address=address).open,
            }
            rates = measure(ways, tasks, rounds)
        ratios = {way: round(rates[way] / rates["one"], 2) for way in ("machine", "ray")}
        rows.append(
            {
                "at once": at_once,
                "one at once /s": round(rates["one"], 1),
                "this machine /s": round(rates["machine"], 1),
                "times one": ratios["machine"],
                "Ray /s": round(rates["ray"], 1),
                "Ray, times one": ratios["ray"],
            }
        )
    report(f"Solutions graded a second: {programs} Qiskit references, median of {rounds} rounds", rows, options.json)


if __name__ == "__main__":
    main()
