"""Memory when reading a complete run: rows, and the texts of one episode at a time."""

import gc
import itertools
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from repair_bench import prompts
from repair_bench.agent.experiment import beginnings
from repair_bench.agent.models.base import Request
from repair_bench.agent.models.replay import ReplayModel
from repair_bench.agent.studies import forking, merging, regrading
from repair_bench.agent.studies.sharding import Shard
from repair_bench.coroutines import run_to_end
from repair_bench.frameworks import PYTHON
from repair_bench.grading import regrader
from repair_bench.grading import rejudge as rejudging
from repair_bench.grading.loading import silent
from repair_bench.report.exports import export
from repair_bench.testing.made_up_runs import VERDICTS, attempt, written
from repair_bench.traces.record.records import Completion, Outcome
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_reader import load_rows
from repair_bench.traces.run.store import RunStore

TEXT = 8_000
"""Length of each of an attempt's six texts in characters."""
MANIFEST = Manifest.from_json(
    {
        "experiment": {
            "max_attempts": 1,
            "conditions": {"default": {}},
            "prompts": {"version": prompts.VERSION},
            "suite_contents": {"aligned": ["1.0", ""]},
        },
        "episodes": 1_000,
    }
)


def run_of(directory: Path, episodes: int) -> Path:
    """Write a run with this number of episodes of two failed attempts, all with different texts."""

    def lines():
        for episode, number in itertools.product(range(episodes), range(2)):
            text = f"{episode} {number} " + "x" * TEXT
            yield attempt(
                "w",
                number,
                f"e{episode:04}",
                messages=[{"role": "user", "content": text}, {"role": "user", "content": f"more {text}"}],
                completion=Completion(f"```python\ndef f():\n    return {text!r}\n```"),
                code=text,
                outcome=Outcome("returned", {"text": text}, stdout=text),
                sample=episode,
            )

    return written(directory, lines(), MANIFEST)


TASK: Any = SimpleNamespace(
    excluded=None,
    entry_point="f",
    starter="",
    oracle=None,
    language=PYTHON,
    check=SimpleNamespace(rule="exact", judge=lambda *_: VERDICTS["w"], program=lambda *_, **__: None),
)
KEY = ("aligned", "01", "qiskit")


class Executor:
    capacity = 2

    async def run(self, _: object) -> Outcome:
        return Outcome("returned")


def report(directory: Path, _: Path) -> None:
    load_rows(directory)


def csv(directory: Path, scratch: Path) -> None:
    export(load_rows(directory), "csv", directory, scratch / "a.csv")


def fork(directory: Path, scratch: Path) -> None:
    _, source = forking.read(directory, None, 1)
    beginnings.keep(scratch, source.paths)
    kept = beginnings.load_prefixes(scratch, source.origin)
    assert len(kept) == len(source.paths)
    assert kept[-1][1].with_texts() == source.paths[-1][1].with_texts()


def rejudge(directory: Path, _: Path) -> None:
    assert rejudging.rejudge(load_rows(directory), ["exact"], data=None)["rows"]


def merge(directory: Path, _: Path) -> None:
    complete, answers = merging.Part(directory, MANIFEST, Shard(1, 2)).progress()
    assert not complete
    assert answers


def replay(directory: Path, _: Path) -> None:
    model = ReplayModel("replay/x", directory)
    task: Any = SimpleNamespace(suite="aligned", id="01", framework="qiskit")
    for sample, number in itertools.product(range(10), range(2)):
        found = run_to_end(model.complete(Request([], 0.0, None, 0, task, sample, number, condition="default")))
        assert f"return '{sample} {number} x" in found.text


def regrade(directory: Path, scratch: Path) -> None:
    async def go() -> None:
        run = load_rows(directory)
        store = RunStore.create(scratch / "again", Manifest.from_json({}))
        episodes = regrading._episodes(run.rows)
        await regrading._all(episodes, {KEY: TASK}, {"aligned": "1.0"}, Executor(), store, silent)
        await store.close()
        assert len(load_rows(store.directory).rows) == len(run.rows)

    run_to_end(go())


@pytest.mark.slow
@pytest.mark.parametrize(
    "read",
    [report, merge, rejudge, replay, csv, fork, regrade],
    ids=lambda f: f.__name__,
)
def test_no_more_texts_are_in_memory_of_a_longer_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Callable[[Path, Path], None]
) -> None:
    async def tasks(*_: object) -> dict[str, object]:
        return {"exact": {KEY: TASK}}

    monkeypatch.setattr(rejudging, "_load", tasks)
    monkeypatch.setattr(regrader, "departs", lambda *_: False)

    def peak(episodes: int) -> int:
        directory = run_of(tmp_path / f"run-{episodes}", episodes)
        scratch = tmp_path / f"scratch-{episodes}"
        scratch.mkdir()
        gc.collect()
        tracemalloc.start()
        read(directory, scratch)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    peak(40)  # imports, and caches of a bounded number of texts
    short, long = peak(20), peak(60)
    texts = 40 * 2 * 6 * TEXT
    assert long - short < texts / 10
