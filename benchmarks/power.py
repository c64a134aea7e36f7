"""How often a planned difference is found: simulated studies, planned for 80%.

    python benchmarks/power.py [--quick] [--json FILE]

`detectable_difference` says which difference a study finds in 80 of 100; studies in which the truth differs by just so
much are then drawn, and judged by the test that a report makes (`sign_flips`, p below 0.05). 76 to 84% are asked for.

- Stated rates: the studies are drawn by the model of problems that the plan supposes, arms from shared first answers
  and models side by side.
- A pilot: problems have an ability, twins that depart from it and effects of their own, in logits, as in `coverage`,
  and five repairs that may each solve one. The plan knows none of these figures, but a pilot of fresh problems whose
  arms do not differ on average. The plan is as random as its pilot, and what it promises is an average: 100 pilots, and
  20 studies by the plan of each. The differences that 10 and 90 of 100 plans say are beside their median.
- A pilot of 5,000 problems, which leaves nothing to chance, in 2,000 studies: whether the model that is fitted is good.

Of 400 studies a share of 80% comes out between 76 and 84 in 95 of 100 cases, of 2,000 between 78.2 and 81.8. Of 2,000
by 100 pilots, whose powers have a standard deviation of about 15 points, between 76.5 and 83.5.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np
from scipy.special import expit

from repair_bench.analysis.pilot import Outcome, of_outcomes
from repair_bench.analysis.power import LEVEL, StatedRates, detectable_difference
from repair_bench.analysis.statistics import sign_flips

Array = np.ndarray
LEAST, MOST = 76.0, 84.0
REPAIRS = 5
ABILITIES, TWINS, EFFECTS = 1.5, 0.7, 0.5


def found(sums: Array) -> float:
    """In how many of 100 studies the difference is found. `sums`: (studies, problems)."""
    return 100 * float(np.mean(sign_flips(sums) < LEVEL))


def stated_studies(rates: StatedRates, difference: float, problems: int, pairs: int, studies: int, seed: Any) -> Array:
    """The differences summed by problem, (studies, problems), drawn by the model of problems."""
    rng = np.random.default_rng(seed)

    def drawn(mean: float) -> Array:
        if mean in (0.0, 1.0) or rates.alike == 0:
            return np.full((studies, problems), mean)
        size = 1 / rates.alike - 1
        return rng.beta(mean * size, (1 - mean) * size, (studies, problems))

    first = drawn(rates.first)
    before, after = drawn(rates.repaired), drawn(min(1.0, rates.repaired + difference / (1 - rates.first)))
    if rates.shared:
        failed = rng.binomial(pairs, 1 - first)
        won = rng.binomial(failed, (1 - before) * after)
        lost = rng.binomial(failed - won, before * (1 - after) / np.maximum(1 - (1 - before) * after, 1e-12))
        return won - lost
    return rng.binomial(pairs, 1 - (1 - first) * (1 - after)) - rng.binomial(pairs, 1 - (1 - first) * (1 - before))


def stated_rows(studies: int, seed: int) -> Iterator[dict[str, Any]]:
    cell = count()
    for first, repaired, alike in ((0.5, 0.4, 0.3), (0.2, 0.2, 0.3), (0.3, 0.5, 0.1), (0.7, 0.4, 0.5)):
        for shared in (True, False):
            for problems in (20, 42, 150):
                for pairs in (1, 3, 9):
                    rates = StatedRates(first, repaired, alike, shared=shared)
                    difference = detectable_difference(rates, problems, pairs)
                    row = {
                        "first": first,
                        "repaired": repaired,
                        "alike": alike,
                        "of": "arms" if shared else "models",
                        "problems": problems,
                        "pairs of each": pairs,
                    }
                    if difference is not None:
                        sums = stated_studies(rates, difference, problems, pairs, studies, (seed, next(cell)))
                        yield {**row, "difference": round(100 * difference, 1), "found": round(found(sums), 1)}


class World:
    """Two arms from shared first answers, as in `coverage`. `effect`: what the other adds to each repair, in logits."""

    def __init__(self, first: float, repair: float, seed: int) -> None:
        self.first, self.repair = first, repair
        self.effects = np.linspace(0, 5, 101)
        rng = np.random.default_rng(seed)
        drawn = self.problems(rng, 400_000, 1)  # of fewer, the effect that is planted is off by some percent
        chances = [self.chances(*drawn, effect) for effect in self.effects]
        self.differences = [float(np.mean((1 - p) * (after - before))) for p, before, after in chances]

    def problems(self, rng: np.random.Generator, problems: int, twins: int) -> tuple[Array, Array]:
        """Abilities (problems, twins) and the arms' own effects (2, problems, 1)."""
        ability = rng.normal(0, ABILITIES, (problems, 1)) + rng.normal(0, TWINS, (problems, twins))
        return ability, rng.normal(0, EFFECTS, (2, problems, 1))

    def chances(self, ability: Array, own: Array, effect: float) -> tuple[Array, Array, Array]:
        """Of a first answer, and of repairs by either arm within 5, each (problems, twins)."""
        repair = self.repair + 0.7 * ability
        before, after = (1 - (1 - expit(repair + own[arm] + arm * effect)) ** REPAIRS for arm in (0, 1))
        return expit(self.first + ability), before, after

    def study(self, rng: np.random.Generator, problems: int, twins: int, samples: int, effect: float) -> Array:
        """(baseline, other, open) of each pair: (3, problems, twins, samples)."""
        first, before, after = (c[..., None] for c in self.chances(*self.problems(rng, problems, twins), effect))
        shape = (problems, twins, samples)
        passed = rng.random(shape) < first
        solved = [passed | (rng.random(shape) < chance) for chance in (before, after)]
        return np.stack([*solved, ~passed])

    def effect_of(self, difference: float) -> float:
        return float(np.interp(difference, self.differences, self.effects))


