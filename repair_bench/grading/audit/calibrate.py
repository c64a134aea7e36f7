"""Calibrate the KL threshold from the distances between correct samples and their reference (QuanBench+, appendix E).

For each reference, R samples are drawn. P is the mean of the R samples, normalised. The distances D_KL(P || sample),
called null distances, show how far correct samples lie from the reference. The distribution P and the samples are
smoothed as the paper's rule prescribes (`suites.checks.rules.quanbench_plus`). A threshold is a high quantile of the
null distances. There is one threshold per task and one for all tasks together.
"""

from __future__ import annotations

import dataclasses
import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from repair_bench.coroutines import map_bounded
from repair_bench.executors.program import Executor
from repair_bench.grading.audit.false_rejections import exact_probabilities
from repair_bench.grading.judge import Judge
from repair_bench.suites.checks import DistributionCheck, samples
from repair_bench.suites.checks.observation import Unreadable
from repair_bench.suites.checks.rules.quanbench_plus import EPSILON
from repair_bench.suites.task import Suite, Task

QUANTILE = 0.997
PUBLISHED = 0.048
"""The quantile of the distances between correct samples and their reference, as reported in the paper for all tasks
together. The paper rounds the quantile up and uses 0.05 as the threshold."""


@dataclass(frozen=True)
class Null:
    """The sorted distances between correct samples of one task and their reference, in nats, with one distance per
    repetition. `outcomes`: the number of outcomes.
    """

    id: str
    framework: str
    outcomes: int
    distances: tuple[float, ...]

    @property
    def quantile(self) -> float:
        return float(np.quantile(self.distances, QUANTILE))


@dataclass(frozen=True)
class Calibration:
    """The distances between correct samples and the reference, for each task of a suite.

    `left_out`: the tasks that were left out, with the reasons.
    """

    suite: str
    version: str
    repetitions: int
    shots: int
    seed: int
    tasks: tuple[Null, ...]
    left_out: dict[str, str]

    @property
    def quantile(self) -> float | None:
        """The 99.7% quantile of all null distances, or None if there are no null distances."""
        pooled = [distance for task in self.tasks for distance in task.distances]
        return float(np.quantile(pooled, QUANTILE)) if pooled else None

    def rows(self) -> list[dict[str, Any]]:
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

    def to_json(self) -> dict[str, Any]:
        figures = {"q": QUANTILE, "quantile": self.quantile, "published": PUBLISHED, "rows": self.rows()}
        return {**dataclasses.asdict(self), **figures}


async def calibrate(
    suite: Suite, executor: Executor, *, repetitions: int = 1000, shots: int = 1000, seed: int = 0
) -> Calibration:
    """Draw `repetitions` samples of each reference in a resolved suite; the same seed gives the same samples.

    Only the first case of each task is used. Tasks that are not judged by a distribution, or whose reference has no
    exact distribution, are left out.
    """
    judge = Judge(executor)

    async def null(task: Task) -> Null | str:
        probabilities = await _probabilities(task, judge)
        if isinstance(probabilities, str):
            return probabilities
        text = f"{seed}/{suite.name}/{task.id}/{task.framework}"
        rng = np.random.default_rng(list(hashlib.sha256(text.encode()).digest()))
        p = np.array([probabilities[key] for key in sorted(probabilities)])
        return Null(task.id, task.framework, len(p), null_distances(p, repetitions, shots, rng))

    nulls = await map_bounded(suite.tasks, null, lambda: executor.capacity)
    results = list(zip(suite.tasks, nulls, strict=True))
    tasks = tuple(result for _, result in results if isinstance(result, Null))
    left_out = {f"{task.id} {task.framework}": result for task, result in results if isinstance(result, str)}
    return Calibration(suite.name, suite.version, repetitions, shots, seed, tasks, left_out)


def null_distances(p: samples.Floats, repetitions: int, shots: int, rng: np.random.Generator) -> tuple[float, ...]:
    """Draw samples from `p` and return the sorted distances D_KL(mean of the samples || sample) (QuanBench+, appendix
    E, equations 3 and 4).
    """
    rows = samples.draw(p, shots, repetitions, rng)
    mean = rows.mean(axis=0)
    return tuple(sorted(samples.divergences(mean / mean.sum(), rows, EPSILON).tolist()))


async def _probabilities(task: Task, judge: Judge) -> dict[str, float] | str:
    """Return the exact distribution of a reference for its first case, or the reason why there is none."""
    if task.excluded is not None:
        return task.excluded
    if not isinstance(task.check, DistributionCheck):
        return "the task's check does not compare distributions"
    if task.reference is None:
        return "no reference"
    judged = await judge.code(task, task.reference)
    if judged.fault is not None:
        return f"{judged.fault.boundary}: {judged.fault}"
    assert judged.outcome is not None
    try:
        exact = exact_probabilities(task.check, task.framework, judged.outcome, 0)
    except Unreadable as error:
        return error.problem
    return exact or "the reference yields no exact probabilities"
