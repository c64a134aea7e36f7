"""Total variation, Hellinger and Kullback-Leibler."""

import math

import pytest
from distributions_by_hand import some_distributions as distributions
from hypothesis import given
from hypothesis import strategies as st

from repair_bench.suites.checks.distances import hellinger, kl, total_variation


@given(distributions())
def test_nothing_is_far_from_itself(p: dict[str, float]) -> None:
    assert total_variation(p, p) == 0
    assert hellinger(p, p) == pytest.approx(0, abs=1e-7)
    assert kl(p, p, 1e-12) == 0


@given(distributions(), distributions())
def test_total_variation_and_hellinger_bound_each_other(p: dict[str, float], q: dict[str, float]) -> None:
    tv, h = total_variation(p, q), hellinger(p, q)
    assert tv == total_variation(q, p)
    assert h == pytest.approx(hellinger(q, p))
    assert h * h - 1e-9 <= tv <= math.sqrt(2) * h + 1e-7


@given(distributions(), distributions(), distributions())
def test_total_variation_obeys_the_triangle(p: dict[str, float], q: dict[str, float], r: dict[str, float]) -> None:
    assert total_variation(p, r) <= total_variation(p, q) + total_variation(q, r) + 1e-12


@given(distributions(), distributions(), st.floats(1e-12, 1e-2))
def test_the_divergence_is_finite_and_not_negative_for_any_supports(
    p: dict[str, float], q: dict[str, float], epsilon: float
) -> None:
    assert 0 <= kl(p, q, epsilon) < math.inf


@given(distributions(), distributions())
def test_the_divergence_obeys_pinsker(p: dict[str, float], q: dict[str, float]) -> None:
    assert 2 * total_variation(p, q) ** 2 <= kl(p, q, 1e-12) + 1e-9


@pytest.mark.parametrize(
    ("natural", "stored", "divergence"),
    [
        ({"011": 1.0}, {"110": 1.0}, 27.6),
        ({"010": 0.5, "011": 0.5}, {"010": 0.5, "110": 0.5}, 13.5),
    ],
)
def test_answers_in_another_order_are_as_far_as_published(
    natural: dict[str, float], stored: dict[str, float], divergence: float
) -> None:
    assert kl(natural, stored, 1e-12) == pytest.approx(divergence, abs=0.05)
