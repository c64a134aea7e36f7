"""Power of planned comparisons, and error rates of tests without a true difference, in simulated studies.

    python benchmarks/power.py [--quick] [--json FILE]

Power, planned for 80%; the accepted range is 76 to 84%. `detectable_difference` plans the difference that a study
detects with a power of 80%. Studies with this true difference are then drawn, and tested as in a report (`sign_flips`,
p below 0.05).

- Given rates: studies are drawn from the same model of problems as the plan, both for arms with shared first answers
  and for models.
- Correlated arms: the plan has the true rates of the tasks below, and a correlation of the arms' repairs: 0, the
  default, or the true one. Unlike in the plan, the studies are drawn in logits, and each arm may have further effects
  on problems (`own effects`).
- A pilot: problems have an ability, framework variants that deviate from it, and effects of their own, in logits, as in
  `coverage`. Up to five repairs may each solve a problem. The plan uses none of these figures, only a pilot with fresh
  problems whose arms do not differ on average. A plan is as random as its pilot, so power is averaged over 100 pilots,
  with 20 studies per plan. The table shows the median and the 10% and 90% quantiles of the planned differences.
- A pilot of 5,000 problems, which has almost no sampling error, and 2,000 studies: these test the fitted model.

With 400 studies, a power of 80% is estimated between 76% and 84% in 95% of cases; with 2,000, between 78.2% and 81.8%;
with 2,000 by 100 pilots, whose powers have a standard deviation of about 15 points, between 76.5% and 83.5%.

Error rates of p below 0.05; the accepted range is 3 to 7%:

- Interim looks: the tasks below without a mean difference, and a p-value after each fifth or tenth of the problems.
  `any`: the share of studies in which any p is below 0.05. `planned`: the same for the p over all problems, as in a
  report.
- Skewed effects with a mean of 0: many problems gain a little and a few lose much (2 or 4 times as much), or some do
  not differ. These are the probabilities that a problem's pairs are won or lost. `warned`: the share of studies in
  which fewer than 20 problems differ, so that a report prints a warning. `without`: the error rate of the other
  studies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import count, islice
from typing import Any

import numpy as np
from scipy.special import betaincinv, expit

from repair_bench.analysis.planning.pilot import Outcome, of_outcomes
from repair_bench.analysis.planning.power import CORRELATION, LEVEL, StatedRates, detectable_difference
from repair_bench.analysis.rates.statistics import SYMMETRIC, sign_flips

Array = np.ndarray
POWER, ERRORS = (76.0, 84.0), (0.0, 7.0)
"""The accepted ranges in %. Error rates are below 3% if few problems differ."""
REPAIRS = 5
ABILITIES, TWINS, EFFECTS = 1.5, 0.7, 0.5
QUICK_ROWS = 1


def found(sums: Array) -> float:
    """Return the percentage of studies that detect the difference. `sums`: (studies, problems)."""
    return 100 * float(np.mean(sign_flips(sums) < LEVEL))


def stated_studies(rates: StatedRates, difference: float, problems: int, pairs: int, studies: int, seed: Any) -> Array:
    """Return the differences summed by problem, (studies, problems), from the plan's model of problems."""
    rng = np.random.default_rng(seed)

    def quantiles(mean: float, places: Array) -> Array:
        if mean in (0.0, 1.0) or rates.icc == 0:
            return np.full((studies, problems), mean)
        size = 1 / rates.icc - 1
        return betaincinv(mean * size, (1 - mean) * size, places)

    first, *places = (rng.random((studies, problems)) for _ in range(3))
    places[1] = np.where(rng.random((studies, problems)) < rates.correlation, *places)
    first = quantiles(rates.first, first)
    means = rates.repaired, min(1.0, rates.repaired + difference / (1 - rates.first))
    before, after = map(quantiles, means, places)
    if rates.shared:
        failed = rng.binomial(pairs, 1 - first)
        won = rng.binomial(failed, (1 - before) * after)
        lost = rng.binomial(failed - won, before * (1 - after) / np.maximum(1 - (1 - before) * after, 1e-12))
        return won - lost
    return rng.binomial(pairs, 1 - (1 - first) * (1 - after)) - rng.binomial(pairs, 1 - (1 - first) * (1 - before))


