"""Wall-clock time with a provider of heavy-tailed latency: this loop, the ideal, and rounds with a barrier.

    python benchmarks/latency.py [--quick] [--json FILE]

A scripted HTTP server on the loopback interface answers as OpenAI would, after a log-normal delay (median 2 s, 99th
percentile 30 s), drawn once per attempt, so that all methods have the same delays. The seed in the request identifies
the attempt. The client and the executor are real. No answer passes, so every episode makes all its attempts; the
benchmark fails unless each is requested exactly once. Time is scaled, and 64 episodes are in flight.

The ideal time is computed from the same delays in the same order on 64 slots, without other costs. With unlimited
slots, it is the time of the longest episode. QuanBench+'s released code uses rounds with a barrier: the next attempts
start when all episodes have finished the previous one.

There are as many episodes as QuanBench+ has prompts: 42 tasks in 3 frameworks. The waiting time at a barrier depends on
the few longest delays, so the ratio of both computed times is also printed for other draws.

The clock starts after the imports and the start of the executor's servers, and stops when all records are on disk. The
server is a separate process that shares the cores. The CPU time of each process is printed, including the start of the
executor.
"""

from __future__ import annotations

import asyncio
import heapq
import math
import multiprocessing
import resource
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

from common import parse, report
from driving import drive, drive_in_rounds, episodes

from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.models import ProviderSettings, create
from repair_bench.agent.models.base import Request
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Call, Program
from repair_bench.traces.run.run_reader import load_rows

NAME = "openai/gpt-4.1"
IN_FLIGHT, ATTEMPTS = 64, 5
MEDIAN, P99 = 2.0, 30.0
SIGMA = math.log(P99 / MEDIAN) / statistics.NormalDist().inv_cdf(0.99)
DRAWS = 200
CODE = "print(1)"
CPU = ("CPU s: loop", "CPU s: server", "CPU s: executor")
WARM = 0
"""The seed of a first request, which is answered immediately and not counted."""
TO_ANSWER, MAX_RUN = 60.0, 1800.0
"""Seconds after which the server must respond, and after which a run is aborted."""
TESTS = Path(__file__).resolve().parents[1] / "tests"

Delays = Sequence[Sequence[float]]
"""Seconds before each answer: a row per episode, a column per attempt."""


def draw(number: int, scale: float, seed: int) -> Delays:
    """Draw the delays of the episodes. `scale`: real seconds per simulated second."""
    rng = Random(seed)
    return [[scale * rng.lognormvariate(math.log(MEDIAN), SIGMA) for _ in range(ATTEMPTS)] for _ in range(number)]


def on_slots(spans: Sequence[float]) -> float:
    """Return the seconds until all episodes are finished if each starts, in order, when a slot is free."""
    slots = [0.0] * IN_FLIGHT
    for span in spans:
        heapq.heapreplace(slots, slots[0] + span)
    return max(slots)


def ideal(delays: Delays) -> float:
    return on_slots([sum(row) for row in delays])


def ideal_rounds(delays: Delays) -> float:
    return sum(on_slots(column) for column in zip(*delays, strict=True))


def seed_of(episode: PlannedEpisode, attempt: int) -> int:
    """Return the 31 bits of an attempt's seed that the client sends."""
    return episode.seed(0, attempt) % 2**31


def serve(pipe: Connection, delays: Mapping[int, float]) -> None:
    """Run the server: send its address and, when stopped, the requested seeds and CPU seconds. `delays`: by seed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the pipe signals the end
    sys.path.append(str(TESTS))
    from server.scripted import ScriptedServer, answer

    def script(asked):  # noqa: ANN001, ANN202
        return answer(f"```python\n{CODE}\n```", delay=delays.get(asked.body["seed"], 0.0))

    with ScriptedServer(script, longest_wait=max(delays.values())) as server:
        before = time.process_time()
        pipe.send(server.url)
        if pipe.poll(MAX_RUN):  # or the other end is closed
            pipe.recv()
            pipe.send((Counter(asked.body["seed"] for asked in server.asked), time.process_time() - before))


@contextmanager
def server(delays: Mapping[int, float]) -> Iterator[tuple[str, Connection]]:
    """Start the server in its own process, and yield its address and the pipe to it."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs, delays), daemon=True)
    process.start()
    theirs.close()
    try:
        yield _received(ours), ours
    finally:
        ours.close()
        process.kill()
        process.join()


