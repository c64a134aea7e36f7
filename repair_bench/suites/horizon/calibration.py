"""Calibrate an edition: run solvers of known strength, and compare the costs of their circuits by family and size.

The calibration shows that larger instances are harder. The strong solver solves a smaller share of the larger
instances, and fails at the largest size. No solver finds a circuit that is cheaper than an instance's hidden circuit.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from itertools import pairwise
from multiprocessing import get_context
from typing import Any

from repair_bench.executors.instances import LOOP_SECONDS, loop_seconds
from repair_bench.suites.horizon.edition import Edition, drawn, every_family
from repair_bench.suites.horizon.family import Clock

SOLVERS = ("naive", "tool", "strong")
TOLERANCE = 0.02
"""The maximum fraction by which a solver's circuit may be cheaper than the hidden circuit of an instance."""


Progress = Callable[[int, int, Mapping[str, int]], object]
"""A function that receives the number of finished instances, the total number of instances, and other counts."""


@dataclass(frozen=True)
class Solved:
    """The costs of the solvers' circuits for one instance."""

    family: str
    size: int
    planted: int
    naive: int
    tool: int
    strong: int


def calibrate(name: str, progress: Progress = lambda *_: None, workers: int | None = None) -> dict[str, Any]:
    """Return the calibration of an edition, computed from all visible and hidden instances of the edition.

    `workers`: the number of processes; None for one per core.
    """
    edition = Edition.of(name)
    jobs = [
        (family.name, size, edition.effective_seed, 2 * edition.instances, number, edition.seconds)
        for family in edition.chosen()
        for size in edition.sizes
        for number in range(2 * edition.instances)
    ]
    solved: list[Solved] = []
    progress(0, len(jobs), {})
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # for the new processes: CPU time is summed over threads
    with ProcessPoolExecutor(workers or os.cpu_count(), mp_context=get_context("spawn")) as pool:
        for done in as_completed([pool.submit(solve, *job) for job in jobs]):
            solved.append(done.result())
            progress(len(solved), len(jobs), {})
    rows = list(_rows(edition, solved))
    return {
        "suite": edition.name,
        "slack": edition.slack,
        "seconds": edition.seconds,
        "rows": rows,
        "monotone": {family.name: is_monotone(_of(rows, family.name)) for family in edition.chosen()},
        "beaten": {family.name: max(row["beaten"] for row in _of(rows, family.name)) for family in edition.chosen()},
        "instances": [asdict(one) for one in sorted(solved, key=lambda one: (one.family, one.size, one.planted))],
    }


def solve(family: str, size: int, seed: int, count: int, number: int, seconds: float) -> Solved:
    """Run the solvers on an instance. `seconds`: the time limit of the strong solver, in normalised CPU seconds."""
    found, instance = every_family()[family], drawn(family, size, seed, count)[number]
    clock = Clock(seconds * loop_seconds() / LOOP_SECONDS, instance.planted)
    circuits = {
        "strong": found.strong(instance.data, clock),
        "naive": found.naive(instance.data),
        "tool": found.tool(instance.data),
    }
    costs = {solver: found.cost(instance.data, circuit) for solver, circuit in circuits.items()}
    return Solved(family, size, instance.planted, **costs)


def _rows(edition: Edition, solved: Sequence[Solved]) -> Iterator[dict[str, Any]]:
    for family in edition.chosen():
        for size in edition.sizes:
            group = [one for one in solved if (one.family, one.size) == (family.name, size)]
            row: dict[str, Any] = {"family": family.name, "size": size, "planted": group[0].planted, "n": len(group)}
            for solver in SOLVERS:
                ratios = [getattr(one, solver) / one.planted for one in group]
                within = [getattr(one, solver) <= edition.budget(one.planted) for one in group]
                row[solver] = sum(ratios) / len(group)
                row[f"{solver}_solved"] = sum(within) / len(group)
            row["beaten"] = max(max(0.0, 1 - one.strong / one.planted) for one in group)
            yield row


def _of(rows: Sequence[dict[str, Any]], family: str) -> list[dict[str, Any]]:
    return [row for row in rows if row["family"] == family]


def is_monotone(rows: Sequence[dict[str, Any]]) -> bool:
    """Whether no solver's share of solved instances rises as the size of the instances increases.

    A rise of at most two standard errors is tolerated.
    """
    shares = [[(row[f"{solver}_solved"], row["n"]) for row in rows] for solver in SOLVERS]
    return all(
        after - before <= 2 * math.sqrt((before * (1 - before) + after * (1 - after)) / n)
        for series in shares
        for (before, n), (after, _) in pairwise(series)
    )
