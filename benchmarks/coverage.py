"""Coverage of 95% intervals and error rates of p-values in simulated studies of 42 problems.

python benchmarks/coverage.py [--quick] [--bootstrap] [--json FILE]


`simulated_studies.py` draws the studies; further designs are in `coverage_designs.py`.

- Intervals: the accepted range is 93 to 97%. Rows with one framework have one value per problem and use Wilson's
  interval. Its exact coverage for 42 values reaches 97.7%, because their sum is an integer. Near 0 and 1, few outcomes
  are possible, so no interval can cover exactly 95%, and coverage is higher.
- p-values without a mean difference: 3 to 7% must be below 0.05. If fewer than five problems differ, none can be below
  0.05; studies in which more differ are also counted separately.
- Faults during repairs: 93 to 97% for the interval of FB@5. Its bounds cover more often, because they are also valid if
  faults are more frequent on hard problems.
- Further designs: 93 to 97% for intervals; fewer than 7% of p-values below 0.05 without the notice on bounds.

If the true share is 95%, the observed share is between 93% and 97% with probability 86% in 200 studies, and 99.6% in
1,000.
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

from repair_bench.analysis.rates.censoring import effective_number, shares
from repair_bench.analysis.rates.intervals import Clusters, Interval, mean_interval, rate_interval
from repair_bench.analysis.rates.metrics import pass_at_k
from repair_bench.analysis.rates.statistics import MIN_DIFFERING, sign_flip

Method = Callable[[Clusters, bool], Interval]
"""Returns the interval for a rate, or for a paired difference if the second argument is true."""

LEAST, MOST = 93.0, 97.0
RESAMPLES = 999
WILSON = "curve, 1 framework"
"""The quantity that has one value per problem."""
FAULTS = (0.0, 0.05, 0.1, 0.2)
"""Probabilities that a repair ends in a fault."""


def sampled_truth(scenario: Scenario, k: int) -> float:
    """Return Pass@k of the first framework over all problems."""
    nodes, weights = normal_nodes()
    chances = first_chance(scenario, (BETWEEN * nodes)[:, None, None], (TWINS * nodes)[:, None])[..., 0]
    return float(weights @ (1 - (1 - chances) ** k) @ weights)


def coverage(
    scenario: Scenario, studies: int, method: Method, seed: int = 0, samples: int = 1
) -> dict[str, tuple[Array, Array]]:
    """Return the true value (0 to 1) and the coverage in %, both by k, for each quantity."""
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
                    continue  # the arms share first answers, so their difference is 0
                held[name][k] += holds(method(clusters(values), paired), truths[name][k])
    return {name: (truths[name], 100 * held[name] / studies) for name in truths}


def sampled_coverage(scenario: Scenario, studies: int, samples: int, k: int, seed: int = 0) -> tuple[float, float]:
    """Return the true Pass@k of the first framework, and the coverage in % with `samples` samples."""
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
    """Return a scenario in which feedback helps or hurts by problem, with the same mean FB@5 in both arms."""

    def excess(feedback: float) -> float:
        made = replace(scenario, feedback=feedback, slopes=slopes)
        return float((truth(made, fed=True) - truth(made, fed=False))[REPAIRS, :frameworks].mean())

    return replace(scenario, feedback=brentq(excess, -3, 3), slopes=slopes)


def rejections(scenario: Scenario, studies: int, samples: int, frameworks: int, seed: int = 0) -> dict[str, float]:
    """Return the share in % of studies in which the difference in FB@5 has a p-value below 0.05.

    The first share is over all studies, and the second over studies in which enough problems differ for such a p-value.
    The third is the share of all other studies.
    """
    rng = np.random.default_rng(seed)
    rejected, able = np.zeros(studies, bool), np.zeros(studies, bool)
    for n in range(studies):
        resampled, repaired = (1.0 * (at <= REPAIRS)[:, :frameworks] for at in study(scenario, rng, samples))
        sums = clusters(repaired - resampled).sums
        rejected[n], able[n] = sign_flip(sums) < 0.05, np.count_nonzero(sums) >= MIN_DIFFERING
    of_able = rejected[able].sum() / max(1, able.sum())
    return {"p < 0.05": 100 * rejected.mean(), "able studies": 100 * of_able, "unable": 100 * (1 - able.mean())}


def with_faults(
    scenario: Scenario, studies: int, faults: float, seed: int = 0, *, of_hard: bool = False, frameworks: int = 3
) -> dict[str, float]:
    """Return figures on FB@5 of the repair arm if repairs can end in a fault. In pp: the bias of the estimate, and its
    bias if such episodes are omitted. In %: the coverage of the interval and of the bounds. Also return the number of
    runs in which no episode reached FB@5, so that only bounds exist. `of_hard`: faults occur only on the harder half of
    the problems.
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
        estimated = rate_interval(clusters(values.reshape(at.shape)), max_n=effective_number(*seen, REPAIRS))
        found["bias"] += 100 * (estimated.estimate - true)
        found["interval"] += 100 * holds(estimated, true)
    known = studies * (1 - found["unknown"] / 100)
    return {**found, "bias": found["bias"] / known, "interval": found["interval"] / known}


def default(values: Clusters, paired: bool) -> Interval:
    """Return the interval that the project reports."""
    return mean_interval(values) if paired else rate_interval(values)


def bootstrapped(kind: str) -> Method:
    """Return a bootstrap interval; problems are drawn with all their values (Efron and Tibshirani, 1993, sections 13.3
    and 14.3).
    """

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
                confidence_level=0.95,
                method=kind,
                random_state=np.random.default_rng(0),
            ).confidence_interval
        return Interval(mean, float(low), float(high), values.n, len(counts))

    return interval


def main() -> int:
    from common import parse, report  # a test imports only this file
    from coverage_designs import tables

    options = parse(__doc__, bootstrap="also compute bootstrap intervals (takes minutes)")
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
                    begins = 1 if quantity.startswith("repair") else 0  # the arms share first answers: no difference
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
    title = f"p-values below 0.05 if FB@5 is the same, in %: {studies} studies; able: {MIN_DIFFERING}+ problems differ"
    report(title, rows, options.json)
    print(
        f"p-values outside 3-7%: {_outside(rows, 'p < 0.05', 3, 7)}; "
        f"able studies: {_outside(rows, 'able studies', 3, 7)}"
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
    report(f"FB@5 with faults during repairs, in pp and %: {studies} runs", rows, options.json)
    by_chance = [row for row in rows if row["of"] == "all"]
    print(f"Intervals with random faults outside 93-97%: {_outside(by_chance, 'interval', LEAST, MOST)}")

    found = tables(studies, options.seed)
    for title, rows in found.items():
        report(f"{title}: {studies} studies of {PROBLEMS} problems", rows, options.json)
    return 0


def _outside(rows: list[dict[str, Any]], figure: str, least: float, most: float) -> str:
    """Return the number of rows with a figure outside the accepted range."""
    return f"{sum(not least <= row[figure] <= most for row in rows)} of {len(rows)}"


def _rounded(found: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 1) for name, value in found.items()}


def _by_k(values: Array, begins: int = 0) -> dict[str, float | None]:
    return {f"k={k}": round(float(value), 1) if k >= begins else None for k, value in enumerate(values)}


if __name__ == "__main__":
    raise SystemExit(main())
