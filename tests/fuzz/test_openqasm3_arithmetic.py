"""Short, seeded runs of `openqasm3_arithmetic.py`."""

import openqasm3_arithmetic
import pytest


def results_are_right(programs: int, seed: int) -> None:
    report = openqasm3_arithmetic.fuzz(programs, seed)
    assert report.wrong == []
    assert report.counts["definite and right"] > 0.6 * programs
    assert report.counts["definite and refused"] < 0.1 * programs
    assert report.counts["open and refused"] > 0.2 * programs


def test_typed_arithmetic_agrees_with_the_specification() -> None:
    results_are_right(60, 3)


@pytest.mark.slow
def test_2000_programs_agree_with_the_specification() -> None:
    results_are_right(2000, 0)
