"""Designs for which simple intervals or tests are misleading: the best of several conditions, errors in one arm only,
survival over framework variants and samples, unequal numbers of samples. `coverage.py` runs and prints them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit
from simulated_studies import (
    BETWEEN,
    FRAMEWORKS,
    PROBLEMS,
    REPAIRS,
    SCENARIOS,
    TWINS,
    Array,
    Scenario,
    clusters,
    holds,
    normal_nodes,
    study,
    truth,
)

from repair_bench.analysis.comparing.bounds import DifferenceBound
from repair_bench.analysis.rates.censoring import shares
from repair_bench.analysis.rates.intervals import Clusters, kish, mean_interval, rate_interval
from repair_bench.analysis.rates.selection import PER_CONDITION, best_interval
from repair_bench.analysis.rates.statistics import sign_flip
from repair_bench.analysis.runs.notices import SMALL

PROMPTS = 0.7
"""The standard deviation, in logits, of a prompt's effect on a problem."""
BEST = ((2, 0.0), (8, 0.0), (14, 0.0), (8, 0.7), (8, 2.0))
"""The number of conditions, and the advantage of one of them in logits. The others are equal."""
ONE_SIDED = (0.05, 0.1, 0.2)
"""Probabilities that a repair in one arm ends in an infrastructure error, on the harder half of the problems."""


def best_of(
    scenario: Scenario,
    studies: int,
    conditions: int,
    better: float,
    frameworks: int,
    seed: int = 0,
    problems: int = PROBLEMS,
) -> dict[str, float]:
    """Return figures on the highest rate among several prompts, uncorrected and corrected for selection.

    In pp: the bias relative to the true rate of the selected condition. In %: the coverage of its interval.
    """
    rng = np.random.default_rng(seed)
    effects = np.zeros(conditions)
    effects[0] = better
    nodes, weights = normal_nodes()
    spread = np.sqrt(BETWEEN**2 + TWINS**2 + PROMPTS**2)
    logits = scenario.first + effects[:, None, None] + FRAMEWORKS[:frameworks, None] + spread * nodes
    true = (expit(logits) @ weights).mean(axis=1)
    found = dict.fromkeys(("highest, bias", "highest", "corrected, bias", "corrected"), 0.0)
    for _ in range(studies):
        theta, twin = rng.normal(0, BETWEEN, (problems, 1)), rng.normal(0, TWINS, (problems, frameworks))
        apart = rng.normal(0, PROMPTS, (conditions, problems, 1)) + effects[:, None, None]
        chances = expit(scenario.first + theta + twin + FRAMEWORKS[:frameworks] + apart)
        sums = (rng.random(chances.shape) < chances).sum(axis=2).astype(float)
        of = np.full(sums.shape, float(frameworks))
        best = int(np.argmax(sums.sum(axis=1)))
        rows = [Clusters(*columns) for columns in zip(sums.tolist(), of.tolist(), strict=True)]
        plain = rate_interval(rows[best])
        corrected = best_interval(sums, of, [(row, np.inf) for row in rows])
        for name, interval in (("highest", plain), ("corrected", corrected)):
            found[name] += 100 * holds(interval, true[best]) / studies
            found[f"{name}, bias"] += 100 * (interval.estimate - true[best]) / studies
    return found


