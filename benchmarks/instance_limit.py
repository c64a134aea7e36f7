"""Effect of machine load on the verdicts of `horizon`: answers within 20% of the limit, at load 1 and at load 8.

    python benchmarks/instance_limit.py [--gradings 1000] [--quick] [--json FILE]

Each answer returns the hidden circuits of a task after a fixed amount of work. The amount is chosen on this machine so
that a call takes 0.8 to 1.2 times the limit, in normalised CPU seconds. Every answer is graded once by itself, and once
while seven other answers are being graded; the two verdicts are compared.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle, islice
from statistics import median
from typing import Any

from common import parse, report

from repair_bench.executors.local import LocalExecutor
from repair_bench.grading.judge import Judge, Judged
from repair_bench.suites.horizon.check import BudgetCheck
from repair_bench.suites.horizon.edition import Edition, every_family
from repair_bench.suites.horizon.loader import task_of
from repair_bench.suites.task import Task
from repair_bench.traces.record.records import Outcome

SECONDS = 0.5
"""The limit per instance: a quarter of the default, to save time. The margins are relative."""
QUICK = 3
BUSY = 8
NEAR = (0.8, 1.2)
PROBES = 5
WORK = {
    "a loop in Python": "def work(n):\n    total = 0\n    for i in range(n * 2_000):\n        total += i * i % 7\n",
    "products of matrices": "import numpy as np\ndef work(n):\n    a = np.ones((100, 100))\n"
    "    for _ in range(n * 4):\n        a = a @ a / 100\n",
    "sets of tuples": "def work(n):\n    seen = set()\n    for i in range(n * 300):\n"
    "        seen.add((i % 997, i * i % 1009))\n",
}
"""Programs whose work is proportional to the number."""
UNITS = 1_000
"""The amount of work whose time is measured first."""

_CALL = "\n\n_solve = solve\n\ndef solve(instance):\n    work({units})\n    return _solve(instance)\n"


def answer(task: Task, kind: str, units: int) -> str:
    return f"{task.reference}\n\n{WORK[kind]}{_CALL.format(units=units)}"


def seconds(judged: Judged) -> list[float]:
    """Return the normalised CPU seconds of the calls; a call that was stopped has the time of its end."""
    assert isinstance(judged.outcome, Outcome)
    return [case["cpu"] for case in judged.outcome.value["cases"] if case["cpu"] is not None]


async def at_once(judge: Judge, task: Task, codes: Sequence[str]) -> list[Judged]:
    return await asyncio.gather(*(judge.code(task, code) for code in codes))


def main() -> int:
    gradings: dict[str, Any] = {"type": int, "default": 1000, "metavar": "N", "help": "number of gradings per load"}
    options = parse(__doc__, gradings=gradings)
    count = QUICK if options.quick else options.gradings
    edition = Edition(instances=1, seconds=SECONDS, sizes=(6,))
    task = task_of(edition, every_family()["parity"], 6, "qiskit")
    assert isinstance(task.check, BudgetCheck)
    unlimited = replace(task, check=replace(task.check, seconds=60.0))
    executor, busy = LocalExecutor(workers=1), LocalExecutor(workers=BUSY)
    judge, rng = Judge(executor), random.Random(options.seed)
    try:
        per_unit = {}
        for kind in WORK:
            probes = [asyncio.run(judge.code(unlimited, answer(task, kind, UNITS))) for _ in range(PROBES)]
            per_unit[kind] = median(time for probe in probes for time in seconds(probe)) / UNITS
        chosen = [(kind, SECONDS * rng.uniform(*NEAR) / per_unit[kind]) for kind in islice(cycle(WORK), count)]
        codes = [answer(task, kind, round(units)) for kind, units in chosen]
        alone = [asyncio.run(judge.code(task, code)) for code in codes]
        loaded = asyncio.run(at_once(Judge(busy), task, codes))
    finally:
        executor.shutdown()
        busy.shutdown()
    rows = [row(kind, [i for i, (own, _) in enumerate(chosen) if own == kind], alone, loaded) for kind in WORK]
    report(f"verdicts on answers within 20% of the limit, at load 1 and load {BUSY}", rows, options.json)
    return 0


def row(kind: str, which: list[int], alone: list[Judged], loaded: list[Judged]) -> dict[str, Any]:
    def mean(judgements: list[Judged]) -> float:
        times = [time for i in which for time in seconds(judgements[i])]
        return round(sum(times) / len(times) / SECONDS, 3)

    def largest(judgements: list[Judged]) -> float:
        return round(max(max(seconds(judgements[i])) for i in which) / SECONDS, 3)

    return {
        "answers": kind,
        "gradings": 2 * len(which),
        "mean / limit, load 1": mean(alone),
        "load 8": mean(loaded),
        "largest / limit, load 1": largest(alone),
        "load 8 ": largest(loaded),
        "passed, load 1": sum(alone[i].verdict.kind == "pass" for i in which),
        "load 8  ": sum(loaded[i].verdict.kind == "pass" for i in which),
        "verdicts that differ": sum(alone[i].verdict.kind != loaded[i].verdict.kind for i in which),
    }


if __name__ == "__main__":
    raise SystemExit(main())
