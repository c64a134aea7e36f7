import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repair_bench.analysis.statistics import wilson


def test_the_interval_of_291_in_350_is_the_published_one():
    low, high = wilson(291, 350)
    assert (round(100 * 291 / 350, 1), round(100 * low, 1), round(100 * high, 1)) == (83.1, 78.9, 86.7)


def test_there_is_no_interval_without_trials():
    assert wilson(0, 0) is None


def test_more_successes_than_trials_are_refused():
    with pytest.raises(ValueError, match="5 successes of 4"):
        wilson(5, 4)


@settings(deadline=None)
@given(st.integers(1, 500), st.data())
def test_the_interval_solves_the_score_equation(n, data):
    successes = data.draw(st.integers(0, n))
    rate, z = successes / n, 1.959963984540054
    low, high = wilson(successes, n)
    assert 0 <= low <= rate <= high <= 1
    for bound in (low, high):
        assert (rate - bound) ** 2 == pytest.approx(z * z * bound * (1 - bound) / n, abs=1e-9)
    assert wilson(n - successes, n) == (pytest.approx(1 - high), pytest.approx(1 - low))
    assert math.isfinite(low + high)
