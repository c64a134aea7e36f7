"""Minimum detectable effects: by hand, and compared with simulated moments and simulated studies."""

from dataclasses import replace

import numpy as np
import pytest
from benchmark import benchmark
from scipy.stats import multinomial

from repair_bench.analysis.planning.pilot import (
    Covariances,
    FittedProblems,
    Outcome,
    PilotMoments,
    of_outcomes,
    of_pilot,
)
from repair_bench.analysis.planning.planned_comparisons import paired
from repair_bench.analysis.planning.power import (
    CORRELATION,
    Chances,
    StatedRates,
    correction,
    detectable_difference,
    power,
)
from repair_bench.analysis.rates.metrics import episodes
from repair_bench.analysis.rates.statistics import sign_flip, sign_flips
from repair_bench.testing.made_up_runs import study
from repair_bench.traces.run.study_lock import Comparison

RATES = StatedRates(0.5, 0.4, 0.3, CORRELATION, shared=True)


def test_power_with_one_pair_per_problem_is_mcnemars() -> None:
    """The sum over all outcomes of 12 pairs, of which 60% are won and 10% lost."""

    class Pairs:
        most = 0.6

        def chances(self, difference: float):
            return Chances(np.array([0.1 + difference]), np.array([0.1]), np.ones(1))

    found = 0.0
    for won in range(13):
        for lost in range(13 - won):
            if sign_flip([1.0] * won + [-1.0] * lost) < 0.05:
                found += multinomial.pmf([won, lost, 12 - won - lost], 12, [0.6, 0.1, 0.3])
    assert power(Pairs(), 0.5, 12, 1) == pytest.approx(found, abs=0.02)


def test_sign_flips_equals_sign_flip_per_study() -> None:
    studies = np.random.default_rng(0).integers(-2, 4, (40, 20))
    studies[0] = 0
    studies[1, 4:] = 0
    together = sign_flips(studies)
    assert together == pytest.approx([sign_flip(study) for study in studies.tolist()], abs=1e-12)
    assert together[0] == 1
    assert together[1] >= 2**-4


def test_no_difference_is_detectable_with_four_problems() -> None:
    assert power(RATES, RATES.max_difference, 4, 20) == 0
    assert detectable_difference(RATES, 4, 20) is None


def test_impossible_differences_are_not_detectable() -> None:
    assert detectable_difference(RATES, 10, 1) is None
    assert power(RATES, RATES.max_difference, 10, 1) < 0.8
    found = detectable_difference(RATES, 42, 1)
    assert found is not None
    assert 0.15 < found < RATES.max_difference == pytest.approx(0.3)


def test_no_difference_is_detectable_if_all_is_solved() -> None:
    assert detectable_difference(FittedProblems(0.4, 0.0, 1.0, 0.5, 0.0), 42, 3) is None
    assert detectable_difference(FittedProblems(0.0, 0.0, 0.0, 0.0, 0.0), 42, 3) is None


@pytest.mark.slow
@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize(
    ("first", "repaired", "icc", "problems", "samples"),
    [(0.0, 0.0, 0.0, 20, 1), (0.8, 0.0, 0.9, 100, 2), (0.2, 0.8, 1e-9, 60, 3), (0.4, 0.3, 0.5, 30, 9)],
)
def test_larger_studies_detect_smaller_differences(first, repaired, icc, problems, samples, shared) -> None:
    rates = StatedRates(first, repaired, icc, CORRELATION, shared=shared)
    found = detectable_difference(rates, problems, samples)
    more = [
        detectable_difference(rates, 2 * problems, samples),
        detectable_difference(rates, problems, 2 * samples),
        detectable_difference(rates, problems, samples, level=0.1),
    ]
    assert found is not None
    assert 0 < found <= rates.max_difference
    assert all(less is not None and less <= 1.05 * found for less in more)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("correlation", "shared"), [(CORRELATION, True), (CORRELATION, False), (0.0, True), (0.5, True), (1.0, True)]
)
def test_chances_match_simulated_problems(correlation, shared) -> None:
    rates, difference, pairs = StatedRates(0.4, 0.3, 0.3, correlation, shared=shared), 0.15, 3
    drawn = benchmark("power").stated_studies(rates, difference, 40_000, pairs, 1, 0)[0] / pairs
    chances = rates.chances(difference)
    gains = chances.won - chances.lost
    assert gains @ chances.share == pytest.approx(difference)
    assert drawn.mean() == pytest.approx(difference, abs=0.01)
    within = (chances.won + chances.lost - gains**2) @ chances.share
    assert gains**2 @ chances.share - difference**2 + within / pairs == pytest.approx(drawn.var(), rel=0.05)


