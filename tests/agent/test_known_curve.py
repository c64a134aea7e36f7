"""A model whose true repair curve is known: the measured one must agree with it."""

import asyncio
import io
from pathlib import Path

import pytest
from rich.console import Console
from scipy.stats import binom

from repair_bench import suites
from repair_bench.agent import models
from repair_bench.agent.experiment import Experiment
from repair_bench.agent.progress import Progress
from repair_bench.agent.runner import run_all
from repair_bench.executors import LocalExecutor
from repair_bench.traces import metrics
from repair_bench.traces.store import RunStore

FIRST, REPAIR, REPAIRS = 0.4, 0.25, 5


@pytest.mark.slow
def test_the_measured_curve_is_the_known_one(tmp_path: Path) -> None:
    """FB(k) = 1 - (1 - P)(1 - Q)^k, within the 99.9% interval of a binomial count at each attempt."""
    name = f"sim/bernoulli?first={FIRST}&repair={REPAIR}"

    async def go() -> list:
        suite = await suites.load("aligned")
        experiment = Experiment(models=(name,), frameworks=("qiskit",), samples=10, max_attempts=REPAIRS)
        episodes = experiment.episodes([suite])
        executor, store = LocalExecutor(), RunStore.create(tmp_path, {})
        try:
            with Progress(len(episodes), Console(file=io.StringIO())) as progress:
                await run_all(
                    episodes,
                    run="known",
                    run_seed=1,
                    models={name: models.create(name)},
                    executor=executor,
                    store=store,
                    concurrency=8,
                    progress=progress,
                )
            return store.attempts()
        finally:
            await executor.close()
            await store.close()

    curve = metrics.curve(metrics.episodes(asyncio.run(go())), REPAIRS)
    assert curve.n >= 400
    for k, solved in enumerate(curve.solved):
        low, high = binom.interval(0.999, curve.n, 1 - (1 - FIRST) * (1 - REPAIR) ** k)
        assert low <= solved <= high, (k, solved, low, high)
