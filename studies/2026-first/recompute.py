"""Compute the figures of docs/results.md from the traces again, without repair-bench.

`python recompute.py` prints the figures as JSON. Only numpy and the standard library are used.
"""

from __future__ import annotations

import io
import itertools
import json
import lzma
import math
import sys
import tarfile
from collections import Counter, defaultdict
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
REPAIRS = 5
ARMS = ("default", "critic", "verdict", "shuffled", "none")
PLANNED = (("none", "default"), ("verdict", "default"), ("shuffled", "default"), ("default", "critic"))

Episodes = dict[tuple[str, str, str], list[dict[str, Any]]]
"""The attempts of each episode, in order. Key: suite (without parameters), task, condition."""


def episodes(run: str) -> Episodes:
    """Return the episodes of a run."""
    with tarfile.open(fileobj=io.BytesIO(lzma.decompress((HERE / f"{run}.tar.xz").read_bytes()))) as archive:
        member = archive.extractfile(f"{run}/attempts.jsonl")
        assert member is not None
        rows = [json.loads(line) for line in member]
    found: Episodes = defaultdict(list)
    for row in rows:
        found[row["suite"].split("?")[0], row["task_id"], row["condition"]].append(row)
    return {key: sorted(attempts, key=lambda row: row["attempt"]) for key, attempts in found.items()}


def solved_at(attempts: list[dict[str, Any]]) -> float:
    """Return the number of the first attempt that passed (0: the first answer), or infinity."""
    return min((row["attempt"] for row in attempts if row["verdict"]["kind"] == "pass"), default=math.inf)


def problem(suite: str, task: str) -> str:
    return task.rsplit("-", 1)[0] if suite == "conventions" else task


def rate(found: Episodes, suite: str, arm: str, k: int, levels: str = "024") -> float:
    """Return FB@k, in percent."""
    known = [solved_at(attempts) <= k for attempts in _of(found, suite, arm, levels).values()]
    return 100 * sum(known) / len(known)


def _of(found: Episodes, suite: str, arm: str, levels: str = "024") -> dict[str, list[dict[str, Any]]]:
    wanted = suite != "conventions" or levels
    return {
        task: attempts
        for (of, task, condition), attempts in found.items()
        if (of, condition) == (suite, arm) and (wanted is True or task[-1] in levels)
    }


def effect(found: Episodes, suite: str, control: str, arm: str) -> dict[str, Any]:
    """Return the difference in FB@5, its 95% t interval by problem, pairs won and lost, and p of a sign-flip test."""
    one, other = _of(found, suite, control), _of(found, suite, arm)
    sums: dict[str, list[int]] = defaultdict(list)
    for task, attempts in other.items():
        sums[problem(suite, task)].append(int(solved_at(attempts) <= REPAIRS) - int(solved_at(one[task]) <= REPAIRS))
    total = np.array([sum(values) for values in sums.values()], float)
    count = np.array([len(values) for values in sums.values()], float)
    n, clusters = count.sum(), len(total)
    mean, t = float(total.sum() / n), student(clusters - 1)
    variance = clusters / (clusters - 1) * float(((total - mean * count) ** 2).sum() / n**2)
    half = t * math.sqrt(variance) if variance > 1e-18 else t**2 / (clusters + t**2)
    moved = total[total != 0]
    p = 1.0
    if len(moved):
        flips = np.array(list(itertools.product((-1.0, 1.0), repeat=len(moved))))
        beyond = abs(flips @ moved) - abs(moved.sum())
        p = float((beyond > 1e-9).mean() + (abs(beyond) <= 1e-9).mean() / 2)  # the mid-p value
    each = [value for values in sums.values() for value in values]
    limits = [100 * max(-1, mean - half), 100 * min(1, mean + half)]
    return {"difference": 100 * mean, "interval": limits, "won": each.count(1), "lost": each.count(-1), "p": p}


def student(degrees: int) -> float:
    """Return the 97.5% quantile of Student's t distribution, by Simpson's rule and bisection."""
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(degrees * math.pi)

    def central(limit: float) -> float:
        x = np.linspace(0, limit, 20_001)
        y = scale * (1 + x * x / degrees) ** (-(degrees + 1) / 2)
        return 2 * (x[1] - x[0]) / 3 * float(y[0] + y[-1] + 4 * y[1:-1:2].sum() + 2 * y[2:-1:2].sum())

    low, high = 1.0, 20.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if central(middle) < 0.95 else (low, middle)
    return (low + high) / 2


def holm(values: list[float]) -> list[float]:
    """Return p-values adjusted for multiple testing (Holm, 1979)."""
    adjusted, largest = [0.0] * len(values), 0.0
    for rank, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        largest = max(largest, min(1.0, (len(values) - rank) * values[index]))
        adjusted[index] = largest
    return adjusted


def requests(attempts: list[dict[str, Any]]) -> int:
    """Return the number of requests of an episode, including those to its critic and those that asked a question."""
    critics = sum(row["feedback"] is not None and row["feedback"]["critic"] is not None for row in attempts)
    return sum(1 + row["questions"] for row in attempts) + critics


def per_solved(those: Collection[list[dict[str, Any]]]) -> float:
    return sum(map(requests, those)) / sum(solved_at(one) <= REPAIRS for one in those)


def errors(found: Episodes, suite: str, arm: str) -> dict[str, dict[str, int]]:
    """Return the verdicts of first answers and of last attempts."""
    those = _of(found, suite, arm).values()
    return {
        "before": dict(Counter(attempts[0]["verdict"]["kind"] for attempts in those)),
        "after": dict(Counter(attempts[-1]["verdict"]["kind"] for attempts in those)),
    }


def figures() -> dict[str, Any]:
    """Return every figure of the page."""
    study, ask = episodes("study"), episodes("ask")
    cells = list(itertools.product(sorted({suite for suite, _, _ in study}), ARMS))
    compared = [(suite, *arms) for suite in dict.fromkeys(suite for suite, _ in cells) for arms in PLANNED]
    effects = [effect(study, *one) for one in compared]
    for one, p in zip(effects, holm([one["p"] for one in effects]), strict=True):
        one["p_holm"] = p
    (asking,) = {condition for _, _, condition in ask}
    ks = range(REPAIRS + 1)
    return {
        "attempts": {run: sum(map(len, episodes(run).values())) for run in ("study", "horizon", "ask")},
        "rates": {f"{suite} {arm}": [rate(study, suite, arm, k) for k in ks] for suite, arm in cells},
        "rates by level": {
            f"{level} {arm}": [rate(study, "conventions", arm, k, level) for k in ks] for level in "024" for arm in ARMS
        },
        "effects": {" ".join(names): one for names, one in zip(compared, effects, strict=True)},
        "errors": {f"{suite} {arm}": errors(study, suite, arm) for suite, arm in cells},
        "requests per solved task": {
            f"{suite} {arm}": per_solved(_of(study, suite, arm).values()) for suite, arm in cells
        },
        "ask": {
            **{f"level {level}": [rate(ask, "conventions", asking, k, level) for k in ks] for level in "024"},
            "questions": sum(row["questions"] for attempts in ask.values() for row in attempts),
            "requests per solved task": per_solved(ask.values()),
        },
    }


if __name__ == "__main__":
    json.dump(figures(), sys.stdout, indent=1)
    print()
