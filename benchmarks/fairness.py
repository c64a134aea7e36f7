"""Whether a busy machine decides a verdict: eight candidates in flight on two cores, against the same ones alone.

    REPAIR_BENCH_DATASETS=DIR python benchmarks/fairness.py [--quick] [--json FILE]

The references of all suites, and programs of steady work, first run one by one. Then all run again with eight in
flight: under the suites' own limits, as a user has it, and with twice the CPU seconds that each took alone as its limit
(at least one second). What ends alone and then runs into a limit was judged by the machine.
"""

from __future__ import annotations

import asyncio
import os
import random
from dataclasses import replace
from typing import Any

from common import FOLDERS, parse, references, report

from repair_bench.executors import Call, Limits, LocalExecutor, Program
from repair_bench.suites.task import Task
from repair_bench.traces.records import Outcome

IN_FLIGHT, CORES = 8, 2
HEADROOM = 2.0
LEAST_SECONDS = 1.0
QUICK = 4
LONG_SECONDS = 5.0
"""A reference that takes longer stays out of the quick version."""
WORK = {
    "a loop in Python": "def answer():\n    total = 0\n    for i in range({n}00_000):\n        total += i * i % 7\n",
    "products of matrices": "import numpy as np\ndef answer():\n    a = np.ones((400, 400))\n"
    "    for _ in range({n}):\n        a = a @ a / 400\n",
    "copies of memory": "import numpy as np\ndef answer():\n    a = np.ones(4_000_000)\n"
    "    for _ in range({n}):\n        a = a[::-1].copy() + 1\n",
    "a transpilation": "from qiskit import transpile\nfrom qiskit.circuit.random import random_circuit\ndef answer():\n"
    "    for i in range({n}):\n        transpile(random_circuit(6, 40, seed=i), basis_gates=['rz', 'sx', 'cx'], "
    "optimization_level=2, seed_transpiler=0)\n",
}
"""Steady work of which there is twice as much for twice the number."""
AMOUNTS = (8, 16, 24)


def work() -> dict[str, Program]:
    call = Call("answer", "state")
    return {
        f"{name} ({n})": Program("qiskit", source.format(n=n), call, Limits(cpu_seconds=60))
        for name, source in WORK.items()
        for n in AMOUNTS
    }


def programs(tasks: list[Task]) -> dict[str, Program]:
    return {f"{task.suite} {task.framework} {task.id}": task.check.program(task, str(task.reference)) for task in tasks}


async def run_all(executor: LocalExecutor, many: dict[str, Program], in_flight: int) -> dict[str, Outcome]:
    gate = asyncio.Semaphore(in_flight)

    async def one(name: str) -> tuple[str, Outcome]:
        async with gate:
            return name, await executor.run(many[name])

    return dict(await asyncio.gather(*map(one, many)))


def strict(program: Program, alone: Outcome) -> Program:
    """The same program with little more time than it needs."""
    seconds = max(LEAST_SECONDS, HEADROOM * (alone.cpu_seconds or 0))
    return replace(program, limits=replace(program.limits, cpu_seconds=seconds))


def main() -> int:
    options = parse(__doc__)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])  # its children inherit it
    alone, together = LocalExecutor(workers=1), LocalExecutor(workers=IN_FLIGHT)
    rng = random.Random(options.seed)
    try:
        many = work()
        for name in ("aligned", *FOLDERS):
            tasks = references(name, alone.run)
            many |= programs(rng.sample(tasks, min(QUICK, len(tasks))) if options.quick else tasks)
        single = asyncio.run(run_all(alone, many, 1))
        if options.quick:
            single = {name: outcome for name, outcome in single.items() if (outcome.cpu_seconds or 0) < LONG_SECONDS}
        ran = {name: outcome for name, outcome in single.items() if not limited(outcome)}
        names = rng.sample(sorted(ran), len(ran))
        rows = [
            compared(
                "the suites' own limits", ran, asyncio.run(run_all(together, {n: many[n] for n in names}, IN_FLIGHT))
            ),
            compared(
                f"{HEADROOM:g} times what each took alone, at least {LEAST_SECONDS:g} s",
                ran,
                asyncio.run(run_all(together, {n: strict(many[n], ran[n]) for n in names}, IN_FLIGHT)),
            ),
        ]
    finally:
        alone.shutdown()
        together.shutdown()
    report(f"{IN_FLIGHT} candidates in flight on {CORES} cores", [row for row, _ in rows], options.json)
    for _, words in rows:
        print("\n".join(words))
    return 0


def limited(outcome: Outcome) -> bool:
    return outcome.status in ("cpu_timeout", "wall_timeout")


def compared(name: str, alone: dict[str, Outcome], together: dict[str, Outcome]) -> tuple[dict[str, Any], list[str]]:
    """A row, and a line for each candidate that timed out."""
    slower = [
        (together[name].cpu_seconds or 0) / outcome.cpu_seconds
        for name, outcome in alone.items()
        if outcome.cpu_seconds and outcome.cpu_seconds > 0.5 and outcome.status == together[name].status
    ]
    late = [name for name, outcome in together.items() if limited(outcome)]
    row = {
        "CPU limit": name,
        "candidates": len(alone),
        "above 0.5 s": len(slower),
        "CPU time, at most times": round(max(slower, default=0), 2),
        "timed out": len(late),
    }
    return row, [f"timed out: {n}: {alone[n].cpu_seconds:.2f} s alone" for n in late]


if __name__ == "__main__":
    raise SystemExit(main())