@pytest.mark.parametrize(("difference", "luck"), [(0.0, 0.0), (0.1, 0.0), (0.1, 0.6), (0.1, -0.5)])
def test_fitted_problems_have_the_requested_difference(difference, luck) -> None:
    chances = FittedProblems(0.6, 0.3, 1.5, 0.5, luck).chances(difference)
    won, lost = chances.won, chances.lost
    assert (won - lost).mean() == pytest.approx(difference, abs=1e-4)
    assert min(won.min(), lost.min()) >= 0
    assert (won + lost).max() <= 1


def test_model_is_recovered_from_its_moments() -> None:
    true = FittedProblems(0.6, 0.3, 1.5, 0.5, 0.2)
    covariances = true.covariances(0.05)
    chances = true.chances(0.05)
    differ = float((chances.won + chances.lost).mean())
    moments = PilotMoments(0.6, 0.3, 0.05, differ, covariances, None)
    found = moments.problems(3, 1)
    assert found is not None
    assert (found.ability, found.own, found.luck) == pytest.approx((1.5, 0.5, 0.2), abs=0.02)
    assert moments.problems(1, 2) is None, "the covariance of framework variants is unknown"


def test_shared_first_answers_lower_the_detectable_difference() -> None:
    arms, models = (detectable_difference(replace(RATES, shared=s), 42, 1) for s in (True, False))
    assert arms is not None
    assert models is not None
    assert arms < models


def pairs(*outcomes: str) -> list[Outcome]:
    """Return outcomes of pairs, with the result of the other side first: "10" is won."""
    return [Outcome(int(o[1]), int(o[0]), True) for o in outcomes]


def moments(problems: list[list[list[Outcome]]]) -> PilotMoments:
    found = of_outcomes(problems).moments()
    assert found is not None
    return found


def test_pilot_moments_by_hand() -> None:
    """Two problems with two samples of one task: differences 1, 0 and 0, -1."""
    found = moments([[pairs("10", "11")], [pairs("00", "01")]])
    assert (found.open, found.unsolved, found.gained, found.differ) == (1.0, 0.5, 0.0, 0.5)
    in_problems, of_two_problems = (0 + 0.5) / 2, (0.5 * 1 + 0.5 * 0) / 2  # unsolved by one side times by the other
    assert found.samples == Covariances(sides=in_problems - of_two_problems, differences=0 - 0.5 * -0.5)
    assert found.twins is None
    assert found.problems(2, 1) is not None
    assert found.problems(1, 3) is None


def test_observed_difference_is_shrunk_by_its_variance() -> None:
    """A mean of 3/4 over four problems has variance 4/3 (3 (1/4)^2 + (3/4)^2) / 16 = 1/16, a ninth of its square."""
    found = moments([[pairs("10")], [pairs("10")], [pairs("10")], [pairs("00")]])
    assert found.gained == pytest.approx(3 / 4 * 8 / 9)
    assert found.unsolved == pytest.approx((1 + 1 / 4) / 2 + found.gained / 2), "the mean of both sides is unchanged"
    assert moments([[pairs("10")], [pairs("00")], [pairs("00")], [pairs("01")]]).gained == 0
    assert moments([[pairs("10")], [pairs("00")], [pairs("00")], [pairs("10")], [pairs("01")]]).gained == 0


