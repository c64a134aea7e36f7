"""How often the 95% intervals hold the truth, and how often p-values reject it: simulated studies of 42 problems.

    python benchmarks/coverage.py [--quick] [--bootstrap] [--json FILE]

The studies are those of `simulated_studies.py`; further designs are in `coverage_designs.py`.

- Intervals: 93 to 97% are asked for. The rows of one framework have one value a problem, so nothing moves together
  there: the interval is Wilson's, whose exact coverage for 42 values goes up to 97.7%, since their sum is a whole
  number. Close to 0 and 1 a handful of outcomes is possible and no interval can cover just 95%: more is to be expected.
- p-values where nothing differs on average: 3 to 7% below 0.05. Where fewer than five problems differ none is; the
  studies that are able to reject are also counted by themselves.
- Faults during repairs: 93 to 97% for the interval of FB@5, more for its bounds, which also hold where faults strike
  hard problems more often.
- Further designs: 93 to 97% for intervals; below 7% of p-values below 0.05 without the notice that bounds decide.

Of 200 studies a share of 95% is found between 93 and 97 in 86 of 100 cases, of 1,000 in 99.6.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.stats import bootstrap
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
    first_chance,
    holds,
    normal_nodes,
    study,
    truth,
)

from repair_bench.analysis.rates.censoring import shares, worth
from repair_bench.analysis.rates.intervals import CONFIDENCE, Clusters, Interval, mean_interval, rate_interval
from repair_bench.analysis.rates.metrics import pass_at_k
from repair_bench.analysis.rates.statistics import FEWEST, sign_flip

Method = Callable[[Clusters, bool], Interval]
"""The interval of a rate, or of a paired difference where the second argument is true."""

LEAST, MOST = 93.0, 97.0
RESAMPLES = 999
WILSON = "curve, 1 framework"
"""The quantity with one value a problem."""
FAULTS = (0.0, 0.05, 0.1, 0.2)
"""Chances that a repair ends in a fault."""


def sampled_truth(scenario: Scenario, k: int) -> float:
    """Pass@k of the first framework over all problems."""
    nodes, weights = normal_nodes()
    chances = first_chance(scenario, (BETWEEN * nodes)[:, None, None], (TWINS * nodes)[:, None])[..., 0]
    return float(weights @ (1 - (1 - chances) ** k) @ weights)


def coverage(
    scenario: Scenario, studies: int, method: Method, seed: int = 0, samples: int = 1
) -> dict[str, tuple[Array, Array]]:
    """For each quantity the truth in 0..1, and the share in % of studies whose interval holds it, both by k."""
    rng = np.random.default_rng(seed)
    alone, fed = truth(scenario, fed=False), truth(scenario, fed=True)
    truths = {
        "curve, 3 frameworks": fed.mean(axis=1),
        WILSON: fed[:, 0],
        "repair - resampling": (fed - alone).mean(axis=1),
        "framework - framework": fed[:, 0] - fed[:, 2],
    }
    held = {name: np.zeros(REPAIRS + 1) for name in truths}
    for _ in range(studies):
        arms = list(study(scenario, rng, samples))
        for k in range(REPAIRS + 1):
            resampled, repaired = (1.0 * (at <= k) for at in arms)
            made = {
                "curve, 3 frameworks": (repaired, False),
                WILSON: (repaired[:, :1], False),
                "repair - resampling": (repaired - resampled, True),
                "framework - framework": (repaired[:, :1] - repaired[:, 2:], True),
            }
            for name, (values, paired) in made.items():
                if paired and name.startswith("repair") and k == 0:
                    continue  # the first answers are shared: the difference is 0 by design
                held[name][k] += holds(method(clusters(values), paired), truths[name][k])
    return {name: (truths[name], 100 * held[name] / studies) for name in truths}


def sampled_coverage(scenario: Scenario, studies: int, samples: int, k: int, seed: int = 0) -> tuple[float, float]:
    """Pass@k of the first framework from so many samples: the truth, and the share in % of intervals that hold it."""
    rng = np.random.default_rng(seed)
    true, chance = sampled_truth(scenario, k), [pass_at_k(samples, c, k) for c in range(samples + 1)]
    held = 0
    for _ in range(studies):
        theta, twin = rng.normal(0, BETWEEN, (PROBLEMS, 1)), rng.normal(0, TWINS, (PROBLEMS, len(FRAMEWORKS)))
        passed = rng.binomial(samples, first_chance(scenario, theta, twin)[:, 0])
        sums = [samples * chance[c] for c in passed]
        held += holds(rate_interval(Clusters(sums, [samples] * PROBLEMS)), true)
    return true, 100 * held / studies


def no_difference(scenario: Scenario, frameworks: int, slopes: float) -> Scenario:
    """The scenario in which feedback helps and hurts by problem, and nothing in all: the same FB@5 in both arms."""

    def excess(feedback: float) -> float:
        made = replace(scenario, feedback=feedback, slopes=slopes)
        return float((truth(made, fed=True) - truth(made, fed=False))[REPAIRS, :frameworks].mean())

    return replace(scenario, feedback=brentq(excess, -3, 3), slopes=slopes)


def rejections(scenario: Scenario, studies: int, samples: int, frameworks: int, seed: int = 0) -> dict[str, float]:
    """The share in % of studies in which the difference of the arms in FB@5 has a p-value below 0.05.

    Of all studies, and of those in which as many problems differ as such a p-value takes; the share of the others.
    """
    rng = np.random.default_rng(seed)
    rejected, able = np.zeros(studies, bool), np.zeros(studies, bool)
    for n in range(studies):
        resampled, repaired = (1.0 * (at <= REPAIRS)[:, :frameworks] for at in study(scenario, rng, samples))
        sums = clusters(repaired - resampled).sums
        rejected[n], able[n] = sign_flip(sums) < 0.05, np.count_nonzero(sums) >= FEWEST
    of_able = rejected[able].sum() / max(1, able.sum())
    return {"p < 0.05": 100 * rejected.mean(), "of the able": 100 * of_able, "unable": 100 * (1 - able.mean())}


def with_faults(
    scenario: Scenario, studies: int, faults: float, seed: int = 0, *, of_hard: bool = False, frameworks: int = 3
) -> dict[str, float]:
    """FB@5 of the repair arm where a repair ends in a fault by chance.

    In points how far the mean estimate is from the truth, and how far it is where such episodes are left out; in % how
    often the interval holds the truth, and the ends of the bounds; in how many runs no episode was seen so far and FB@5
    is unknown but for its bounds. `of_hard`: only the harder half of the problems is struck.
    """
    rng = np.random.default_rng(seed)
    true = float(truth(scenario, fed=True)[REPAIRS][:frameworks].mean())
    found = {"bias": 0.0, "bias, left out": 0.0, "interval": 0.0, "bounds": 0.0, "unknown": 0.0}
    for _ in range(studies):
        _, at = study(scenario, rng)
        at = at[:, :frameworks]
        struck = rng.geometric(faults, at.shape) if faults else np.full(at.shape, REPAIRS + 1)
        if of_hard:
            struck[np.argsort(at.mean(axis=(1, 2)))[: PROBLEMS // 2]] = REPAIRS + 1
        solved, open_ = (at <= REPAIRS) & (at < struck), (struck <= at) & (struck <= REPAIRS)
        seen = np.where(at < struck, at, struck - 1).ravel(), (at < struck).ravel(), np.ones(at.size)
        values = shares(*seen, REPAIRS)
        least, most = rate_interval(clusters(1.0 * solved)), rate_interval(clusters(1.0 * (solved | open_)))
        found["bias, left out"] += 100 * float(solved[~open_].mean() - true) / studies
        found["bounds"] += 100 * (least.low <= true <= most.high) / studies
        if values is None:
            found["unknown"] += 100 / studies
            continue
        estimated = rate_interval(clusters(values.reshape(at.shape)), most=worth(*seen, REPAIRS))
        found["bias"] += 100 * (estimated.estimate - true)
        found["interval"] += 100 * holds(estimated, true)
    known = studies * (1 - found["unknown"] / 100)
    return {**found, "bias": found["bias"] / known, "interval": found["interval"] / known}


def default(values: Clusters, paired: bool) -> Interval:
    """What the project prints."""
    return mean_interval(values) if paired else rate_interval(values)


def bootstrapped(kind: str) -> Method:
    """A bootstrap over problems, each with all its values (Efron and Tibshirani, 1993, sections 13.3 and 14.3)."""

    def interval(values: Clusters, _: bool) -> Interval:
        sums, counts = (np.asarray(x, float) for x in (values.sums, values.counts))
        mean = float(sums.sum() / counts.sum())
        low = high = mean
        if np.ptp(sums - mean * counts) > 1e-12:
            low, high = bootstrap(
                (sums, counts),
                lambda s, c, axis: s.sum(axis=axis) / c.sum(axis=axis),
                paired=True,
                vectorized=True,
                n_resamples=RESAMPLES,
                batch=1_000,
                confidence_level=CONFIDENCE,
                method=kind,
                random_state=np.random.default_rng(0),
            ).confidence_interval
        return Interval(mean, float(low), float(high), values.n, len(counts))

    return interval


def main() -> int:
    from common import parse, report  # a test imports this file alone
    from coverage_designs import tables

    options = parse(__doc__, bootstrap="the bootstrap's intervals too (some minutes)")
    studies = 10 if options.quick else 1000
    methods = {"between problems (printed)": default}
    if options.bootstrap:
        methods |= {f"bootstrap, {kind}": bootstrapped(kind) for kind in ("percentile", "BCa")}
    outside = []
    for name, method in methods.items():
        for samples in (1, 3):
            rows = []
            for scenario in SCENARIOS:
                for quantity, (true, held) in coverage(scenario, studies, method, options.seed, samples).items():
                    about = {"scenario": scenario.name, "quantity": quantity}
                    rows.append({**about, "in %": "truth", **_by_k(100 * true)})
                    begins = 1 if quantity.startswith("repair") else 0  # the first answers are shared: no difference
                    rows.append({**about, "in %": "coverage", **_by_k(held, begins)})
                    bad = [k for k in range(begins, REPAIRS + 1) if not LEAST <= held[k] <= MOST]
                    if bad and method is default and (samples > 1 or quantity != WILSON):
                        about = f"{scenario.name}, {quantity}, samples {samples}"
                        outside += [f"{about}, k={k}: {held[k]:.1f}%" for k in bad]
            title = f"95% intervals {name}: {studies} studies of {PROBLEMS} problems x 3 frameworks"
            report(f"{title}, samples: {samples}", rows, options.json)
    print(f"Intervals over problems outside {LEAST:.0f}-{MOST:.0f}%: {'; '.join(outside) or 'none'}")

    rows = []
    for first in (-2.0, 0.0, 1.0, 2.0, 3.0, 4.0):
        row: dict[str, object] = {"logit": first}
        for samples, k in ((3, 1), (5, 1), (5, 3), (10, 5)):
            true, held = sampled_coverage(Scenario("", first, 0, 0), studies, samples, k, options.seed)
            row[f"Pass@{k} of {samples}"] = f"{held:.1f} ({100 * true:.1f})"
        rows.append(row)
    report(f"95% intervals of Pass@k, coverage in % (truth): {studies} studies, 1 framework", rows, options.json)

    rows = [
        {"scenario": scenario.name, "frameworks": frameworks, "samples": samples, "effects": effects, **_rounded(found)}
        for scenario in SCENARIOS
        for frameworks in (1, 3)
        for samples in (1, 3)
        for effects, slopes in (("none", 0.0), ("by problem", 1.5))
        for none in [no_difference(scenario, frameworks, slopes)]
        for found in [rejections(none, studies, samples, frameworks, options.seed)]
    ]
    title = f"p-values where FB@5 is the same, in %: {studies} studies; able: {FEWEST} problems differ or more"
    report(title, rows, options.json)
    print(
        f"p-values outside 3-7%: {_outside(rows, 'p < 0.05', 3, 7)}; of the able {_outside(rows, 'of the able', 3, 7)}"
    )

    rows = [
        {
            "scenario": scenario.name,
            "frameworks": frameworks,
            "faults": faults,
            "of": "hard" if hard else "all",
            **_rounded(found),
        }
        for scenario in SCENARIOS
        for frameworks in (1, 3)
        for faults, hard in [*((f, False) for f in FAULTS), (FAULTS[-1], True)]
        for found in [with_faults(scenario, studies, faults, options.seed, of_hard=hard, frameworks=frameworks)]
    ]
    report(f"FB@5 with faults during repairs, in points and %: {studies} runs", rows, options.json)
    by_chance = [row for row in rows if row["of"] == "all"]
    print(f"Intervals with faults by chance outside 93-97%: {_outside(by_chance, 'interval', LEAST, MOST)}")

    found = tables(studies, options.seed)
    for title, rows in found.items():
        report(f"{title}: {studies} studies of {PROBLEMS} problems", rows, options.json)
    return 0


def _outside(rows: list[dict[str, Any]], figure: str, least: float, most: float) -> str:
    """How many rows have a figure that is not in a range."""
    return f"{sum(not least <= row[figure] <= most for row in rows)} of {len(rows)}"


def _rounded(found: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 1) for name, value in found.items()}


def _by_k(values: Array, begins: int = 0) -> dict[str, float | None]:
    return {f"k={k}": round(float(value), 1) if k >= begins else None for k, value in enumerate(values)}


if __name__ == "__main__":
    raise SystemExit(main())