def _received(pipe: Connection) -> Any:
    if not pipe.poll(TO_ANSWER):
        raise SystemExit("the scripted server does not answer")
    return pipe.recv()


async def timed(
    way: Callable[..., Awaitable[None]], directory: Path, taken: Sequence[PlannedEpisode], url: str, longest: float
) -> tuple[float, float]:
    """Return wall-clock and CPU seconds of one variant. `longest`: the maximum delay of an answer."""
    settings = ProviderSettings(api_base=url, concurrency=IN_FLIGHT, timeout_seconds=longest + 60)
    model = create(NAME, settings)
    try:
        async with LocalExecutor() as executor, asyncio.timeout(MAX_RUN):
            await executor.run(Program("python", CODE, Call("answer", "state")))
            hello = [{"role": "user", "content": "Hello."}]
            await model.complete(Request(hello, 0.0, None, WARM, taken[0].task, 0, 0))
            wall, cpu = time.perf_counter(), time.process_time()
            await way(directory, taken, model, executor, IN_FLIGHT)
            return time.perf_counter() - wall, time.process_time() - cpu
    finally:
        await model.close()


def measure(way: Callable[..., Awaitable[None]], taken: Sequence[PlannedEpisode], delays: Delays) -> dict[str, Any]:
    """Run one variant with its own server. Return wall-clock seconds, and CPU seconds of all processes."""
    by_seed = {
        seed_of(episode, k): delay for episode, row in zip(taken, delays, strict=True) for k, delay in enumerate(row)
    }
    with tempfile.TemporaryDirectory() as folder, server(by_seed) as (url, pipe):
        directory = Path(folder, "run")
        before = _children()
        wall, cpu = asyncio.run(timed(way, directory, taken, url, max(by_seed.values())))
        executor = _children() - before
        pipe.send("stop")
        asked, serving = _received(pipe)
        attempts = load_rows(directory).rows
    if asked - Counter([WARM]) != Counter(list(by_seed)):
        raise SystemExit(
            f"the server received {asked.total() - 1} requests, not one for each of {len(by_seed)} attempts"
        )
    if len(attempts) != len(by_seed) or any(attempt.verdict is None for attempt in attempts):
        raise SystemExit("not every episode made all its attempts")
    return {
        "seconds": wall,
        **dict(zip(CPU, (round(used, 1) for used in (cpu, serving, executor)), strict=True)),
    }


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    options = parse(__doc__)
    number, scale = (24, 1 / 10) if options.quick else (42 * 3, 1 / 2)
    taken = episodes(number, "python", ATTEMPTS - 1, NAME)
    delays = draw(number, scale, options.seed)
    best = ideal(delays)
    ours, barrier = measure(drive, taken, delays), measure(drive_in_rounds, taken, delays)
    found: dict[str, dict[str, Any]] = {
        "ideal, computed": {"seconds": best},
        "with unlimited slots, computed": {"seconds": max(map(sum, delays))},
        "this loop": ours,
        "rounds with a barrier, computed": {"seconds": ideal_rounds(delays)},
        "rounds with a barrier": barrier,
    }
    rows = [
        {
            "way": way,
            "seconds": round(row["seconds"], 1),
            "times the ideal": round(row["seconds"] / best, 3),
            **{name: row.get(name) for name in CPU},
        }
        for way, row in found.items()
    ]
    report(
        f"{number} episodes of {ATTEMPTS} attempts, {IN_FLIGHT} in flight, time scaled by {scale:g}", rows, options.json
    )
    print(f"rounds with a barrier take {barrier['seconds'] / ours['seconds']:.2f} times as long as this loop")

    drawn = [draw(number, 1.0, seed) for seed in range(DRAWS)]
    ratios = statistics.quantiles([ideal_rounds(one) / ideal(one) for one in drawn], n=10)
    row = {"draws": DRAWS, "10th percentile": ratios[0], "median": ratios[4], "90th percentile": ratios[8]}
    row = {name: round(value, 2) for name, value in row.items()}
    report("Rounds with a barrier compared with the ideal, both computed, for other delays", [row], options.json)


if __name__ == "__main__":
    main()
