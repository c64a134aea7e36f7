"""Whether what a model is rewarded with in training is what `repair-bench grade` says of the same answers.

    REPAIR_BENCH_DATASETS=DIR [REPAIR_BENCH_ANSWERS=DIR] python benchmarks/rewards.py [--quick] [--json FILE]

The answers: `toolbox-v3.jsonl.gz` and the runs in REPAIR_BENCH_ANSWERS; where they are fewer than are to be drawn, a
run of a simulated model over all suites that are there is recorded first. Of those to tasks that may be learned from
1,000 are drawn, all different, the published ones first. Each is graded by the command, answered to `repair-bench
serve` in one of 64 rollouts at once, up to four answers in each, and, where `verifiers` is installed, to its
environment in an episode of its own. Ends with 1 where a reward differs or is missing.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp
from common import FOLDERS, parse, report

import repair_bench
from repair_bench import suites
from repair_bench.agent.training.rollout import SEALED
from repair_bench.frameworks import FRAMEWORKS
from repair_bench.traces.reading import ATTEMPTS

DRAWN, QUICK = 1_000, 40
AT_ONCE = 64
REPAIRS = 3
PUBLISHED = "toolbox-v3.jsonl.gz"
ALL = ("all", "")
COMMAND = (sys.executable, "-m", "repair_bench")


class Asked(NamedTuple):
    """A task, by its names."""

    suite: str
    task_id: str
    framework: str


class Answer(NamedTuple):
    """An answer to a task. `source`: who gave it."""

    asked: Asked
    text: str
    source: str


class Source(NamedTuple):
    """Which suites there are, and the folder of their files, None where there is none."""

    suites: tuple[str, ...]
    data: Path | None

    @classmethod
    def found(cls) -> Source:
        given = os.environ.get("REPAIR_BENCH_DATASETS")
        published = {**FOLDERS, "quanbench-plus": "quanbench-plus"}
        there = [name for name, folder in published.items() if given and Path(given, folder).is_dir()]
        return cls(("aligned", "conventions", *there), Path(given) if there and given else None)

    def settings(self, repairs: int) -> dict[str, Any]:
        """Fields of an experiment over all of them."""
        return {"suites": list(self.suites), "frameworks": list(FRAMEWORKS), "max_attempts": repairs}

    def overrides(self, repairs: int) -> list[str]:
        """The same, as the command line has them."""
        return [f"{name}={json.dumps(value)}" for name, value in self.settings(repairs).items()]

    def options(self) -> list[str]:
        return [] if self.data is None else ["--data", str(self.data)]

    def learnable(self) -> set[Asked]:
        """The tasks that the environment asks."""
        loaded = [asyncio.run(suites.load(name, data=self.data)) for name in self.suites]
        tasks = [task for suite in loaded for task in suite.tasks if task.excluded is None]
        return {Asked(t.suite, t.id, t.framework) for t in tasks if t.sound and t.sealed in SEALED}


def stored() -> Iterator[Answer]:
    """The answers that are there."""
    folder = Path(os.environ.get("REPAIR_BENCH_ANSWERS", "nowhere"))
    published = folder / PUBLISHED
    if published.is_file():
        with gzip.open(published, "rt", encoding="utf-8") as file:
            for line in map(json.loads, file):
                asked = Asked("qiskit-humaneval", line["task_id"], line["framework"])
                yield Answer(asked, line["completion"], PUBLISHED)
    for attempts in sorted(folder.glob(f"*/{ATTEMPTS}")):
        yield from recorded(attempts.parent)


def recorded(run: Path) -> Iterator[Answer]:
    """The answers of a run."""
    for row in repair_bench.load(run).rows:
        attempt = row.whole()
        if attempt.completion is not None:
            asked = Asked(attempt.suite, attempt.task_id, attempt.framework)
            yield Answer(asked, attempt.completion.text, attempt.model)


def draw(source: Source, count: int, seed: int, folder: Path) -> list[Answer]:
    """So many different answers to tasks that may be learned from, or all that there are."""
    learnable = source.learnable()
    pool = [answer for answer in stored() if answer.asked in learnable]
    print(f"{len(pool):,} stored answers are to tasks that may be learned from")
    different: dict[tuple[Any, ...], Answer] = {}
    for answer in pool:
        different.setdefault(answer[:2], answer)
    if len(different) < count:
        settings = {"models": "sim/journeyman", **source.settings(1)}
        run = repair_bench.run(settings, out=folder / "run", data=source.data, progress=True)
        made = [answer for answer in recorded(run.directory) if answer.asked in learnable]
        different = {answer[:2]: answer for answer in made} | different
    mixed = random.Random(seed).sample(sorted(different.values()), len(different))
    return sorted(mixed, key=lambda answer: answer.source != PUBLISHED)[:count]


def graded(source: Source, answers: Sequence[Answer], folder: Path) -> list[bool | None]:
    """Whether `repair-bench grade` passes each; None for one that it does not judge."""
    passed: list[bool | None] = [None] * len(answers)
    for suite in source.suites:
        places = [at for at, answer in enumerate(answers) if answer.asked.suite == suite]
        given, out = folder / f"{suite}.jsonl", folder / f"{suite}.graded.jsonl"
        lines = [{**answers[at].asked._asdict(), "completion": answers[at].text} for at in places]
        given.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        command = [*COMMAND, "grade", given, "--suite", suite, "--out", out, *source.options()]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        verdicts = [json.loads(line)["verdict"] for line in out.read_text(encoding="utf-8").splitlines()]
        for at, verdict in zip(places, verdicts, strict=True):
            passed[at] = None if verdict is None else verdict == "pass"
    return passed


class Served(NamedTuple):
    """What came through `serve`: the reward of each answer, None where it was lost, and the memory at most, in MB."""

    rewards: list[float | None]
    peak_mb: int


async def served(source: Source, answers: Sequence[Answer], repairs: int) -> Served:
    """Every answer in a rollout: those to one task one after the other, in a new one when one is done."""
    rewards: list[float | None] = [None] * len(answers)
    by_task: dict[Asked, deque[int]] = defaultdict(deque)
    for at, answer in enumerate(answers):
        by_task[answer.asked].append(at)
    waiting = deque(by_task.values())

    async def play(session: aiohttp.ClientSession, places: deque[int]) -> None:
        while places:
            opened = await _sent(session, "/rollouts", answers[places[0]].asked._asdict())
            done = False
            while places and not done:
                at = places.popleft()
                told = await _sent(session, f"/rollouts/{opened['id']}/answers", {"text": answers[at].text})
                rewards[at], done = told["reward"], told["done"]
            async with session.delete(f"/rollouts/{opened['id']}") as dropped:
                dropped.raise_for_status()

    async def work(session: aiohttp.ClientSession) -> None:
        while waiting:
            await play(session, waiting.popleft())

    async with _service(source, repairs) as (address, process):
        timeout, connector = aiohttp.ClientTimeout(3_600), aiohttp.TCPConnector(limit=AT_ONCE)
        async with aiohttp.ClientSession(address, timeout=timeout, connector=connector) as session:
            await asyncio.gather(*(work(session) for _ in range(AT_ONCE)))
            return Served(rewards, _peak_mb(process.pid))


def _peak_mb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(status.split("VmHWM:")[1].split()[0]) >> 10


async def _sent(session: aiohttp.ClientSession, path: str, body: dict[str, Any]) -> dict[str, Any]:
    async with session.post(path, json=body) as reply:
        told: dict[str, Any] = await reply.json()
        if reply.status not in (200, 201):
            raise RuntimeError(f"{path}: {reply.status} {told}")
        return told


@contextlib.asynccontextmanager
async def _service(source: Source, repairs: int) -> AsyncIterator[tuple[str, asyncio.subprocess.Process]]:
    overrides = [word for override in source.overrides(repairs) for word in ("-c", override)]
    command = [*COMMAND, "serve", "--port", "0", "--rollouts", str(AT_ONCE), *source.options(), *overrides]
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        line = (await process.stdout.readline()).decode()
        yield line.split(" at ")[1].split(";")[0], process
    finally:
        process.terminate()
        await process.wait()


def played(source: Source, answers: Sequence[Answer], folder: Path) -> list[float | None] | None:
    """The reward of each in the environment for `verifiers`; None for all where that is not installed."""
    if importlib.util.find_spec("verifiers") is None:
        print("\nverifiers is not installed: its environment is left out")
        return None
    import verifiers_side

    verifiers_side.install(folder)
    provider = verifiers_side.Provider([[answer.text] for answer in answers])
    data = None if source.data is None else str(source.data)
    taskset = {"override": source.overrides(0), "data": data}
    episodes = asyncio.run(verifiers_side.play(provider, [answer.asked for answer in answers], taskset))
    for answer, episode in zip(answers, episodes, strict=True):
        for error in [*episode.errors, *(error for trace in episode.traces for error in trace.errors)]:
            print(f"{answer.asked}: {error.type}: {error.message}\n{error.traceback}")
    return [_solved(episode) for episode in episodes]


def _solved(episode: Any) -> float | None:
    if episode.errors or len(episode.traces) != 1 or "solved" not in episode.traces[0].rewards:
        return None
    return float(episode.traces[0].rewards["solved"].score)


def rows(
    answers: Sequence[Answer], passed: Sequence[bool | None], ways: dict[str, Sequence[float | None] | None]
) -> Iterator[dict[str, Any]]:
    """How many answers there are, by suite and framework and in all, and of them, how many are rewarded the same."""
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, answer in enumerate(answers):
        places[answer.asked.suite, answer.asked.framework].append(at)
        places[ALL].append(at)
    for (suite, framework), found in sorted(places.items(), key=lambda item: (item[0] == ALL, item[0])):
        yield {
            "suite": suite,
            "framework": framework,
            "answers": len(found),
            "graded": sum(passed[at] is not None for at in found),
            "passed": sum(passed[at] is True for at in found),
            **{
                way: None if rewards is None else sum(_same(passed[at], rewards[at]) for at in found)
                for way, rewards in ways.items()
            },
        }


def _same(passed: bool | None, reward: float | None) -> bool:
    return passed is not None and reward is not None and float(passed) == reward


def main() -> int:
    options = parse(__doc__)
    source = Source.found()
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        answers = draw(source, QUICK if options.quick else DRAWN, options.seed, folder)
        passed = graded(source, answers, folder)
        through = asyncio.run(served(source, answers, REPAIRS))
        environment = played(source, answers, folder)
    ways = {"the same in serve": through.rewards, "the same in verifiers": environment}
    table = list(rows(answers, passed, ways))
    report("Rewards of answers, beside `repair-bench grade`", table, options.json)
    for name, number in sorted(Counter(answer.source for answer in answers).items()):
        print(f"{number:,} answers of {name}")
    print(f"{AT_ONCE} rollouts at once; {through.rewards.count(None)} answers lost; serve held {through.peak_mb} MB")
    for at, answer in enumerate(answers):
        for way, rewards in ways.items():
            if rewards is not None and not _same(passed[at], rewards[at]):
                print(f"{way} is not so: {answer.asked}: graded {passed[at]}, rewarded {rewards[at]}")
    known = [rewards for rewards in ways.values() if rewards is not None]
    return int(not all(_same(p, rewards[at]) for rewards in known for at, p in enumerate(passed)))


if __name__ == "__main__":
    raise SystemExit(main())
