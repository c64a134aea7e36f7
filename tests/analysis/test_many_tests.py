import itertools

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from repair_bench.analysis.rates.statistics import MIN_DIFFERING, holm, sign_flip

P_VALUES = st.lists(st.floats(0, 1), max_size=12)


def test_sign_flip_by_hand():
    """Two of the eight sign assignments of 3, 1 and 1 are as far from 0 as 5; none is farther."""
    assert sign_flip([3, 1, 1]) == sign_flip([-3, -1, -1]) == 1 / 8
    assert sign_flip([3, 0, 0, -1, 0]) == 2 / 4 + 1 / 4, "4 twice, and 2 twice"
    assert sign_flip([]) == sign_flip([0.0, 0.0]) == 1


@settings(max_examples=40)
@given(st.integers(0, 60), st.integers(0, 60))
@example(12, 4)
def test_sign_flip_with_one_pair_per_problem_is_mcnemar(won, lost):
    chances = {abs(2 * x - won - lost): 2 * binom.pmf(x, won + lost, 0.5) for x in range((won + lost) // 2 + 1)}
    if (won + lost) % 2 == 0:
        chances[0] /= 2
    expected = sum(p for far, p in chances.items() if far > abs(won - lost)) + chances[abs(won - lost)] / 2
    assert sign_flip([1.0] * won + [-1.0] * lost) == pytest.approx(expected if won + lost else 1)


@settings(max_examples=40)
@given(st.lists(st.integers(-30, 30), min_size=1, max_size=8))
@example([1] * 8)
@example([-2, 2])
def test_integers_are_tested_exactly(differences):
    signs = itertools.product((1, -1), repeat=sum(d != 0 for d in differences))
    changed = [d for d in differences if d]
    sums = [abs(sum(s * d for s, d in zip(of, changed, strict=True))) for of in signs]
    observed = abs(sum(differences))
    expected = sum(1.0 if far > observed else (far == observed) / 2 for far in sums) / len(sums) if changed else 1
    assert sign_flip(differences) == pytest.approx(expected, abs=1e-12)
    halved = [d / 2 for d in differences]  # some are not integers, so all signs are enumerated
    assert sign_flip(halved) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=10)
@given(st.lists(st.sampled_from([-3.0, -1.0, 0.25, 2.0]), min_size=30, max_size=40), st.randoms())
def test_p_value_does_not_depend_on_the_order_of_problems(differences, draw):
    shuffled = differences.copy()
    draw.shuffle(shuffled)
    assert sign_flip(shuffled) == sign_flip(differences)


@given(st.lists(st.sampled_from([-3.0, -1.0, 0.5, 2.0]), min_size=1, max_size=8))
def test_few_differences_cannot_be_significant(differences):
    n = len(differences)
    assert sign_flip(differences) >= 2**-n
    assert sign_flip([1.0] * n) == 2**-n
    assert (2**-n < 0.05) == (n >= MIN_DIFFERING)


def test_many_non_integers_are_tested_by_resampling():
    assert sign_flip([0.5] * 40) == 0.5 / 10_000
    drawn = sign_flip([0.5] * 30 + [-0.5] * 15)
    assert drawn == sign_flip([0.5] * 30 + [-0.5] * 15), "the seed is fixed"
    assert drawn == pytest.approx(2 * binom.sf(30, 45, 0.5) + binom.pmf(30, 45, 0.5), abs=0.01)


def test_extreme_sums_have_at_least_the_minimum_p():
    assert sign_flip([1] * 40) == pytest.approx(2**-40, abs=1e-14)
    assert sign_flip([1] * 400) == 2**-400
    assert sign_flip([100_000, 100_001, 1]) == 1 / 8, "tried one by one"


def test_adjusted_p_values_by_hand():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.6]) == [1, 1]
    assert holm([]) == []
    assert holm([0.01, None, 0.04, None]) == [0.02, None, 0.04, None]


@given(P_VALUES)
def test_holm_never_lowers_p_and_keeps_the_order(p):
    adjusted = holm(p)
    assert all(raw <= a + 1e-12 and a <= 1 for raw, a in zip(p, adjusted, strict=True))
    by_size = [a for _, a in sorted(zip(p, adjusted, strict=True))]
    assert all(a <= b + 1e-12 for a, b in itertools.pairwise(by_size))


def test_invalid_p_values_are_refused():
    with pytest.raises(ValueError, match="p-values must be between"):
        holm([0.5, 1.5])