TASKS = {"hard tasks": (-2.0, -3.0), "middling tasks": (-0.5, -2.0), "easy tasks": (1.5, -1.0)}
"""Logits of a first answer, and of a repair."""
PLANNED = ((20, 42, 1, 3), (42, 42, 1, 3), (150, 42, 3, 1), (42, 150, 1, 1))
"""Problems of the pilot, and problems, frameworks and samples of the study."""
STUDIES_EACH = 20


def pilot_rows(pilots: int, seed: int) -> Iterator[dict[str, Any]]:
    for world, tasks in enumerate(TASKS):
        made = World(*TASKS[tasks], seed)
        for cell, sizes in enumerate(PLANNED):
            yield {"tasks": tasks, **_found_by_pilots(made, *sizes, pilots, STUDIES_EACH, (seed, 1, world, cell))}


def large_pilot_rows(studies: int, seed: int) -> Iterator[dict[str, Any]]:
    for world, tasks in enumerate(TASKS):
        made = World(*TASKS[tasks], seed)
        for cell, (_, *sizes) in enumerate(PLANNED[1:]):
            yield {"tasks": tasks, **_found_by_pilots(made, 5_000, *sizes, 1, studies, (seed, 2, world, cell))}


def _found_by_pilots(
    world: World, piloted: int, problems: int, twins: int, samples: int, pilots: int, studies: int, seed: Any
) -> dict[str, Any]:
    """`studies`: so many by the plan of each pilot; a pilot that says that nothing can be found plans none."""
    rng = np.random.default_rng(seed)
    planned, sums = [], []
    for _ in range(pilots):
        difference = planned_difference(world.study(rng, piloted, twins, max(2, samples), 0.0), problems, samples)
        if difference is None or difference > world.differences[-1]:
            continue
        planned.append(difference)
        before, after, _ = world.study(rng, studies * problems, twins, samples, world.effect_of(difference))
        sums.append((after.astype(int) - before).sum(axis=(1, 2)).reshape(studies, problems))
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
    """What `--plan` says after a pilot, (baseline, other, open) of each pair as `World.study` has them."""
    pairs = np.moveaxis(pilot, 0, -1).tolist()
    sums = of_outcomes([[[Outcome(*pair) for pair in task] for task in tasks] for tasks in pairs])
    moments, twins = sums.moments(), pilot.shape[2]
    assert moments is not None
    model = moments.problems(samples, twins)
    assert model is not None
    difference = detectable_difference(model, problems, samples * twins)
    return None if difference is None else min(model.most, sums.correction(samples, twins, problems) * difference)


def main() -> int:
    from common import parse, report  # a test imports this file alone

    options = parse(__doc__)
    tables = (
        ("stated rates", stated_rows, 2_000),
        ("a pilot", pilot_rows, 100),
        ("one large", large_pilot_rows, 2_000),
    )
    for by, made, full in tables:
        number = full // 5 if options.quick else full
        rows = list(made(number, options.seed))
        report(f"Found of 100 studies planned for 80, by {by}: {number}", rows, options.json)
        outside = [row for row in rows if not LEAST <= row["found"] <= MOST]
        print(f"Outside {LEAST:.0f}-{MOST:.0f}%: {len(outside)} of {len(rows)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
