"""The project's own rule: exact probabilities where there are any, else a threshold that knows the shots.

Exact probabilities are accepted when the total variation distance is at most 1e-3. A program's own arithmetic is good
to 1e-9; what the tolerance is for is a model that writes an angle with three digits. That moves an angle by at most
5e-4 and a probability by at most half of it, so four such rotations stay within, while circuits that differ by a
gate, a control, an angle's sign or a missing iteration are farther by an order of magnitude or more.

Samples are accepted when D_KL(P || Q) is below max(0.05, chi2.ppf(1 - 1e-6, k - 1) / (2 n)), P the exact expected
probabilities, k the outcomes they allow, n the shots: 2 n D_KL of a correct sample follows a chi-square with k - 1
degrees of freedom (Wilks). 0.05 is the paper's threshold (QuanBench+, section 3). Epsilon is half a shot, 1 / (2 n):
an outcome that happens not to be drawn then costs p log(2 n p) instead of p log(p / tiny), and correct answers are
rejected in fewer than 1 of 10,000 draws (measured by the tests). Fewer than 100 samples decide nothing and are not
accepted.
"""

from __future__ import annotations

from functools import lru_cache

from scipy.special import chdtri

from repair_bench.suites.checks.distances import Probabilities, hellinger, kl, total_variation
from repair_bench.suites.checks.observation import Distribution
from repair_bench.suites.checks.rules import Measured

TOLERANCE = 1e-3
EPSILON = 1e-12
PAPER_THRESHOLD = 0.05
FEWEST_SHOTS = 100
NEGLIGIBLE = 1e-12


def compare(expected: Probabilities, got: Distribution, *, seed: int = 0) -> Measured:  # noqa: ARG001
    """Compare one case. See the module's docstring for the rule."""
    epsilon = EPSILON if got.shots is None else smoothing(got.shots)
    distance = {
        "tv": total_variation(expected, got.probabilities),
        "kl": kl(expected, got.probabilities, epsilon),
        "hellinger": hellinger(expected, got.probabilities),
    }
    return Measured(distance, _problem(expected, got, distance))


def _problem(expected: Probabilities, got: Distribution, distance: dict[str, float]) -> str | None:
    if got.shots is None:
        if distance["tv"] <= TOLERANCE:
            return None
        return f"the outcome probabilities are wrong (total variation distance {distance['tv']:.3g})"
    if got.shots < FEWEST_SHOTS:
        return f"{got.shots} samples are too few to judge; at least {FEWEST_SHOTS} are needed"
    limit = threshold(sum(p > NEGLIGIBLE for p in expected.values()), got.shots)
    if distance["kl"] < limit:
        return None
    found = f"KL divergence {distance['kl']:.3g}, limit {limit:.3g} for {got.shots} samples"
    return f"the sampled outcomes are wrong ({found})"


def smoothing(shots: int) -> float:
    """Epsilon for a sample: half a shot."""
    return 0.5 / shots


@lru_cache(maxsize=1024)
def threshold(outcomes: int, shots: int) -> float:
    """The largest divergence, in nats, that a sample of `shots` over `outcomes` possible outcomes may have."""
    if outcomes < 2:
        return PAPER_THRESHOLD
    return max(PAPER_THRESHOLD, float(chdtri(outcomes - 1, 1e-6)) / (2 * shots))
