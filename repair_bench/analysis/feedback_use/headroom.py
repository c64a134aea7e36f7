"""Failures that repairs could fix, and the minimum detectable effect of repairs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from repair_bench.analysis.rates.clusters import Problem, problem_of
from repair_bench.analysis.rates.curves import rate
from repair_bench.analysis.rates.intervals import Interval
from repair_bench.analysis.rates.metrics import Episode, counted, group
from repair_bench.traces.run.manifest import Manifest

_DETECTED = 1.959964 + 0.841621
"""The sum of two quantiles of the normal distribution: for a two-sided test at the 5% level, and for a power of 80%."""
CAUSES = ("exception", "underspecified", "wrong answer", "other", "reference wrong")
"""Causes of failed first answers. If a task has errata, the errata determine the cause of the failure, and the outcome
of the answer does not."""
_BY_KIND = {"exception": "exception", "wrong_answer": "wrong answer"}


@dataclass(frozen=True)
class Headroom:
    """A model's first answers to a suite. An answer shared by several arms counts once.

    `right`: the share of answers that passed. `failed`: the number of failed answers by cause. `left`: the number of
    failures that repairs could fix. `smallest`: the minimum detectable effect in FB@k (0 to 1) for two arms that share
    first answers. `smallest` is None if even an arm that fixes all failures in `left` would have no detectable effect.
    """

    model: str
    suite: str
    right: Interval
    failed: dict[str, int]
    left: int
    smallest: float | None


def headroom(episodes: Iterable[Episode], manifest: Manifest) -> list[Headroom]:
    """Return a row per model and suite, for the judged first answers."""
    wrong, unsaid = set(manifest.labelled("wrong")), set(manifest.labelled("underspecified"))
    rows = []
    for (model, suite), members in group(episodes, "model", "suite").items():
        own: dict[str, Episode] = {}
        for episode in sorted(counted(members, 0), key=lambda e: e.first.condition):
            own.setdefault(episode.first.id, episode)
        first = [episode.first for episode in own.values()]
        if not first:
            continue
        failed: Counter[str] = Counter()
        left: dict[Problem, list[bool]] = {}
        for answer in first:
            task = (answer.suite, answer.task_id)
            of_task = "reference wrong" if task in wrong else "underspecified" if task in unsaid else ""
            if not answer.passed and answer.verdict is not None:
                failed[of_task or _BY_KIND.get(answer.verdict.kind, "other")] += 1
            left.setdefault(problem_of(*task), []).append(not answer.passed and task not in wrong)
        right = rate(own.values(), 0)
        shares = [sum(answers) / len(answers) for answers in left.values()]
        found, mean = smallest_difference(shares), math.fsum(shares) / len(shares)
        count = sum(map(sum, left.values()))
        shown = found if found <= mean else None
        rows.append(Headroom(model, suite, right, {name: failed[name] for name in CAUSES}, count, shown))
    return rows


def smallest_difference(left: list[float]) -> float:
    """Return the minimum detectable effect (0 to 1) for two arms, at a significance level of 5% and a power of 80%.

    `left`: for each problem, the share s of first answers that repairs could fix. For each problem, the variance of the
    difference between the two arms is assumed to be s / 2, which is the maximum. The maximum is reached if each arm
    repairs a failed answer with probability 1/2, and if all answers to the same problem have the same outcome.
    """
    return _DETECTED * math.sqrt(0.5 * math.fsum(left)) / len(left)