def stated_rows(studies: int, seed: int) -> Iterator[dict[str, Any]]:
    cell = count()
    for first, repaired, icc in ((0.5, 0.4, 0.3), (0.2, 0.2, 0.3), (0.3, 0.5, 0.1), (0.7, 0.4, 0.5)):
        for shared in (True, False):
            for problems in (20, 42, 150):
                for pairs in (1, 3, 9):
                    rates = StatedRates(first, repaired, icc, CORRELATION, shared=shared)
                    difference = detectable_difference(rates, problems, pairs)
                    row = {
                        "first": first,
                        "repaired": repaired,
                        "icc": icc,
                        "of": "arms" if shared else "models",
                        "problems": problems,
                        "pairs of each": pairs,
                    }
                    if difference is not None:
                        sums = stated_studies(rates, difference, problems, pairs, studies, (seed, next(cell)))
                        yield {**row, "difference": round(100 * difference, 1), "found": round(found(sums), 1)}


@cache
def world_of(tasks: str, seed: int, own: float = EFFECTS) -> World:
    return World(*TASKS[tasks], seed, own)


class World:
    """Two arms with shared first answers, as in `coverage`.

    `effect`: the effect of the second arm on each repair, in logits. `own`: the standard deviation of effects of each
    arm on problems.
    """

    def __init__(self, first: float, repair: float, seed: int, own: float = EFFECTS) -> None:
        self.first, self.repair, self.own = first, repair, own
        self.effects = np.linspace(0, 5, 101)
        rng = np.random.default_rng(seed)
        drawn = self.problems(rng, 400_000, 1)  # with fewer draws, the effect is wrong by a few percent
        chances = [self.chances(*drawn, effect) for effect in self.effects]
        self.differences = [float(np.mean((1 - p) * (after - before))) for p, before, after in chances]

    def problems(self, rng: np.random.Generator, problems: int, twins: int) -> tuple[Array, Array]:
        """Return abilities (problems, twins) and effects of the arms (2, problems, 1)."""
        ability = rng.normal(0, ABILITIES, (problems, 1)) + rng.normal(0, TWINS, (problems, twins))
        return ability, rng.normal(0, self.own, (2, problems, 1))

    def chances(self, ability: Array, own: Array, effect: float) -> tuple[Array, Array, Array]:
        """Return the probabilities of a first answer, and of a repair within 5 by each arm: (problems, twins)."""
        repair = self.repair + 0.7 * ability
        before, after = (1 - (1 - expit(repair + own[arm] + arm * effect)) ** REPAIRS for arm in (0, 1))
        return expit(self.first + ability), before, after

    def study(self, rng: np.random.Generator, problems: int, twins: int, samples: int, effect: float) -> Array:
        """Return (baseline, other, open) of each pair: (3, problems, twins, samples)."""
        first, before, after = (c[..., None] for c in self.chances(*self.problems(rng, problems, twins), effect))
        shape = (problems, twins, samples)
        passed = rng.random(shape) < first
        solved = [passed | (rng.random(shape) < chance) for chance in (before, after)]
        return np.stack([*solved, ~passed])

    def sums(
        self, rng: np.random.Generator, studies: int, problems: int, twins: int, samples: int, effect: float
    ) -> Array:
        """Return the differences of many studies summed by problem: (studies, problems)."""
        before, after, _ = self.study(rng, studies * problems, twins, samples, effect)
        return (after.astype(int) - before).sum(axis=(1, 2)).reshape(studies, problems)

    def rates(self, seed: int) -> StatedRates:
        """Return the true rates without an effect, as `--rates` takes them: `repaired` and `correlation` over failed
        first answers, `icc` as the mean over first answers and repairs.
        """
        drawn = self.problems(np.random.default_rng(seed), 400_000, 1)
        first, before, after = (chances[:, 0] for chances in self.chances(*drawn, 0.0))
        repaired = np.average(before, weights=1 - first)
        covariance = np.cov(before, after, aweights=1 - first)
        icc = np.var(first) / (first.mean() * (1 - first.mean())), covariance[0, 0] / (repaired * (1 - repaired))
        correlation = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
        return StatedRates(first.mean(), repaired, np.mean(icc), min(1.0, correlation), shared=True)

    def effect_of(self, difference: float) -> float:
        return float(np.interp(difference, self.differences, self.effects))