def test_gain_of_more_samples_is_unknown_from_one_sample() -> None:
    found = moments([[pairs("10"), pairs("10")], [pairs("00"), pairs("01")]])
    assert found.samples is None
    assert found.twins is not None
    assert found.twins.differences == 0.5 - 1 * -0.5
    assert found.problems(1.1, 2) is None
    assert found.problems(1, 2) is not None
    assert of_outcomes([[pairs("10")]]).moments() is None
    assert of_outcomes([[pairs("10")]]).correction(1, 1, 42) == 1


def test_pilot_covariances_are_unbiased() -> None:
    """The mean over many small pilots is the true value: gains follow N(0, 0.2), so 0.04."""
    rng = np.random.default_rng(0)
    gains = rng.normal(0, 0.2, (400, 5, 1))
    differences = np.where(rng.random((400, 5, 2)) < np.abs(gains), np.sign(gains), 0)
    made = [moments([[[Outcome(0, d, True) for d in task]] for task in pilot]) for pilot in differences.tolist()]
    assert np.mean([found.samples.differences for found in made]) == pytest.approx(0.04, abs=0.01)


def test_resampled_pilots_have_unbiased_covariances() -> None:
    """A problem drawn twice does not count as two problems, which would give a covariance of 1/4."""
    pilot = of_outcomes([[pairs("10", "10")], [pairs("00", "00")]] * 5)
    drawn = np.random.default_rng(0).multinomial(10, np.full(10, 0.1), 4_000).astype(float)
    covariances = [pilot.moments(weights).samples.differences for weights in drawn]
    assert pilot.moments().samples.differences == pytest.approx(1 / 2 - 2 / 9)
    assert np.mean(covariances) == pytest.approx(1 / 2 - 2 / 9, abs=0.005)


@pytest.mark.slow
def test_plan_is_corrected_by_resampled_pilots() -> None:
    true = FittedProblems(0.6, 0.3, 1.5, 0.5, 0.2)
    rough = [FittedProblems(0.6, 0.3, 1.5, 0.5, luck) for luck in (0.9, -0.5)]
    assert correction(true, [true] * 4, 42, 1) == pytest.approx(1, abs=0.03)
    assert correction(true, rough[:1] * 4, 42, 1) > 1.1
    assert correction(true, rough[1:] * 4, 42, 1) < 0.95
    assert correction(true, [replace(true, unsolved=0.0)], 42, 1) == 1, "no resample plans a study"


def test_run_is_a_pilot_of_its_arms() -> None:
    attempts, _ = study(tasks=8, repairs=2, policies=("default", "none"), samples=2, frameworks=("qiskit", "cirq"))
    asked = Comparison("condition", "aligned", "sim/one", "none", "default", 2)
    made = paired(episodes(attempts), asked)
    assert len(made.pairs) == 8 * 2 * 2
    assert made.shared
    found = of_pilot(made, 2).moments()
    assert found is not None
    solved = [(b.solved_at is not None) - (a.solved_at is not None) for a, b in made.pairs]
    assert 0 <= found.gained < np.mean(solved)
    assert found.differ == pytest.approx(np.mean(np.abs(solved)))
    assert paired(episodes(attempts), Comparison("model", "aligned", "none", "sim/one", "sim/two", 2)).pairs == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rates", "problems", "samples", "difference"),
    [
        (RATES, 42, 1, 0.192),
        (replace(RATES, shared=False), 20, 3, 0.203),
        (StatedRates(0.7, 0.4, 0.5, CORRELATION, shared=True), 20, 9, 0.093),
    ],
)
def test_planned_power_is_76_to_84_percent(rates, problems, samples, difference) -> None:
    """A small run of `benchmarks/power.py`; docs/methods.md reports the full results."""
    bench = benchmark("power")
    found = detectable_difference(rates, problems, samples)
    assert found == pytest.approx(difference, abs=0.002)
    sums = bench.stated_studies(rates, found, problems, samples, 400, 1)
    assert 75 <= bench.found(sums) <= 85


