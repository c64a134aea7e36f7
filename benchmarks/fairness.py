"""Effect of machine load on verdicts: eight concurrent candidates on two cores, compared with sequential execution.

    REPAIR_BENCH_DATASETS=DIR python benchmarks/fairness.py [--quick] [--json FILE]

The references of all suites, and programs that compute steadily, first run one by one. Then they run eight at a time,
once under the limits of the suites, and once with a limit of twice their sequential CPU seconds (at least one second).
A program that finishes sequentially and then exceeds a limit was affected by the load.

Finally up to 768 references run while eight other processes compute. Programs that are killed, starved or exceed a
limit only under this load are counted and listed.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from common import FOLDERS, parse, references, report

from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Call, Limits, Program
from repair_bench.suites.task import Task
from repair_bench.traces.faults import ExecutorError
from repair_bench.traces.record.records import Outcome

IN_FLIGHT, CORES = 8, 2
BUSY, MOST = 8, 768
HEADROOM = 2.0
MIN_SECONDS = 1.0
QUICK = 2
LONG_SECONDS = 5.0
"""References that take longer are excluded from the quick version."""
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
"""Programs whose work is proportional to the number."""
AMOUNTS = (8, 16, 24)


def work(amounts: Sequence[int] = AMOUNTS) -> dict[str, Program]:
    call = Call("answer", "state")
    return {
        f"{name} ({n})": Program("qiskit", source.format(n=n), call, Limits(cpu_seconds=60))
        for name, source in WORK.items()
        for n in amounts
    }


def programs(tasks: list[Task]) -> dict[str, Program]:
    return {f"{task.suite} {task.framework} {task.id}": task.check.program(task, str(task.reference)) for task in tasks}


async def run_all(executor: LocalExecutor, many: dict[str, Program], in_flight: int) -> dict[str, Outcome]:
    gate = asyncio.Semaphore(in_flight)

    async def one(name: str) -> tuple[str, Outcome]:
        async with gate:
            return name, await executor.run(many[name])

    return dict(await asyncio.gather(*map(one, many)))


@contextlib.contextmanager
def load(processes: int) -> Iterator[None]:
    """Start processes that only compute, each in its own session: the scheduler divides time between sessions."""
    command = [sys.executable, "-I", "-S", "-c", "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"]
    with contextlib.ExitStack() as stack:
        for _ in range(processes):
            process = stack.enter_context(subprocess.Popen(command, start_new_session=True))
            stack.callback(process.kill)
        yield


async def run_under_load(executor: LocalExecutor, many: dict[str, Program]) -> dict[str, Outcome | ExecutorError]:
    """Like `run_all`, but with one program per worker of the executor, and including infrastructure errors."""

    async def one(name: str) -> tuple[str, Outcome | ExecutorError]:
        try:
            return name, await executor.run(many[name])
        except ExecutorError as error:
            return name, error

    return dict(await asyncio.gather(*map(one, many)))


def ending(outcome: Outcome | ExecutorError) -> str:
    """Return how a program ended: its status, or an infrastructure error. `killed` is reported as `ProcessDied`."""
    if isinstance(outcome, ExecutorError):
        return "starved" if "given no core" in str(outcome) else "fault"
    return outcome.status


def beside_load(
    alone: dict[str, Outcome], loaded: dict[str, Outcome | ExecutorError]
) -> tuple[dict[str, Any], list[str]]:
    """Return a row, and a line per reference that ended differently from its sequential run."""
    other = {name: ending(outcome) for name, outcome in loaded.items() if ending(outcome) != ending(alone[name])}
    row: dict[str, Any] = {"references": len(loaded)}
    for kind in ("killed", "cpu_timeout", "wall_timeout", "starved", "fault"):
        row[kind] = sum(found == kind for found in other.values())
    return row, [f"under load {kind}, sequentially {ending(alone[name])}: {name}" for name, kind in other.items()]


def strict(program: Program, alone: Outcome) -> Program:
    """Return the program with a limit slightly above the time that it needs."""
    seconds = max(MIN_SECONDS, HEADROOM * (alone.cpu_seconds or 0))
    return replace(program, limits=replace(program.limits, cpu_seconds=seconds))


def main() -> int:
    options = parse(__doc__)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])  # inherited by its children
    alone, together, usual = LocalExecutor(workers=1), LocalExecutor(workers=IN_FLIGHT), LocalExecutor()
    rng = random.Random(options.seed)
    try:
        of_suites: dict[str, Program] = {}
        for name in ("aligned", *FOLDERS):
            tasks = references(name, alone.run)
            of_suites |= programs(rng.sample(tasks, min(QUICK, len(tasks))) if options.quick else tasks)
        many = work(AMOUNTS[:1] if options.quick else AMOUNTS) | of_suites
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
                f"{HEADROOM:g} times the sequential CPU time, at least {MIN_SECONDS:g} s",
                ran,
                asyncio.run(run_all(together, {n: strict(many[n], ran[n]) for n in names}, IN_FLIGHT)),
            ),
        ]
        chosen = [name for name in of_suites if name in single][:MOST]
        for framework in sorted({many[name].framework for name in chosen}):
            usual.layers(framework)  # started before the load
        with load(BUSY):
            loaded = asyncio.run(run_under_load(usual, {name: many[name] for name in chosen}))
    finally:
        for executor in (alone, together, usual):
            executor.shutdown()
    report(f"{IN_FLIGHT} concurrent candidates on {CORES} cores", [row for row, _ in rows], options.json)
    row, words = beside_load(single, loaded)
    report(f"{BUSY} busy processes in addition to the references on {CORES} cores", [row], options.json)
    print("\n".join([*(line for _, lines in rows for line in lines), *words]))
    return 0


def limited(outcome: Outcome) -> bool:
    return outcome.status in ("cpu_timeout", "wall_timeout")


def compared(name: str, alone: dict[str, Outcome], together: dict[str, Outcome]) -> tuple[dict[str, Any], list[str]]:
    """Return a row, and a line per candidate that timed out."""
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
    return row, [f"timed out: {n}: {alone[n].cpu_seconds:.2f} s sequentially" for n in late]


if __name__ == "__main__":
    raise SystemExit(main())
