import pytest

from repair_bench.grading.tiny_numbers import without_tiny_numbers


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("(process fidelity 3.4e-34)", "(process fidelity 0)"),
        ("-1.2e-17j, 6e-10 and 4.93e-32+0j", "0j, 0 and 0+0j"),
        ("1e-9, 2.5e-05, 0.25, 1e+20", "1e-9, 2.5e-05, 0.25, 1e+20"),
        ("v1.2e-30, size-10, one-12", "v1.2e-30, size-10, one-12"),
    ],
)
def test_numbers_that_stand_for_zero_are_replaced(text: str, shown: str) -> None:
    assert without_tiny_numbers(text) == shown
