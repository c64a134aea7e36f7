import pytest
from benchmark import benchmark
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, ttest_1samp

from repair_bench.analysis.rates.intervals import (
    Clusters,
    Interval,
    mean_interval,
    rate_interval,
)
from repair_bench.analysis.rates.statistics import wilson

Z = 1.959963984540054
OUTCOMES = st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=5), min_size=1, max_size=30)
DIFFERENCES = st.lists(st.lists(st.integers(-1, 1), min_size=1, max_size=5), min_size=1, max_size=30)


def clusters(values):
    return Clusters.of((problem, value) for problem, of_one in enumerate(values) for value in of_one)


def figures(interval):
    return interval.estimate, interval.low, interval.high


def test_values_are_summed_by_problem_in_order():
    made = Clusters.of([("b", 1.0), ("a", 0.0), ("b", 1.0), ("b", 0.0)])
    assert (made.sums, made.counts) == ([2.0, 0.0], [3, 1])


def test_an_interval_of_three_problems_computed_by_hand():
    """Sums 3, 1, 0 of counts 3, 3, 2: m = 4/8, the residuals are 1.5, -0.5, -1, v = 3/2 * 3.5 / 64; t(2) = 4.30265."""
    found = mean_interval(Clusters([3, 1, 0], [3, 3, 2]))
    half = 4.302652729911275 * (1.5 * 3.5 / 64) ** 0.5
    assert (found.estimate, found.n, found.problems) == (0.5, 8, 3)
    assert (found.low, found.high) == (pytest.approx(max(-1, 0.5 - half)), pytest.approx(min(1, 0.5 + half)))


def test_a_rate_of_three_problems_computed_by_hand():
    """Sums 3, 1, 0 of counts 3, 3, 2, and a fifth of a problem of 8/3 values at either end.

    p = (4 + 1.6/3) / (8 + 3.2/3) = 0.5: squares 1.5^2 + 0.5^2 + 1 + 2 * 0.2 * (4/3)^2 = 4.2111; if all values of a
    problem agreed and every problem had 8/3 values, 3.4 * 64/9 / 4 = 6.0444. n* = 3 * 6.0444 / 4.2111.
    """
    found = rate_interval(Clusters([3, 1, 0], [3, 3, 2]))
    n, quantile = 3 * 6.044444 / 4.211111, 1.959964 * 4.302653 / 2.364624  # t(2) and t(7)
    assert figures(found) == (0.5, *(pytest.approx(end, abs=1e-5) for end in wilson(0.5, n, quantile)))


def test_rate_with_one_value_per_problem_has_wilson_interval():
    found = rate_interval(clusters([[1]] * 291 + [[0]] * 59))
    assert (found.low, found.high) == pytest.approx(wilson(291 / 350, 350, Z))


def test_difference_with_one_value_per_problem_has_t_interval():
    values = [1, 0, 0, -1, 1, 1, 0, 1, 0, 0, 0, -1]
    expected = ttest_1samp(values, 0).confidence_interval(0.95)
    found = mean_interval(clusters([[v] for v in values]))
    assert (found.low, found.high) == (pytest.approx(expected.low), pytest.approx(expected.high))


def test_perfectly_correlated_variants_add_no_information():
    """Of 126 episodes, each of 42 problems is solved in all three frameworks or in none: 42 values, not 126."""
    values = [1.0] * 20 + [0.0] * 22
    twins, samples = (rate_interval(clusters([[v] * n for v in values])) for n in (3, 30))
    assert figures(twins) == pytest.approx(figures(samples), rel=0.02)
    alone = wilson(20 / 42, 42, Z)
    assert twins.high - twins.low == pytest.approx(alone[1] - alone[0], rel=0.05)
    independent = wilson(60 / 126, 126, Z)
    assert twins.high - twins.low > 1.6 * (independent[1] - independent[0])


@settings(deadline=None)
@given(st.integers(1, 500), st.data())
def test_wilson_solves_the_score_equation_and_equals_scipy(n, data):
    successes = data.draw(st.integers(0, n))
    rate = successes / n
    low, high = wilson(rate, n, Z)
    assert 0 <= low <= rate <= high <= 1
    for bound in (low, high):
        assert (rate - bound) ** 2 == pytest.approx(Z * Z * bound * (1 - bound) / n, abs=1e-9)
    assert wilson(1 - rate, n, Z) == (pytest.approx(1 - high), pytest.approx(1 - low))
    theirs = binomtest(successes, n).proportion_ci(0.95, method="wilson")
    assert (low, high) == (pytest.approx(theirs.low), pytest.approx(theirs.high))


