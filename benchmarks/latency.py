"""Wall clock with a provider of heavy-tailed latency: this loop, the ideal, and rounds with a barrier.

    python benchmarks/latency.py [--quick] [--json FILE]

A scripted model waits before each answer: log-normal, median 2 s, 99th percentile 30 s, drawn from episode and attempt,
so that every way of driving meets the same delays; time is scaled. 64 episodes are in flight. The ideal is computed:
the same delays in the same order on 64 slots, with nothing else taking time. Rounds with a barrier are what the
released code of QuanBench+ does: nobody begins the next attempt before all have made theirs.
"""

from __future__ import annotations

import asyncio
import heapq
import math
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import NormalDist

from common import parse, report
from driving import drive, drive_in_rounds, episodes

from repair_bench.agent.identity import Episode
from repair_bench.agent.models.base import Request
from repair_bench.executors import Call, LocalExecutor, Program
from repair_bench.traces.records import Completion

IN_FLIGHT, ATTEMPTS = 64, 5
MEDIAN, P99 = 2.0, 30.0
SIGMA = math.log(P99 / MEDIAN) / NormalDist().inv_cdf(0.99)
CODE = "print(1)"


class Slow:
    """A model that takes its time: seconds = scale * the delay of this task and attempt."""

    name, simulated, supports_prefill = "slow/model", True, True

    def __init__(self, scale: float, seed: int) -> None:
        self._scale, self._seed = scale, seed

    def delay(self, task: str, attempt: int) -> float:
        return self._scale * Random(f"{self._seed} {task} {attempt}").lognormvariate(math.log(MEDIAN), SIGMA)

    async def complete(self, request: Request) -> Completion:
        await asyncio.sleep(self.delay(request.task.id, request.attempt))
        return Completion(text=f"```python\n{CODE}\n```")

    async def close(self) -> None:
        """Nothing was started."""


def ideal(taken: Sequence[Episode], model: Slow) -> float:
    """The time of the same episodes on 64 slots, each begun as soon as a slot is free."""
    slots = [0.0] * min(IN_FLIGHT, len(taken))
    heapq.heapify(slots)
    for episode in taken:
        began = heapq.heappop(slots)
        heapq.heappush(slots, began + sum(model.delay(episode.task.id, k) for k in range(ATTEMPTS)))
    return max(slots)


def main() -> None:
    options = parse(__doc__)
    number, scale = (64, 1 / 40) if options.quick else (320, 1 / 2)
    model = Slow(scale, options.seed)
    taken = episodes(number, "python", ATTEMPTS - 1, model.name)

    async def seconds(way) -> float:  # noqa: ANN001
        async with LocalExecutor(2) as executor:
            await executor.run(Program("python", CODE, Call("answer", "state")))
            with tempfile.TemporaryDirectory() as folder:
                began = time.perf_counter()
                await way(Path(folder, "run"), taken, model, executor, IN_FLIGHT)
                return time.perf_counter() - began

    best = ideal(taken, model)
    ours, barrier = asyncio.run(seconds(drive)), asyncio.run(seconds(drive_in_rounds))
    rows = [
        {"way": "ideal, computed", "seconds": round(best, 1), "times the ideal": 1.0},
        {"way": "this loop", "seconds": round(ours, 1), "times the ideal": round(ours / best, 3)},
        {"way": "rounds with a barrier", "seconds": round(barrier, 1), "times the ideal": round(barrier / best, 3)},
    ]
    report(
        f"{number} episodes of {ATTEMPTS} attempts, {IN_FLIGHT} in flight, time scaled by {scale:g}", rows, options.json
    )
    print(f"rounds with a barrier take {barrier / ours:.2f} times as long as this loop")


if __name__ == "__main__":
    main()