TASKS = {"hard tasks": (-2.0, -3.0), "middling tasks": (-0.5, -2.0), "easy tasks": (1.5, -1.0)}
"""The logits of a first answer and of a repair."""
PLANNED = ((20, 42, 1, 3), (42, 42, 1, 3), (150, 42, 3, 1), (42, 150, 1, 1))
"""Problems of the pilot; problems, frameworks and samples of the study."""
STUDIES_EACH = 20


def correlated_rows(studies: int, seed: int) -> Iterator[dict[str, Any]]:
    for world, (tasks, own) in enumerate((tasks, own) for tasks in TASKS for own in (0.0, EFFECTS)):
        made = world_of(tasks, seed, own)
        true = made.rates(seed)
        for cell, (problems, twins, samples) in enumerate(((42, 1, 1), (42, 1, 3), (150, 3, 1))):
            row = {"tasks": tasks, "own effects": own, "problems": problems, "pairs of each": twins * samples}
            row["correlation"] = round(true.correlation, 2)
            for supposed in (0.0, CORRELATION, true.correlation):
                difference = detectable_difference(replace(true, correlation=supposed), problems, twins * samples)
                if difference is None or difference > made.differences[-1]:
                    continue
                rng = np.random.default_rng((seed, 3, world, cell))
                sums = made.sums(rng, studies, problems, twins, samples, made.effect_of(difference))
                planned = {"supposed": round(supposed, 2), "difference": round(100 * difference, 1)}
                yield {**row, **planned, "found": round(found(sums), 1)}


def peeking_rows(studies: int, seed: int) -> Iterator[dict[str, Any]]:
    """Return the rows on repeated looks at the same studies."""
    for world, tasks in enumerate(TASKS):
        made = world_of(tasks, seed)
        for cell, problems in enumerate((50, 150)):
            sums = made.sums(np.random.default_rng((seed, 4, world, cell)), studies, problems, 1, 3, 0.0)
            for looks in (5, 10):
                yield {"tasks": tasks, "problems": problems, "looks": looks, **looked_at(sums, looks)}


