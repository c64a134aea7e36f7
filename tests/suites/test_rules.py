"""Comparing distributions: the exact rule, and the published ones with their luck."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repair_bench.suites.checks.observation import Distribution
from repair_bench.suites.checks.rules import RULES, exact, rule
from repair_bench.traces.faults import UsageError


def keyed(p: np.ndarray) -> dict[str, float]:
    bits = len(p).bit_length() - 1
    return {format(i, f"0{bits}b"): float(x) for i, x in enumerate(p) if x > 0}


def sample(p: np.ndarray, shots: int, rng: np.random.Generator) -> Distribution:
    drawn = keyed(rng.multinomial(shots, p) / shots)
    return Distribution(len(p).bit_length() - 1, drawn, shots)


def skewed(seed: int, size: int, concentration: float) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet([concentration] * size)


REFERENCES = {
    "coin": np.array([0.5, 0.5]),
    "rare": np.array([0.99, 0.01]),
    "four": np.array([0.25, 0, 0.25, 0, 0.25, 0, 0.25, 0]),
    "geometric": np.array([2.0 ** -min(i, 15) for i in range(1, 17)]),
    "skewed": skewed(1, 32, 0.3),
    "uneven": skewed(2, 32, 1),
    "uniform 64": np.full(64, 1 / 64),
    "uniform 256": np.full(256, 1 / 256),
}


def false_rejections(p: np.ndarray, shots: int, draws: int) -> int:
    """How many correct samples the exact rule rejects: the rule's own arithmetic, on arrays."""
    rng = np.random.default_rng(7)
    p = p[p > 0]
    epsilon, limit = exact.smoothing(shots), exact.threshold(len(p), shots)
    smooth_p = (p + epsilon) / (p + epsilon).sum()
    rejected = 0
    for _ in range(draws // 1000):
        q = rng.multinomial(shots, p, size=1000) / shots + epsilon
        q /= q.sum(axis=1, keepdims=True)
        rejected += int(((smooth_p * np.log(smooth_p / q)).sum(axis=1) >= limit).sum())
    return rejected


@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("shots", [100, 1000, 1024, 10_000])
def test_correct_samples_are_almost_never_rejected(name: str, shots: int) -> None:
    assert false_rejections(REFERENCES[name], shots, 5000) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("shots", [100, 1000])
def test_correct_samples_are_rejected_in_fewer_than_one_of_ten_thousand_draws(name: str, shots: int) -> None:
    assert false_rejections(REFERENCES[name], shots, 200_000) < 20


@pytest.mark.parametrize("name", REFERENCES)
def test_the_simulated_arithmetic_is_the_rules(name: str) -> None:
    p, rng = REFERENCES[name], np.random.default_rng(3)
    for _ in range(20):
        measured = rule("exact")(keyed(p), sample(p, 1000, rng), seed=0)
        assert measured.problem is None
        assert set(measured.distance) == {"tv", "kl", "hellinger"}


@pytest.mark.parametrize(("p", "q"), [
    ([0.5, 0.5], [1.0, 0.0]),
    ([0.5, 0.5], [0.75, 0.25]),
    ([1.0, 0.0], [0.9, 0.1]),
    ([0.25] * 4, [0.5, 0.5, 0, 0]),
    ([0.5, 0, 0, 0.5], [0, 0.5, 0.5, 0]),
    ([1 / 64] * 64, [1 / 32] * 32 + [0] * 32),
])  # fmt: skip
def test_samples_of_something_else_are_rejected(p: list[float], q: list[float]) -> None:
    rng = np.random.default_rng(5)
    for _ in range(50):
        assert rule("exact")(keyed(np.array(p)), sample(np.array(q), 1000, rng), seed=0).problem is not None


def test_outcomes_that_cannot_occur_count() -> None:
    expected = {"00": 1.0}
    few = Distribution(2, {"00": 0.99, "11": 0.01}, 1000)
    many = Distribution(2, {"00": 0.9, "11": 0.1}, 1000)
    few_kl = rule("exact")(expected, few, seed=0).distance["kl"]
    assert 0 < few_kl < rule("exact")(expected, many, seed=0).distance["kl"]
    assert rule("exact")(expected, many, seed=0).problem is not None


@pytest.mark.parametrize("shots", [1, 2, 10, 99])
def test_a_handful_of_samples_decides_nothing_and_is_not_accepted(shots: int) -> None:
    measured = rule("exact")({"0": 1.0}, Distribution(1, {"0": 1.0}, shots), seed=0)
    assert measured.problem is not None
    assert "too few" in measured.problem


def test_the_threshold_is_the_papers_until_shot_noise_is_larger() -> None:
    assert exact.threshold(1, 1000) == exact.threshold(2, 1000) == 0.05
    assert exact.threshold(64, 1000) == pytest.approx(0.0657, abs=1e-3)


@given(st.integers(1, 4096), st.integers(100, 10**6))
def test_the_threshold_falls_with_shots_and_grows_with_outcomes(outcomes: int, shots: int) -> None:
    limit = exact.threshold(outcomes, shots)
    assert 0.05 <= limit <= exact.threshold(outcomes + 1, shots)
    assert exact.threshold(outcomes, 2 * shots) <= limit


def test_the_exact_rule_gives_the_same_verdict_every_time_where_the_published_ones_do_not() -> None:
    p = REFERENCES["uniform 64"]
    got = Distribution(6, keyed(p))
    stored = sample(p, 1000, np.random.default_rng(11)).probabilities
    accepted = {
        name: sum(
            rule(name)(stored if name == "released" else keyed(p), got, seed=i).problem is None for i in range(300)
        )
        for name in RULES
    }
    assert accepted["exact"] in {0, 300}
    assert accepted["released"] < 60  # task 08: about 6% of draws
    assert rule("exact")(keyed(p), got, seed=0).problem is None


def test_three_stray_shots_fail_the_released_rule_and_not_the_exact_one() -> None:
    stray = Distribution(1, {"0": 0.997, "1": 0.003}, 1000)
    assert rule("released")({"0": 1.0}, stray, seed=0).distance["kl"] == pytest.approx(0.065, abs=0.003)
    assert rule("released")({"0": 1.0}, stray, seed=0).problem is not None
    assert rule("exact")({"0": 1.0}, stray, seed=0).problem is None


@pytest.mark.parametrize("name", ["paper", "released"])
def test_a_drawn_rule_follows_its_seed(name: str) -> None:
    got = Distribution(1, {"0": 0.5, "1": 0.5})
    distances = [rule(name)({"0": 0.5, "1": 0.5}, got, seed=seed).distance for seed in (1, 1, 2)]
    assert distances[0] == distances[1] != distances[2]


def test_an_unknown_rule_is_a_usage_error_that_names_the_known() -> None:
    with pytest.raises(UsageError, match="exact, paper, released"):
        rule("fidelity")
