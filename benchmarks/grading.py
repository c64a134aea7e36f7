"""Speed of `repair-bench grade`, compared with one fresh interpreter per solution on the same cores.

    REPAIR_BENCH_DATASETS=DIR python benchmarks/grading.py [--quick] [--json FILE]

The solutions are the references. The command grades them in isolation, with all layers of the sandbox. Its start-up
time, the time that it takes for one solution, is reported separately. Each fresh interpreter receives the same
candidate and the same test, or reads the same circuit, without a sandbox. The number of concurrent interpreters equals
the command's workers; half of the interpreters run before the command and half after it. For large sets of solutions,
both use a seeded sample. The ratio of CPU seconds is less sensitive to other load on the machine.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common import FOLDERS, FreshInterpreters, data_of, fresh_interpreters, parse, references, report

from repair_bench.executors.local import WORKERS
from repair_bench.suites.task import Task

STARTS = 3
APART = "tutorials/RandomNumberGeneration/1"
"""A task that takes as long as a hundred other tasks."""
TARGETS = {
    ("quantum-katas", "qiskit"): (12, 349, 349),
    ("aligned", "qiskit"): (25, 500, 42),
    ("aligned", "cirq"): (60, 500, 42),
    ("aligned", "pennylane"): (60, 500, 42),
}
"""For each suite and framework: the required ratio, the number of graded solutions (repeated if there are fewer), and
how many of them run in fresh interpreters."""
QUICK = 12


@dataclass(frozen=True)
class Took:
    """Wall-clock seconds, and CPU seconds of all processes."""

    clock: float
    cpu: float

    def __add__(self, other: Took) -> Took:
        return Took(self.clock + other.clock, self.cpu + other.cpu)

    def each(self, count: int) -> Took:
        return Took(self.clock / count, self.cpu / count)


@contextmanager
def timed() -> Iterator[list[Took]]:
    """Measure the processes that the context starts and waits for."""
    found: list[Took] = []
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    yield found
    after, ended = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    found.append(Took(ended - began, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))


def grade(folder: Path, suite: str, tasks: list[Task]) -> tuple[Took, list[dict[str, Any]]]:
    """Return the time of one command, and its output."""
    solutions, verdicts = folder / "solutions.jsonl", folder / "verdicts.jsonl"
    lines = [{"task_id": task.id, "framework": task.framework, "code": task.reference} for task in tasks]
    solutions.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    verdicts.unlink(missing_ok=True)
    command = [sys.executable, "-m", "repair_bench", "grade", solutions, "--suite", suite, "--out", verdicts]
    command += ["--require-sandbox", "strict"]
    if suite in FOLDERS:
        command += ["--data", str(data_of(suite))]
    with timed() as took:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return took[0], [json.loads(line) for line in verdicts.read_text(encoding="utf-8").splitlines()]


def compare(
    name: str, tasks: list[Task], count: int, sample: int, fresh: FreshInterpreters, seed: int
) -> dict[str, Any]:
    """Return a row of the table. `count`: graded solutions. `sample`: those run in fresh interpreters."""
    rng = random.Random(seed)
    chosen = rng.sample(tasks, min(sample, len(tasks)))
    many = [chosen[i % len(chosen)] for i in range(count)]
    programs = [task.check.program(task, str(task.reference)) for task in chosen]
    half = len(programs) // 2
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        fresh.run(programs[0])  # loads the files into the page cache
        with timed() as before:
            ended = fresh.run_all(programs[:half], WORKERS)
        starts = sorted((grade(folder, name, chosen[:1])[0] for _ in range(STARTS)), key=lambda took: took.clock)
        took, lines = grade(folder, name, many)
        with timed() as after:
            ended += fresh.run_all(programs[half:], WORKERS)
    start = starts[STARTS // 2]
    apart = (before[0] + after[0]).each(len(programs))
    each = Took(took.clock - start.clock, took.cpu - start.cpu).each(len(many) - 1)
    return {
        "suite": name,
        "framework": chosen[0].framework,
        "graded": len(many),
        "passed": sum(line["verdict"] == "pass" for line in lines),
        "start, s": round(start.clock, 1),
        "each, ms": round(1000 * each.clock, 1),
        "fresh": len(programs),
        "ended well": sum(one.code == 0 for one in ended),
        "fresh each, ms": round(1000 * apart.clock, 1),
        "ratio": round(apart.clock / each.clock, 1),
        "CPU ratio": round(apart.cpu / each.cpu, 1),
    }


def main() -> int:
    options = parse(__doc__)
    suites = {name: references(name) for name in ("quantum-katas", "aligned")}
    rows = []
    with fresh_interpreters() as fresh:
        for (name, framework), (target, count, sample) in TARGETS.items():
            tasks = [task for task in suites[name] if task.framework == framework and task.id != APART]
            if not tasks:
                continue
            sizes = (8 * QUICK, QUICK) if options.quick else (count, sample)
            row = compare(name, tasks, *sizes, fresh, options.seed)
            rows.append({**row, "target": target, "reached": "yes" if row["ratio"] >= target else "no"})
            report(f"{name} in {framework}", rows[-1:])
    report("Grading: wall-clock time per solution, and the slowdown of a fresh interpreter", rows, options.json)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
