import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from repair_bench.analysis.statistics import holm, mcnemar

P_VALUES = st.lists(st.floats(0, 1), max_size=12)


def test_mcnemar_by_hand():
    """8 won, 1 lost: 2 * (1 + 9) / 2^9."""
    assert mcnemar(8, 1) == mcnemar(1, 8) == pytest.approx(20 / 512)
    assert mcnemar(0, 0) == mcnemar(5, 5) == 1
    assert mcnemar(6, 0) == pytest.approx(2 / 64)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_exact_binomial_test_of_the_changed_pairs(won, lost):
    expected = binomtest(won, won + lost).pvalue if won + lost else 1
    assert mcnemar(won, lost) == pytest.approx(expected)


def test_negative_counts_are_refused():
    with pytest.raises(ValueError, match="-1 lost"):
        mcnemar(3, -1)


def test_adjusted_p_values_by_hand():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.6]) == [1, 1]
    assert holm([]) == []


@given(P_VALUES)
def test_adjusting_never_helps_and_keeps_the_order(p):
    adjusted = holm(p)
    assert all(raw <= a + 1e-12 and a <= 1 for raw, a in zip(p, adjusted, strict=True))
    by_size = [a for _, a in sorted(zip(p, adjusted, strict=True))]
    assert all(a <= b + 1e-12 for a, b in itertools.pairwise(by_size))


def test_what_is_no_p_value_is_refused():
    with pytest.raises(ValueError, match="p-values are in"):
        holm([0.5, 1.5])
