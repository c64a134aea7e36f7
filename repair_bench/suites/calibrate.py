"""Calibrating the KL threshold: how far correct samples lie from their reference (QuanBench+, appendix E).

A reference is drawn R times, and P is the normalised mean of the R samples. The null distances are D_KL(P || sample),
both smoothed as in the paper's rule (`repair_bench.suites.checks.rules.paper`); the threshold is a high quantile of
them, for each task and over all tasks together.
"""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from repair_bench.suites.checks import DistributionCheck, observation, samples
from repair_bench.suites.checks.observation import Unreadable
from repair_bench.suites.checks.rules.paper import EPSILON
from repair_bench.suites.task import Run, Suite, Task
from repair_bench.traces.faults import Fault

QUANTILE = 0.997
PUBLISHED = 0.048
"""The paper's quantile over its tasks, which it rounds up to the threshold 0.05."""
AT_ONCE = 4


@dataclass(frozen=True)
class Null:
    """The null distances of one task: `outcomes` are possible; `distances` in nats, sorted, one a repetition."""

    id: str
    framework: str
    outcomes: int
    distances: tuple[float, ...]

    @property
    def quantile(self) -> float:
        return float(np.quantile(self.distances, QUANTILE))


@dataclass(frozen=True)
class Calibration:
    """The null distances of a suite's tasks. `left_out`: why a task has none, by its id and framework."""

    suite: str
    version: str
    repetitions: int
    shots: int
    seed: int
    tasks: tuple[Null, ...]
    left_out: dict[str, str]

    @property
    def pooled(self) -> list[float]:
        """All null distances, sorted."""
        return sorted(distance for task in self.tasks for distance in task.distances)

    @property
    def quantile(self) -> float | None:
        """The 99.7% quantile of all null distances; None without any."""
        return float(np.quantile(self.pooled, QUANTILE)) if self.tasks else None

    def rows(self) -> list[dict[str, Any]]:
        """A table, one row a task."""
        return [
            {
                "id": task.id,
                "framework": task.framework,
                "outcomes": task.outcomes,
                "mean": round(float(np.mean(task.distances)), 6),
                "quantile": round(task.quantile, 6),
                "above_published": float(np.mean(np.array(task.distances) > PUBLISHED)),
            }
            for task in self.tasks
        ]

    def headline(self) -> str:
        """The calibration in a sentence or two."""
        left_out = f" {len(self.left_out)} tasks cannot be drawn." if self.left_out else ""
        if self.quantile is None:
            return f"No task of {self.suite} can be drawn.{left_out}"
        return (
            f"The {100 * QUANTILE:.1f}% quantile of the null KL distances over {len(self.tasks)} tasks is "
            f"{self.quantile:.4f}; the paper's is {PUBLISHED}.{left_out}"
        )

    def to_json(self) -> dict[str, Any]:
        figures = {"q": QUANTILE, "quantile": self.quantile, "published": PUBLISHED, "rows": self.rows()}
        return {**dataclasses.asdict(self), **figures}


async def calibrate(
    suite: Suite, run: Run, *, repetitions: int = 1000, shots: int = 1000, seed: int = 0
) -> Calibration:
    """Draw each reference of a resolved suite `repetitions` times, `shots` shots each; the same for the same seed.

    Only tasks that are judged by a distribution and whose reference gives its exact probabilities can be drawn. A task
    with several cases is drawn at the first.
    """
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(task: Task) -> Null | str:
        async with gate:
            found = await _probabilities(task, run)
        if isinstance(found, str):
            return found
        text = f"{seed}/{suite.name}/{task.id}/{task.framework}"
        rng = np.random.default_rng(list(hashlib.sha256(text.encode()).digest()))
        p = np.array([found[key] for key in sorted(found)])
        return Null(task.id, task.framework, len(p), null_distances(p, repetitions, shots, rng))

    results = list(zip(suite.tasks, await asyncio.gather(*map(one, suite.tasks)), strict=True))
    tasks = tuple(found for _, found in results if isinstance(found, Null))
    left_out = {f"{task.id} {task.framework}": found for task, found in results if isinstance(found, str)}
    return Calibration(suite.name, suite.version, repetitions, shots, seed, tasks, left_out)


def null_distances(p: samples.Floats, repetitions: int, shots: int, rng: np.random.Generator) -> tuple[float, ...]:
    """D_KL(mean || sample), sorted, for `repetitions` samples of `shots` shots (appendix E, equations 3 and 4)."""
    rows = samples.drawn(p, shots, repetitions, rng)
    mean = rows.mean(axis=0)
    return tuple(sorted(samples.divergences(mean / mean.sum(), rows, EPSILON).tolist()))


async def _probabilities(task: Task, run: Run) -> dict[str, float] | str:
    """The exact distribution that a reference gives in its first case, or why there is none."""
    if task.excluded is not None:
        return task.excluded
    if not isinstance(task.check, DistributionCheck):
        return "not judged by a distribution"
    if task.reference is None:
        return "no reference"
    try:
        outcome = await run(task.check.program(task, task.reference))
        whole = observation.distribution(observation.cases(outcome.value, len(task.check.cases))[0])
    except Fault as fault:
        return f"{fault.boundary}: {fault}"
    except Unreadable as error:
        raised = outcome.exception
        return f"{raised.type}: {raised.message}" if raised is not None else error.problem
    bits = len(next(iter(task.check.cases[0].expected)))
    part = whole.answer(task.framework) if whole.bits != bits else whole
    if part is None or part.shots is not None:
        return "its reference gives no exact probabilities"
    return part.probabilities
