"""Horizons of simulated programs, with their intervals."""

import math
from random import Random

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from repair_bench.analysis.rates.horizon_fit import Fit, Program, _Likelihood, estimate

SIZES = (6, 8, 10, 12, 14, 16, 18, 20)


def drawn(horizon: float, programs: int = 1, arm: int = 0, seed: int = 0, spread: float = 0.1) -> list[Program]:
    rng = Random(f"{horizon} {seed} {arm}")
    found = []
    for size in SIZES:
        for _ in range(programs):
            octaves = math.log2(horizon / size) + spread * rng.gauss(0, 1)
            chance = 1 / (1 + math.exp(-10 * octaves))
            found.append(Program(size, sum(rng.random() < chance for _ in range(10)), 10, size, arm))
    return found


def of_counts(*solved: int, arm: int = 0) -> list[Program]:
    return [Program(size, n, 10, size, arm) for size, n in zip(SIZES, solved, strict=True)]


@pytest.mark.parametrize("arms", [1, 2])
@pytest.mark.parametrize("programs", [1, 3])
def test_gradient_matches_finite_differences(arms: int, programs: int) -> None:
    found = _Likelihood([one for arm in range(arms) for one in drawn(10 + arm, programs, arm)])
    values = np.array([3.2, 3.4][:arms] + [math.log(8), math.log(0.2), 0.03] + [0.7] * found.shares)
    assert found(values)[1] == pytest.approx(approx_fprime(values, lambda at: found(at)[0], 1e-6), abs=1e-2)


def test_horizon_of_many_programs_is_precise() -> None:
    found = estimate(tuple(drawn(11, programs=30)))
    assert found.value == pytest.approx(11, rel=0.05)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 11 < found.high < 1.1 * found.low


def test_horizon_is_where_half_of_the_instances_are_solved() -> None:
    found = estimate(tuple(of_counts(10, 10, 10, 5, 0, 0, 0, 0)))
    assert found.value == pytest.approx(12, rel=0.01)


@pytest.mark.parametrize("solved", [(10, 0, 0), (9, 0, 0), (8, 1, 0), (10, 1, 0)])
def test_horizon_of_three_programs_lies_where_the_rate_falls(solved: tuple[int, ...]) -> None:
    programs = tuple(Program(size, n, 10, size) for size, n in zip((12, 14, 16), solved, strict=True))
    found = estimate(programs)
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert 12 < found.value < 14
    assert found.low < 12 < 14 < found.high, "three programs show little"


@pytest.mark.slow
@pytest.mark.parametrize(
    "solved",
    [(10, 10, 9, 4, 1, 0, 0, 0), (10, 10, 10, 10, 9, 5, 1, 0), (9, 8, 6, 5, 4, 2, 1, 0), (10, 10, 9, 9, 10, 8, 3, 2)],
    ids=lambda solved: str(sum(solved)),
)
def test_ends_of_the_interval_have_the_threshold_as_deviance(solved: tuple[int, ...]) -> None:
    fit = Fit(of_counts(*solved))
    found = fit.estimate()
    assert found.low is not None
    assert found.high is not None
    for end in (found.low, found.high):
        assert math.sqrt(fit.deviance(math.log2(end))) == pytest.approx(math.sqrt(fit.threshold), abs=0.05)


def test_only_a_lower_limit_if_everything_is_solved() -> None:
    found = estimate(tuple(of_counts(*[10] * 8)))
    assert (found.value, found.high) == (None, None)
    assert found.low is not None
    assert 15 < found.low < 25


def test_only_an_upper_limit_if_nothing_is_solved() -> None:
    found = estimate(tuple(of_counts(*[0] * 8)))
    assert (found.value, found.low) == (None, None)
    assert found.high is not None
    assert 5 < found.high < 8


def test_lapses_do_not_move_the_horizon() -> None:
    without, with_lapses = (estimate(tuple(of_counts(n, n, n, n, 5, 0, 0, 0))).value for n in (10, 9))
    assert without is not None
    assert with_lapses == pytest.approx(without, rel=0.05)


@pytest.mark.slow
def test_samples_of_a_task_count_less_than_separate_tasks() -> None:
    programs = drawn(11, programs=3, seed=2)
    separate = [Program(one.size, one.solved, one.instances, n) for n, one in enumerate(programs)]
    widths = [found.high / found.low for made in (programs, separate) if (found := estimate(tuple(made)))]
    assert widths[0] > widths[1]


@pytest.mark.slow
def test_order_of_programs_does_not_matter() -> None:
    programs = drawn(11, programs=2)
    assert estimate(tuple(programs)) == estimate(tuple(reversed(programs)))


@pytest.mark.slow
def test_ratio_of_horizons_has_the_true_value() -> None:
    found = estimate((*drawn(10, 20), *drawn(12.5, 20, arm=1)))
    assert found.value == pytest.approx(1.25, rel=0.05)
    assert found.low is not None
    assert found.high is not None
    assert 1 < found.low < 1.25 < found.high


@pytest.mark.slow
def test_ratio_to_an_arm_that_solves_everything_has_a_lower_limit() -> None:
    found = estimate((*of_counts(10, 10, 9, 4, 1, 0, 0, 0), *of_counts(*[10] * 8, arm=1)))
    assert found.value is None
    assert found.low is not None
    assert found.low > 1.2


def test_ratio_from_one_task_has_no_interval() -> None:
    found = estimate((Program(8, 3, 10, "a"), Program(8, 6, 10, "a", 1)))
    assert (found.low, found.high) == (None, None)