@given(OUTCOMES)
def test_a_rate_is_in_its_interval_and_the_interval_in_0_to_1(values):
    found = rate_interval(clusters(values))
    flat = [v for of_one in values for v in of_one]
    assert (found.n, found.problems) == (len(flat), len(values))
    assert found.estimate == pytest.approx(sum(flat) / len(flat))
    assert 0 <= found.low <= found.estimate <= found.high <= 1
    assert found.low < found.high


@given(OUTCOMES)
def test_failures_have_the_mirrored_interval(values):
    found, mirrored = rate_interval(clusters(values)), rate_interval(clusters([[1 - v for v in one] for one in values]))
    assert (1 - mirrored.high, 1 - mirrored.low) == (pytest.approx(found.low), pytest.approx(found.high))


@given(DIFFERENCES, st.randoms(use_true_random=False))
def test_the_order_of_problems_and_the_direction_do_not_matter(values, random):
    found = mean_interval(clusters(values))
    assert -1 <= found.low <= found.estimate <= found.high <= 1
    shuffled = random.sample(values, len(values))
    assert figures(mean_interval(clusters(shuffled))) == pytest.approx(figures(found), abs=1e-12)
    low, high = (-x for x in (found.high, found.low))
    turned = mean_interval(clusters([[-v for v in one] for one in values]))
    assert (turned.low, turned.high) == (pytest.approx(low, abs=1e-12), pytest.approx(high, abs=1e-12))


@given(DIFFERENCES, st.integers(2, 4))
def test_duplicated_values_do_not_narrow_an_interval(values, times):
    once, again = (mean_interval(clusters([one * n for one in values])) for n in (1, times))
    assert figures(again) == pytest.approx(figures(once), abs=1e-9)


def test_interval_of_equal_problems_has_positive_width():
    none = mean_interval(clusters([[0, 0, 0]] * 42))
    assert none.high == -none.low == pytest.approx(2.0195409704413767**2 / (42 + 2.0195409704413767**2))
    never = rate_interval(clusters([[0, 0, 0]] * 42))
    assert never.low == 0 < never.high < 0.1


def test_intervals_of_no_and_one_problem():
    empty = Interval(None, None, None, 0, 0)
    assert rate_interval(clusters([])) == mean_interval(clusters([])) == empty
    one = rate_interval(clusters([[1, 0, 1]]))
    assert one.high - one.low > 0.75


@pytest.fixture
def coverage():
    """Return the script `benchmarks/coverage.py`; docs/methods.md reports its full results."""
    return benchmark("coverage")


@pytest.mark.slow
def test_interval_coverage_is_93_to_97_percent(coverage):
    """With 400 studies, a coverage of 95% is estimated between 91.7% and 98.3% in 997 of 1000 cases."""
    for scenario in coverage.SCENARIOS:
        for quantity, (_, held) in coverage.coverage(scenario, 400, coverage.default).items():
            if quantity != coverage.WILSON:
                by_k = held[1:] if quantity.startswith("repair") else held
                assert ((by_k >= 91.5) & (by_k <= 98.5)).all(), (scenario.name, quantity, by_k)


@pytest.mark.slow
@pytest.mark.parametrize(("first", "least"), [(1.0, 91.5), (2.0, 93), (3.0, 93)])
def test_interval_of_pass_at_5_near_1_has_nominal_coverage(coverage, first, least):
    true, held = coverage.sampled_coverage(coverage.Scenario("", first, 0, 0), 400, 10, 5)
    assert true > 0.95
    assert held >= least


@pytest.mark.slow
@pytest.mark.parametrize("slopes", [0.0, 1.5])
def test_p_values_have_an_error_rate_of_about_5_percent(coverage, slopes):
    """1 to 10 of 100 studies reject in 98% of cases; tests that treat samples as independent reject in 23 to 29."""
    none = coverage.no_difference(coverage.SCENARIOS[1], 3, slopes)
    assert 1 <= coverage.rejections(none, 100, 3, 3)["p < 0.05"] <= 10


@pytest.mark.slow
@pytest.mark.parametrize(("faults", "frameworks"), [(0.0, 3), (0.2, 3), (0.2, 1)])
def test_interval_of_fb_5_covers_with_infrastructure_errors(coverage, faults, frameworks):
    found = coverage.with_faults(coverage.SCENARIOS[1], 400, faults, frameworks=frameworks)
    assert 91.5 <= found["interval"] <= 98.5
    assert found["bounds"] >= found["interval"]
    assert abs(found["bias"]) < 1
    assert faults == 0 or found["bias, left out"] > 5
