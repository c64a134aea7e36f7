"""A seeded run of `openqasm3_arithmetic.py`."""

import openqasm3_arithmetic
import pytest


@pytest.mark.slow
def test_2000_programs_agree_with_the_specification() -> None:
    programs = 2_000
    report = openqasm3_arithmetic.fuzz(programs, seed=0)
    assert report.wrong == []
    assert report.counts["definite and right"] > 0.6 * programs
    assert report.counts["definite and refused"] < 0.1 * programs
    assert report.counts["open and refused"] > 0.2 * programs
