"""A model whose true repair curve is known: the measured curve must agree."""

from pathlib import Path

import pytest
from remembering import equal_programs_run_once
from scipy.stats import binom

from repair_bench import suites
from repair_bench.agent import models
from repair_bench.agent.experiment.file import Experiment
from repair_bench.analysis.rates import metrics
from repair_bench.coroutines import run_to_end
from repair_bench.testing.driving import drive

FIRST, REPAIR, REPAIRS = 0.4, 0.25, 5


@pytest.mark.slow
def test_measured_curve_is_the_expected_one(tmp_path: Path) -> None:
    """FB(k) = 1 - (1 - P)(1 - Q)^k, within the 99.9% interval of a binomial count at each attempt."""
    name = f"sim/bernoulli?first={FIRST}&repair={REPAIR}"
    suite = run_to_end(suites.load("aligned"))
    experiment = Experiment(models=(name,), frameworks=("qiskit",), samples=10, max_attempts=REPAIRS)
    episodes = experiment.episodes([suite])
    with equal_programs_run_once():
        _, attempts, _ = drive(tmp_path, episodes, [models.create(name)], concurrency=8, seed=1)
    curve = metrics.curve(metrics.episodes(attempts), REPAIRS)
    assert curve.n >= 400
    for k, solved in enumerate(curve.solved):
        low, high = binom.interval(0.999, curve.n, 1 - (1 - FIRST) * (1 - REPAIR) ** k)
        assert low <= solved <= high, (k, solved, low, high)
