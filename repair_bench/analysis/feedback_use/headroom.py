"""What a run leaves to be repaired, and how small an effect of repairs it could have shown."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from repair_bench.analysis.rates.clusters import Problem, problem_of
from repair_bench.analysis.rates.curves import rate
from repair_bench.analysis.rates.intervals import Interval
from repair_bench.analysis.rates.metrics import Episode, counted, group
from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.run.manifest import Manifest

_DETECTED = 1.959964 + 0.841621
"""The normal quantiles of a two-sided test at 5% and of a power of 80%."""
CAUSES = ("exception", "underspecified", "wrong answer", "other", "reference wrong")
"""Why a first answer failed. What a task is to be blamed for comes before what the answer did."""


@dataclass(frozen=True)
class Headroom:
    """The first answers of a model to a suite, each counted once, however many arms share it.

    `right`: the rate of those that passed. `failed`: the others by cause, see `CAUSES`. `left`: those that repairs
    could solve: all that failed but where the reference is wrong. `smallest`: the smallest difference in FB@k between
    two arms that share these answers which a test at 5% would find in 80 of 100 such runs, in 0..1; None where more
    would have to be solved than is left.
    """

    model: str
    suite: str
    right: Interval
    failed: dict[str, int]
    left: int
    smallest: float | None


def headroom(episodes: Iterable[Episode], manifest: Manifest) -> list[Headroom]:
    """One row a model and suite, over the first answers that were judged."""
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
            cause = _cause(answer, "reference wrong" if task in wrong else "underspecified" if task in unsaid else "")
            failed.update([cause] if cause else [])
            left.setdefault(problem_of(*task), []).append(cause not in ("", "reference wrong"))
        right = rate(own.values(), 0)
        shares = [sum(answers) / len(answers) for answers in left.values()]
        found, mean = smallest_difference(shares), math.fsum(shares) / len(shares)
        count = sum(map(sum, left.values()))
        shown = found if found <= mean else None
        rows.append(Headroom(model, suite, right, {name: failed[name] for name in CAUSES}, count, shown))
    return rows


def _cause(answer: Recorded, of_task: str) -> str:
    """Why an answer failed; empty where it passed. `of_task`: what the task is to be blamed for, or empty."""
    if answer.passed or answer.verdict is None:
        return ""
    kinds = {"exception": "exception", "wrong_answer": "wrong answer"}
    return of_task or kinds.get(answer.verdict.kind, "other")


def smallest_difference(left: list[float]) -> float:
    """The smallest difference between two arms that a test at 5% finds with a power of 80%, in 0..1.

    `left`: for each problem the share of its first answers that failed; only these can differ between arms. Each is
    taken to be solved in either arm with a chance of one half, independently, the most that arms can vary; the answers
    of one problem go together. The difference then has the variance left / 2 in a problem, and its mean over the
    problems is nearly normal.
    """
    return _DETECTED * math.sqrt(0.5 * math.fsum(left)) / len(left)