@pytest.mark.parametrize("icc", [0.0, 0.1, 0.5, 0.95])
@pytest.mark.parametrize("difference", [0.0, 0.1, 0.3])
def test_correlated_repairs_keep_their_rates(icc, difference) -> None:
    """The correlation changes only the variance of the difference over problems, which is smallest at 1."""
    varies = []
    for correlation in (0.0, 0.5, 1.0):
        chances = StatedRates(0.4, 0.3, icc, correlation, shared=True).chances(difference)
        gains = chances.won - chances.lost
        assert gains @ chances.share == pytest.approx(difference)
        assert chances.share.sum() == pytest.approx(1)
        assert min(chances.won.min(), chances.lost.min()) >= -1e-12
        varies.append(gains**2 @ chances.share - difference**2)
    assert varies == sorted(varies, reverse=True)
    if difference == 0:
        assert varies[-1] == pytest.approx(0, abs=1e-12)
        assert varies[1] == pytest.approx(varies[0] / 2)


@pytest.mark.slow
def test_plan_covers_arms_with_correlated_difficulty() -> None:
    """With the default correlation the power is about 80% in a model unknown to the plan; with none it is 94%."""
    bench = benchmark("power")
    world = bench.World(-0.5, -2.0, 0)
    true = world.rates(0)
    assert true.correlation == pytest.approx(0.77, abs=0.02)

    def found(correlation: float) -> float:
        difference = detectable_difference(replace(true, correlation=correlation), 42, 3)
        sums = world.sums(np.random.default_rng(0), 600, 42, 1, 3, world.effect_of(difference))
        return bench.found(sums)

    assert 71 <= found(CORRELATION) <= 84
    assert found(0.0) > 90


@pytest.mark.slow
def test_interim_looks_increase_the_error_rate() -> None:
    """A small run of `benchmarks/power.py`; docs/methods.md reports the full results."""
    sums = np.random.default_rng(0).integers(-2, 3, (4_000, 50))
    five, ten = (benchmark("power").looked_at(sums, looks) for looks in (5, 10))
    assert 3 <= five["planned"] == ten["planned"] <= 7
    assert 10 < five["any"] < ten["any"]


@pytest.mark.slow
def test_error_rate_without_warning_is_below_7_percent() -> None:
    """At least 20 problems differ; with fewer, the error rate is 12% or more."""
    rows = list(benchmark("power").skewed_rows(1_000, 0))
    assert max(row["without"] for row in rows if row["without"] is not None) < 8.5
    assert max(row["error"] for row in rows if row["warned"] == 100) > 9
    assert all(row["warned"] == 100 for row in rows if row["problems"] < 20)


@pytest.mark.slow
def test_planned_power_holds_for_a_pilot_of_easy_tasks() -> None:
    """The pilot has many problems, so its error is small; few problems carry the skewed difference."""
    bench = benchmark("power")
    world = bench.World(1.5, -1.0, 0)
    rng = np.random.default_rng(1)
    seen = np.moveaxis(world.study(rng, 5_000, 1, 3, 0.0), 0, -1).tolist()
    model = (
        of_outcomes([[[Outcome(*pair) for pair in task] for task in tasks] for tasks in seen]).moments().problems(3, 1)
    )
    difference = detectable_difference(model, 42, 3)
    before, after, _ = world.study(rng, 42 * 600, 1, 3, world.effect_of(difference))
    sums = (after.astype(int) - before).sum(axis=(1, 2)).reshape(600, 42)
    assert 75 <= bench.found(sums) <= 85
