import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from repair_bench.analysis.statistics import FEWEST, holm, sign_flip

P_VALUES = st.lists(st.floats(0, 1), max_size=12)


def test_signs_by_hand():
    """Two of the eight ways to give 3, 1 and 1 their signs are as far from 0 as 5, none is farther."""
    assert sign_flip([3, 1, 1]) == sign_flip([-3, -1, -1]) == 1 / 8
    assert sign_flip([3, 0, 0, -1, 0]) == 2 / 4 + 1 / 4, "4 twice, and 2 twice"
    assert sign_flip([]) == sign_flip([0.0, 0.0]) == 1


@given(st.integers(0, 6), st.integers(0, 6))
def test_one_pair_a_problem_makes_mcnemars_mid_p_test(won, lost):
    chances = {abs(2 * x - won - lost): 2 * binom.pmf(x, won + lost, 0.5) for x in range((won + lost) // 2 + 1)}
    if (won + lost) % 2 == 0:
        chances[0] /= 2
    expected = sum(p for far, p in chances.items() if far > abs(won - lost)) + chances[abs(won - lost)] / 2
    assert sign_flip([1.0] * won + [-1.0] * lost) == pytest.approx(expected if won + lost else 1)


@given(st.lists(st.sampled_from([-3.0, -1.0, 0.5, 2.0]), min_size=1, max_size=8))
def test_few_differences_cannot_be_significant(differences):
    n = len(differences)
    assert sign_flip(differences) >= 2**-n
    assert sign_flip([1.0] * n) == 2**-n
    assert (2**-n < 0.05) == (n >= FEWEST)


def test_many_signs_are_drawn_and_the_observed_ones_counted():
    assert sign_flip([1.0] * 40) == 0.5 / 10_000
    drawn = sign_flip([1.0] * 30 + [-1.0] * 15)
    assert drawn == sign_flip([1.0] * 30 + [-1.0] * 15), "the seed is fixed"
    assert drawn == pytest.approx(2 * binom.sf(30, 45, 0.5) + binom.pmf(30, 45, 0.5), abs=0.01)


def test_adjusted_p_values_by_hand():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.6]) == [1, 1]
    assert holm([]) == []
    assert holm([0.01, None, 0.04, None]) == [0.02, None, 0.04, None]


@given(P_VALUES)
def test_adjusting_never_helps_and_keeps_the_order(p):
    adjusted = holm(p)
    assert all(raw <= a + 1e-12 and a <= 1 for raw, a in zip(p, adjusted, strict=True))
    by_size = [a for _, a in sorted(zip(p, adjusted, strict=True))]
    assert all(a <= b + 1e-12 for a, b in itertools.pairwise(by_size))


def test_what_is_no_p_value_is_refused():
    with pytest.raises(ValueError, match="p-values are in"):
        holm([0.5, 1.5])