def looked_at(sums: Array, looks: int) -> dict[str, float]:
    """Return the percentages of studies that detect a difference at any look, and at the last look."""
    problems = sums.shape[1]
    seen = [sign_flips(sums[:, : problems * n // looks]) < LEVEL for n in range(1, looks + 1)]
    return {
        "any": round(100 * float(np.mean(np.any(seen, axis=0))), 1),
        "planned": round(100 * float(np.mean(seen[-1])), 1),
    }


def skewed_sums(rng: np.random.Generator, studies: int, problems: int, pairs: int, times: int, none: float) -> Array:
    """Return sums by problem of effects with a mean of 0. For each problem that loses `times` 0.2, `times` problems
    gain 0.2; a share `none` of all problems has no effect.
    """
    shape = (studies, problems)
    effects = np.where(rng.random(shape) < 1 / (1 + times), -0.2 * times, 0.2) * (rng.random(shape) >= none)
    return np.sign(effects).astype(int) * rng.binomial(pairs, np.abs(effects))


def skewed_rows(studies: int, seed: int) -> Iterator[dict[str, Any]]:
    cell = count()
    for times, none in ((2, 0.0), (4, 0.0), (4, 0.5)):
        for pairs in (1, 3, 9):
            for problems in (5, 10, 20, 42, 150):
                rng = np.random.default_rng((seed, 5, next(cell)))
                sums = skewed_sums(rng, studies, problems, pairs, times, none)
                warned = np.count_nonzero(sums, axis=1) < SYMMETRIC
                without = sums[~warned]
                yield {
                    "times": times,
                    "none": none,
                    "pairs of each": pairs,
                    "problems": problems,
                    "error": round(found(sums), 1),
                    "warned": round(100 * float(np.mean(warned)), 1),
                    "without": round(found(without), 1) if 20 * len(without) >= studies else None,
                }


def pilot_rows(pilots: int, seed: int) -> Iterator[dict[str, Any]]:
    for world, tasks in enumerate(TASKS):
        made = world_of(tasks, seed)
        for cell, sizes in enumerate(PLANNED):
            yield {"tasks": tasks, **_found_by_pilots(made, *sizes, pilots, STUDIES_EACH, (seed, 1, world, cell))}


def large_pilot_rows(studies: int, seed: int) -> Iterator[dict[str, Any]]:
    for world, tasks in enumerate(TASKS):
        made = world_of(tasks, seed)
        for cell, (_, *sizes) in enumerate(PLANNED[1:]):
            yield {"tasks": tasks, **_found_by_pilots(made, 5_000, *sizes, 1, studies, (seed, 2, world, cell))}


def _found_by_pilots(
    world: World, piloted: int, problems: int, twins: int, samples: int, pilots: int, studies: int, seed: Any
) -> dict[str, Any]:
    """Return the power of plans from pilots. `studies`: the number per plan; none if a plan detects no difference."""
    rng = np.random.default_rng(seed)
    planned, sums = [], []
    for _ in range(pilots):
        difference = planned_difference(world.study(rng, piloted, twins, max(2, samples), 0.0), problems, samples)
        if difference is None or difference > world.differences[-1]:
            continue
        planned.append(difference)
        sums.append(world.sums(rng, studies, problems, twins, samples, world.effect_of(difference)))
    low, middle, high = np.quantile(planned, (0.1, 0.5, 0.9))
    return {
        "pilot's problems": piloted,
        "problems": problems,
        "frameworks": twins,
        "samples": samples,
        "none of 100": round(100 * (1 - len(planned) / pilots)),
        "difference": f"{100 * middle:.1f} ({100 * low:.1f}-{100 * high:.1f})",
        "found": round(found(np.concatenate(sums)), 1),
    }


def planned_difference(pilot: Array, problems: int, samples: int) -> float | None:
    """Return the `--plan` result of a pilot with (baseline, other, open) of each pair, as in `World.study`."""
    pairs = np.moveaxis(pilot, 0, -1).tolist()
    sums = of_outcomes([[[Outcome(*pair) for pair in task] for task in tasks] for tasks in pairs])
    moments, twins = sums.moments(), pilot.shape[2]
    assert moments is not None
    model = moments.problems(samples, twins)
    assert model is not None
    difference = detectable_difference(model, problems, samples * twins)
    return (
        None
        if difference is None
        else min(model.max_difference, sums.correction(samples, twins, problems) * difference)
    )


def main() -> int:
    from common import parse, report  # a test imports only this file

    options = parse(__doc__)
    planned = "Power in %, planned for 80%, by"
    tables = (
        (f"{planned} stated rates", stated_rows, 2_000, "found", POWER),
        (f"{planned} a correlation of the arms", correlated_rows, 2_000, "found", POWER),
        (f"{planned} a pilot", pilot_rows, 100, "found", POWER),
        (f"{planned} one large", large_pilot_rows, 2_000, "found", POWER),
        ("Error rates in % with interim looks", peeking_rows, 10_000, "planned", ERRORS),
        ("Error rates in % with skewed effects", skewed_rows, 10_000, "without", ERRORS),
    )
    for title, made, full, name, (least, most) in tables:
        number = full // 20 if options.quick else full
        rows = list(islice(made(number, options.seed), QUICK_ROWS if options.quick else None))
        report(f"{title}: {number}", rows, options.json)
        figures = [row[name] for row in rows if row[name] is not None]
        outside = sum(not least <= figure <= most for figure in figures)
        print(f"{name} outside {least:.0f}-{most:.0f}%: {outside} of {len(figures)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