def one_sided(scenario: Scenario, studies: int, faults: float, frameworks: int, seed: int = 0) -> dict[str, float]:
    """Return figures on the difference in FB@5 between two equal arms if errors affect only hard problems in one arm.

    In pp: the bias. In %: the share of p-values below 0.05, that share among comparisons without the notice on bounds,
    and the coverage of the bounds.
    """
    rng = np.random.default_rng(seed)
    found = dict.fromkeys(("bias", "p < 0.05", "without a notice", "bounds"), 0.0)
    for _ in range(studies):
        baseline, at = (arm[:, :frameworks] for arm in study(scenario, rng))
        hard = np.argsort(baseline.mean(axis=(1, 2)) + at.mean(axis=(1, 2)))[PROBLEMS // 2 :]
        struck = np.full(at.shape, REPAIRS + 1)
        struck[hard] = rng.geometric(faults, at[hard].shape) if faults else REPAIRS + 1
        solved, open_ = (at <= REPAIRS) & (at < struck), (struck <= at) & (struck <= REPAIRS)
        seen = np.where(at < struck, at, struck - 1).ravel(), (at < struck).ravel()
        values = shares(*seen, np.ones(at.size), REPAIRS)
        before = 1.0 * (baseline <= REPAIRS)
        low, high = (clusters(1.0 * end - before) for end in (solved, solved | open_))
        bound = DifferenceBound(
            mean_interval(low), mean_interval(high), sign_flip(low.sums), sign_flip(high.sums), int(open_.sum())
        )
        found["bounds"] += 100 * (bound.lower.low <= 0 <= bound.upper.high) / studies
        if values is None:  # no episode reached FB@5: no difference is printed
            continue
        apart = clusters(values.reshape(at.shape) - before)
        estimate, p = float(np.mean(apart.sums)) / frameworks, sign_flip(apart.sums)
        found["bias"] += 100 * estimate / studies
        found["p < 0.05"] += 100 * (p < 0.05) / studies
        found["without a notice"] += 100 * (p < 0.05 and not bound.decides(estimate, p)) / studies
    return found


def survival(scenario: Scenario, studies: int, samples: int, frameworks: int, seed: int = 0) -> dict[str, Array]:
    """Return the coverage in % of the intervals for the unsolved share and for the hazard, by attempt. The hazard is
    evaluated in studies that plot it, with at least `notices.SMALL` episodes at risk.
    """
    rng = np.random.default_rng(seed)
    solved = truth(scenario, fed=True)[:, :frameworks].mean(axis=1)
    before = np.concatenate([[0.0], solved[:-1]])
    hazards = (solved - before) / (1 - before)
    found = {name: np.zeros(REPAIRS + 1) for name in ("unsolved", "hazard", "drawn")}
    for _ in range(studies):
        _, at = study(scenario, rng, samples)
        at = at[:, :frameworks]
        for k in range(REPAIRS + 1):
            at_risk = (at >= k).reshape(PROBLEMS, -1).sum(axis=1)
            found["unsolved"][k] += holds(rate_interval(clusters(1.0 * (at <= k))), solved[k])
            if at_risk.sum() < SMALL:
                continue
            now = (at == k).reshape(PROBLEMS, -1).sum(axis=1)[at_risk > 0].astype(float)
            found["drawn"][k] += 1
            found["hazard"][k] += holds(
                rate_interval(Clusters(now.tolist(), at_risk[at_risk > 0].tolist())), hazards[k]
            )
    return {
        "unsolved": 100 * found["unsolved"] / studies,
        "hazard": 100 * found["hazard"] / np.maximum(1, found["drawn"]),
        "hazard drawn": 100 * found["drawn"] / studies,
    }


def unequal(scenario: Scenario, studies: int, samples: tuple[int, int], seed: int = 0) -> dict[str, float]:
    """Return figures on FB@5 and its difference if the harder half of the problems has a different number of samples.
    In pp: the bias with equally weighted tasks, and with equally weighted samples. In %: the coverage, and the share of
    p-values below 0.05. `samples`: the numbers for the easier and the harder half.
    """
    rng = np.random.default_rng(seed)
    alone, true = (truth(scenario, fed)[REPAIRS].mean() for fed in (False, True))
    found = dict.fromkeys(("bias", "bias, by sample", "interval", "difference", "p < 0.05"), 0.0)
    for _ in range(studies):
        resampled, repaired = (1.0 * (at <= REPAIRS) for at in study(scenario, rng, max(samples)))
        easy = np.argsort(-repaired.mean(axis=(1, 2)) - resampled.mean(axis=(1, 2)))[: PROBLEMS // 2]
        kept = np.full(PROBLEMS, samples[1])
        kept[easy] = samples[0]
        there = (np.arange(max(samples)) < kept[:, None])[:, None] & np.ones((1, len(FRAMEWORKS), 1), bool)
        weight = np.broadcast_to((np.lcm(*samples) // kept)[:, None, None], there.shape)[there]
        problems = np.broadcast_to(np.arange(PROBLEMS)[:, None, None], there.shape)[there]
        rate = rate_interval(Clusters.numbered(problems, repaired[there], weight), max_n=kish(weight.tolist()))
        apart = Clusters.numbered(problems, (repaired - resampled)[there], weight)
        found["bias"] += 100 * (rate.estimate - true) / studies
        found["bias, by sample"] += 100 * (repaired[there].mean() - true) / studies
        found["interval"] += 100 * holds(rate, true) / studies
        found["difference"] += 100 * holds(mean_interval(apart), true - alone) / studies
        found["p < 0.05"] += 100 * (sign_flip(apart.sums) < 0.05) / studies
    return found


def tables(studies: int, seed: int) -> dict[str, list[dict[str, Any]]]:
    """Return the figures of each design by scenario, keyed by the design's title."""
    none = [Scenario(f"{s.name}, no difference", s.first, s.repair, 0.0, 0.0) for s in SCENARIOS]
    return {
        "the best of several conditions, Pass@1, in pp and %": [
            {
                "scenario": s.name,
                "frameworks": f,
                "conditions": n,
                "better": d,
                **_rounded(best_of(s, studies, n, d, f, seed)),
            }
            for s in SCENARIOS
            for f in (1, 3)
            for n, d in BEST
        ],
        "the best of equal conditions, Pass@1, with the fewest problems allowed, 1 framework, in pp and %": [
            {"scenario": s.name, "on": n, "conditions": c, **_rounded(best_of(s, studies, c, 0.0, 1, seed, n))}
            for s in SCENARIOS
            for n in (10, 20, 30)
            for c in (2, n // PER_CONDITION)
        ],
        "errors in one arm only, on hard problems; FB@5 is the same; in pp and %": [
            {"scenario": s.name, "frameworks": f, "errors": e, **_rounded(one_sided(s, studies, e, f, seed))}
            for s in none
            for f in (1, 3)
            for e in ONE_SIDED
        ],
        "survival: coverage in % by attempt": [
            {
                "scenario": s.name,
                "frameworks": f,
                "samples": n,
                "of": of,
                **{f"k={k}": round(x, 1) for k, x in enumerate(held)},
            }
            for s in SCENARIOS
            for f, n in ((1, 1), (3, 1), (3, 3), (3, 5))
            for of, held in survival(s, studies, n, f, seed).items()
        ],
        "unequal numbers of samples, FB@5, 3 frameworks, in pp and %": [
            {"scenario": s.name, "easy": n[0], "hard": n[1], **_rounded(unequal(s, studies, n, seed))}
            for s in (*SCENARIOS, *none)
            for n in ((1, 5), (5, 1), (1, 10))
        ],
    }


def _rounded(found: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 1) for name, value in found.items()}
