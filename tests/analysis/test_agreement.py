"""Cohen's kappa."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repair_bench.analysis.comparing.agreement import kappa

COUNTS = st.integers(0, 1000)


@pytest.mark.parametrize(
    ("table", "value"),
    [
        ((20, 5, 10, 15), 0.4),
        ((45, 15, 25, 15), 0.1304),
        ((25, 35, 5, 35), 0.2593),
        ((10, 0, 0, 10), 1.0),
        ((0, 10, 10, 0), -1.0),
        ((10, 10, 10, 10), 0.0),
    ],
)
def test_known_tables(table: tuple[int, int, int, int], value: float) -> None:
    assert kappa(*table) == pytest.approx(value, abs=5e-5)


@pytest.mark.parametrize("table", [(0, 0, 0, 0), (7, 0, 0, 0), (0, 0, 0, 7)])
def test_kappa_is_undefined_if_both_graders_are_constant(table: tuple[int, int, int, int]) -> None:
    assert kappa(*table) is None


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_kappa_is_symmetric_in_graders_and_verdicts(a: int, b: int, c: int, d: int) -> None:
    value = kappa(a, b, c, d)
    assert value == kappa(a, c, b, d) == kappa(d, b, c, a)
    if value is not None:
        assert -1 <= value <= 1
        assert (value == 1) == (b == c == 0)
