"""Rules that compare distributions: the exact rule, and the published ones with their shot noise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repair_bench.suites.checks import samples
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
    """Return the number of correct samples that the exact rule rejects, by the same arithmetic on arrays."""
    rng = np.random.default_rng(7)
    rows = (samples.draw(p, shots, 1000, rng) for _ in range(draws // 1000))
    return sum(int(samples.rejected("exact", p, drawn, shots).sum()) for drawn in rows)


@pytest.mark.slow
@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("shots", [1000, 1024, 10_000, 100_000])
def test_correct_samples_are_almost_never_rejected(name: str, shots: int) -> None:
    assert false_rejections(REFERENCES[name], shots, 5000) == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", REFERENCES)
def test_fewer_than_1_of_100000_correct_samples_are_rejected(name: str) -> None:
    assert false_rejections(REFERENCES[name], 1000, 200_000) < 2


@given(st.integers(0, 2**32 - 1), st.integers(2, 64), st.sampled_from([1000, 4096, 100_000]))
def test_correct_samples_of_any_distribution_are_accepted(seed: int, size: int, shots: int) -> None:
    rng = np.random.default_rng(seed)
    p = rng.dirichlet([0.5] * size)
    p /= p.sum()
    drawn = Distribution(6, keyed(np.pad(rng.multinomial(shots, p) / shots, (0, 64 - size))), shots)
    expected = keyed(np.pad(p, (0, 64 - size)))
    assert rule("exact")(expected, drawn, seed=0).problem is None


def rotated(angle: float) -> np.ndarray:
    """Return the outcome distribution of |+> rotated by an angle."""
    return np.array([np.cos(np.pi / 4 + angle / 2) ** 2, np.sin(np.pi / 4 + angle / 2) ** 2])


@pytest.mark.parametrize(
    ("shots", "error"), [(100, 0.5), (999, 0.5), (1000, 0.5), (10_000, 0.2), (100_000, 0.2), (10**6, 0.02)]
)
def test_the_number_of_samples_does_not_buy_a_wrong_angle(shots: int, error: float) -> None:
    rng = np.random.default_rng(13)
    for sign in (1, -1):
        for _ in range(50):
            wrong = sample(rotated(sign * error), shots, rng)
            assert rule("exact")(keyed(rotated(0)), wrong, seed=0).problem is not None


def test_samples_of_accepted_probabilities_are_accepted() -> None:
    p, rounded = rotated(0), rotated(5e-4)  # an angle written with three digits
    drawn = sample(rounded, 10**9, np.random.default_rng(17))
    assert rule("exact")(keyed(p), Distribution(1, keyed(rounded)), seed=0).problem is None
    assert rule("exact")(keyed(p), drawn, seed=0).problem is None


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


@pytest.mark.parametrize("shots", [1, 2, 10, 100, 999])
def test_a_handful_of_samples_decides_nothing_and_is_not_accepted(shots: int) -> None:
    measured = rule("exact")({"0": 1.0}, Distribution(1, {"0": 1.0}, shots), seed=0)
    assert measured.problem is not None
    assert "too few" in measured.problem


def test_the_limit_for_rare_outcomes_is_agrawals() -> None:
    assert exact.threshold(2, 1000, 500) == pytest.approx(23.928 / 2000, rel=1e-4)
    e = exact.threshold(3, 1000, 0.1)
    assert np.exp(-1000 * e) * (np.e * 1000 * e / 2) ** 2 == pytest.approx(1e-6)
    assert e == exact.threshold(3, 1000, 4.9) > exact.threshold(3, 1000, 5)


@given(st.integers(1, 4096), st.integers(1000, 10**6), st.sampled_from([0.1, 10.0]))
def test_the_threshold_falls_with_shots_and_grows_with_outcomes(outcomes: int, shots: int, rarest: float) -> None:
    limit = exact.threshold(outcomes, shots, rarest)
    assert 0 < limit <= exact.threshold(outcomes + 1, shots, rarest)
    assert exact.threshold(outcomes, 2 * shots, rarest) == pytest.approx(limit / 2)


def test_only_the_exact_rule_repeats_its_verdicts() -> None:
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


def test_three_stray_shots_fail_only_the_released_rule() -> None:
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
