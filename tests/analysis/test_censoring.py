import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import CensoredData, ecdf

from repair_bench.analysis.rates.censoring import effective_number, shares

SEEN = st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=20)


def of(seen, by):
    return shares([time for time, _ in seen], [happened for _, happened in seen], [1] * len(seen), by)


def test_kaplan_meier_share_by_hand():
    """At attempt 0: four at risk, one solved, one censored. At attempt 1: two at risk, one solved. 1 - 3/4 * 1/2."""
    values = of([(0, True), (0, False), (1, True), (1, False)], 1)
    assert values.mean() == pytest.approx(5 / 8)


def test_uncensored_values_are_event_indicators():
    assert of([(0, True), (2, True), (5, False), (3, False)], 3).tolist() == [1, 1, 0, 0]
    assert of([(0, True), (2, True), (5, False), (3, False)], 1).tolist() == [1, 0, 0, 0]


def test_share_without_observations_is_unknown():
    assert of([(0, False), (0, False)], 1) is None
    assert of([(0, True), (0, False)], 1) is None
    assert of([(1, True), (0, False)], 2).tolist() == [1, 1], "all that went on had happened"


@given(SEEN, st.integers(0, 5))
def test_pseudo_values_have_greenwoods_variance(seen, by):
    values = of(seen, by)
    if values is None:
        assert all(time < by for time, _ in seen)
        return
    happened = [time for time, so in seen if so]
    left = ecdf(CensoredData(uncensored=happened, right=[time for time, so in seen if not so])).sf.evaluate(by)
    assert values.mean() == pytest.approx(1 - float(left))
    greenwood = 0.0
    for step in {time for time in happened if time <= by}:
        at_risk, solved = sum(time >= step for time, _ in seen), happened.count(step)
        greenwood += solved / (at_risk * max(1, at_risk - solved))
    assert np.var(values) / len(seen) == pytest.approx(float(left) ** 2 * greenwood)


def test_effective_number_by_hand():
    """A fifth is solved at 1, a fifth never: 4.4 at risk at 0; 2.4 at risk at 1, 1.2 solved; S = 3.4/4.4 * 1.2/2.4."""
    left, greenwood = 3.4 / 4.4 / 2, 1 / (4.4 * 3.4) + 1.2 / (2.4 * 1.2)
    seen = [(0, True), (0, False), (1, True), (1, False)]
    times, happened = zip(*seen, strict=True)
    assert effective_number(times, happened, [1] * len(times), 1) == pytest.approx((1 - left) / (left * greenwood))


def test_effective_number_is_small_with_two_at_risk():
    """The Kaplan-Meier share is 1, although only two values determine the result for the 20 censored ones."""
    times, happened = [0] * 40 + [1] * 2, [True] * 20 + [False] * 20 + [True] * 2
    assert shares(times, happened, [1] * len(times), 1).mean() == 1
    assert 2 < effective_number(times, happened, [1] * len(times), 1) < 10


@given(SEEN, st.integers(0, 5))
def test_effective_number_is_at_most_the_observed_number(seen, by):
    of_all = effective_number([time for time, _ in seen], [happened for _, happened in seen], [1] * len(seen), by)
    assert 0 < of_all <= len(seen)
    if not any(time < by and not happened for time, happened in seen):
        assert of_all == len(seen)


@given(
    st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.integers(1, 4)), min_size=1, max_size=12), st.integers(0, 5)
)
def test_a_weight_of_two_counts_as_two_values(seen, by):
    times, happened, weights = zip(*seen, strict=True)
    weighted = shares(times, happened, weights, by)
    repeated = of([(time, so) for time, so, weight in seen for _ in range(weight)], by)
    assert (weighted is None) == (repeated is None)
    if weighted is not None:
        assert np.repeat(weighted, weights) == pytest.approx(repeated)


def test_unequal_weights_reduce_the_effective_number():
    assert effective_number([1, 1, 1], [True, False, True], [1, 1, 4], 1) == pytest.approx(36 / 18)
