import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from repair_bench.analysis.rates.statistics import wilson

Z = 1.959963984540054


@settings(deadline=None)
@given(st.integers(1, 500), st.data())
def test_the_interval_solves_the_score_equation_and_is_scipys(n, data):
    successes = data.draw(st.integers(0, n))
    rate = successes / n
    low, high = wilson(rate, n, Z)
    assert 0 <= low <= rate <= high <= 1
    for bound in (low, high):
        assert (rate - bound) ** 2 == pytest.approx(Z * Z * bound * (1 - bound) / n, abs=1e-9)
    assert wilson(1 - rate, n, Z) == (pytest.approx(1 - high), pytest.approx(1 - low))
    theirs = binomtest(successes, n).proportion_ci(0.95, method="wilson")
    assert (low, high) == (pytest.approx(theirs.low), pytest.approx(theirs.high))
