"""The smallest difference that a comparison finds: by hand, against simulated moments, and in simulated studies."""

import numpy as np
import pytest
from benchmark import benchmark
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from repair_bench.analysis.comparisons import paired
from repair_bench.analysis.metrics import episodes
from repair_bench.analysis.power import (
    Outcome,
    StatedRates,
    detectable_difference,
    of_outcomes,
    of_pilot,
    power,
)
from repair_bench.testing.made_up_runs import study
from repair_bench.traces.study_lock import Comparison

RATES = StatedRates(0.5, 0.4, 0.3, shared=True)


def test_with_many_problems_it_is_the_normal_formula() -> None:
    """(1.96 + 0.84) standard errors are found in 80 of 100 studies."""
    error = (0.2 / 100_000) ** 0.5
    assert power((norm.ppf(0.975) + norm.ppf(0.8)) * error, 0.2, 100_000) == pytest.approx(0.8, abs=1e-3)
    assert power(0.0, 0.2, 100_000) == pytest.approx(0.025, abs=1e-3)


def test_with_fewer_than_five_problems_nothing_is_found() -> None:
    assert power(0.9, 1e-9, 4) == 0
    assert detectable_difference(RATES, 4, 1_000) is None


def test_more_than_there_can_be_is_not_found() -> None:
    assert detectable_difference(RATES, 10, 1) is None
    found = detectable_difference(RATES, 42, 1)
    assert found is not None
    assert 0.15 < found < RATES.most == pytest.approx(0.3)


@settings(max_examples=6, deadline=None)
@given(st.floats(0, 0.8), st.floats(0, 0.8), st.floats(0, 0.9), st.booleans(), st.integers(20, 400), st.integers(1, 9))
def test_more_problems_and_more_samples_find_less(first, repaired, alike, shared, problems, samples) -> None:
    rates = StatedRates(first, repaired, alike, shared=shared)
    found = detectable_difference(rates, problems, samples)
    more = [
        detectable_difference(rates, 2 * problems, samples),
        detectable_difference(rates, problems, 2 * samples),
        detectable_difference(rates, problems, samples, level=0.1),
    ]
    if found is not None:
        assert 0 < found <= rates.most
        assert all(less is not None and less <= found + 1e-4 for less in more)


@pytest.mark.parametrize("shared", [True, False])
def test_the_variance_is_that_of_the_model_of_problems(shared) -> None:
    rates, difference, pairs = StatedRates(0.4, 0.3, 0.3, shared=shared), 0.15, 3
    drawn = benchmark("power").stated_studies(rates, difference, 40_000, pairs, 1, 0)[0] / pairs
    assert drawn.mean() == pytest.approx(difference, abs=0.01)
    assert drawn.var() == pytest.approx(rates.variance(difference, pairs, 1), rel=0.05)


def test_shared_first_answers_find_less_than_two_models_would() -> None:
    arms, models = (detectable_difference(StatedRates(0.5, 0.4, 0.3, shared=s), 42, 1) for s in (True, False))
    assert arms is not None
    assert models is not None
    assert arms < models


def pairs(*outcomes: str) -> list[Outcome]:
    """Of each pair whether the other solved it and whether the baseline did: "10" is won."""
    return [Outcome(int(o[1]), int(o[0]), True) for o in outcomes]


def test_a_pilot_by_hand() -> None:
    """Two problems, two samples of one task: gained 1, 0 and 0, -1."""
    found = of_outcomes([[pairs("10", "11")], [pairs("00", "01")]])
    assert found is not None
    assert (found.differ, found.gained, found.solved, found.left) == (0.5, 0.0, 0.5, 0.5)
    assert found.between_samples == 0 - 0.5 * -0.5, "mean product in a problem, less that of the two problems' means"
    assert found.between_twins is None
    assert found.variance(0.0, 1, 1) == 0.5
    assert found.variance(0.0, 2, 1) == (0.5 + 0.25) / 2
    assert found.variance(0.0, 1, 3) is None


def test_of_one_sample_it_is_not_known_what_more_would_tell() -> None:
    found = of_outcomes([[pairs("10"), pairs("10")], [pairs("00"), pairs("01")]])
    assert found is not None
    assert found.between_samples is None
    assert found.between_twins == 0.5 - 1 * -0.5
    assert found.variance(0.0, 1.1, 2) is None
    assert found.variance(0.0, 1, 2) is not None
    assert of_outcomes([[pairs("10")]]) is None


def test_covariances_of_a_pilot_are_without_bias() -> None:
    """Over many small pilots their mean is the truth: problems gain by N(0, 0.2), so 0.04."""
    rng = np.random.default_rng(0)
    gains = rng.normal(0, 0.2, (400, 5, 1))
    differences = np.where(rng.random((400, 5, 2)) < np.abs(gains), np.sign(gains), 0)
    made = [of_outcomes([[[Outcome(0, d, True) for d in task]] for task in pilot]) for pilot in differences.tolist()]
    assert np.mean([found.between_samples for found in made]) == pytest.approx(0.04, abs=0.01)


def test_a_run_is_a_pilot_of_its_own_arms() -> None:
    attempts, _ = study(tasks=8, repairs=2, policies=("default", "none"), samples=2, frameworks=("qiskit", "cirq"))
    asked = Comparison("condition", "aligned", "sim/one", "none", "default", 2)
    made = paired(episodes(attempts), asked)
    assert len(made.pairs) == 8 * 2 * 2
    assert made.shared
    found = of_pilot(made, 2)
    assert found is not None
    solved = [(b.solved_at is not None) - (a.solved_at is not None) for a, b in made.pairs]
    assert found.gained == pytest.approx(np.mean(solved))
    assert found.differ == pytest.approx(np.mean(np.abs(solved)))
    assert paired(episodes(attempts), Comparison("model", "aligned", "none", "sim/one", "sim/two", 2)).pairs == ()


@pytest.mark.slow
def test_planned_for_80_the_difference_is_found_in_76_to_84_of_100() -> None:
    """`benchmarks/power.py`, whose figures at full size stand in docs/methods.md."""
    bench = benchmark("power")
    for shared, problems, samples in ((True, 42, 1), (False, 20, 3)):
        rates = StatedRates(0.5, 0.4, 0.3, shared=shared)
        difference = detectable_difference(rates, problems, samples)
        sums = bench.stated_studies(rates, difference, problems, samples, 400, 1)
        assert 75 <= bench.found(sums) <= 85, (shared, problems, samples)
