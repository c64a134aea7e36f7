"""Complete runs of the command through batches: kill -9 at random moments, then --resume; the provider counts."""

import json
import os
import signal
import time
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from server.batches import BatchProvider, completion
from server.scripted import ScriptedServer
from server.warm import Warm

from repair_bench import suites
from repair_bench.coroutines import run_to_end

pytestmark = pytest.mark.slow

RUN = ["--model", "openai/gpt-4.1", "--framework", "qiskit", "--json"]
ENVIRONMENT = {"OPENAI_API_KEY": "sk-of-the-batch-runs"}
KILLS = 1
SEED = 13  # killed when the provider has the batch, but the ledger does not record it
KILLS_A_RUN = 8
SMALL, LARGE = (1, 1), (4, 3)
"""Number of problems, and maximum number of repairs."""
BAD_DAY = {"error": 0.15, "missing": 0.05, "twice": 0.1, "unknown": 0.1}
ENDS = ("completed", "completed", "completed", "expired", "lost", "busy")
MOMENTS = ("at once", "prepared", "noted", "uploaded", "created", "submitted", "collected", "saved")
"""Events soon after which a run is killed."""


@cache
def references() -> dict[str, str]:
    suite = run_to_end(suites.load("aligned"))
    return {t.prompt.strip(): t.reference or "" for t in suite.tasks if t.framework == "qiskit"}


def answer(body: Any) -> Any:
    """Return a correct or incorrect answer that depends only on the conversation and its seed."""
    messages = body["messages"]
    chance = Random(json.dumps([messages, body["seed"]]))
    right = next(code for prompt, code in references().items() if prompt in messages[1]["content"])
    wrong = "def " + right.partition("def ")[2].partition("\n")[0] + "\n    raise ValueError\n"
    return completion(f"```python\n{right if chance.random() < 0.3 else wrong}\n```")


def settings(url: str, *, batch: bool) -> list[str]:
    own = {"api_base": url, "batch": str(batch).lower(), "retry_for_seconds": "6"}
    return [part for name, value in own.items() for part in ("-c", f"providers.openai.{name}={value}")]


def verdicts(directory: Path) -> dict[str, str]:
    """Return the result of each attempt by its id."""
    found = {}
    for line in (directory / "attempts.jsonl").read_text().splitlines():
        data = json.loads(line)
        if data["fault"] is None:
            assert data["id"] not in found, "an attempt was made twice"
            found[data["id"]] = json.dumps([data["verdict"], data["messages"], data["completion"]["text"]])
    return found


def seen(directory: Path, provider: BatchProvider) -> Counter[str]:
    """Return how often each event occurred after which a run may be killed."""
    events = [json.loads(line)["event"] for line in _lines(directory / "batches.jsonl")]
    kept = [json.loads(line)["event"] for line in _lines(directory / "completions.jsonl")]
    counts = Counter(events) + Counter({"noted": kept.count("request"), "saved": kept.count("completion")})
    counts["created"] = len(provider.batches)
    return counts


def _lines(path: Path) -> list[str]:
    return path.read_text().split("\n")[:-1] if path.exists() else []


def state(directory: Path, provider: BatchProvider) -> str:
    """Return the state of the last batch when the run was killed."""
    events = [json.loads(line) for line in _lines(directory / "batches.jsonl")]
    if not events:
        return "none"
    last = events[-1]
    if last["event"] == "prepared":
        kept = {json.loads(line)["key"] for line in _lines(directory / "completions.jsonl")}
        return "noted" if set(last["params"]) <= kept else "prepared"
    if last["event"] == "uploaded":
        made = any(batch.metadata["repair_bench"] == last["id"] for batch in provider.batches.values())
        return "created" if made else "uploaded"
    if last["event"] == "collected":
        keys = {k for e in events if e["id"] == last["id"] and e["event"] == "prepared" for k in e["params"]}
        saved = [json.loads(line) for line in _lines(directory / "completions.jsonl")]
        owed = keys - {line["key"] for line in saved if line["event"] == "completion"} - set(last["unanswered"])
        return "collected" if owed else "saved"
    return str(last["event"])


def torture(directory: Path, kills: int, seed: int = 0, size: tuple[int, int] = LARGE) -> tuple[Counter[str], int]:
    """Kill runs this often, and complete each. Return the states at the kills, and the number of runs.

    Asserts that each run submitted and paid for nothing twice, and that it ends like a run without batches.
    """
    chance = Random(seed)
    begin = [*RUN, "--limit", str(size[0]), "--max-attempts", str(size[1])]
    states: Counter[str] = Counter()
    runs = 0
    with Warm(ENVIRONMENT, directory / "log") as warm:
        with ScriptedServer(BatchProvider(answer)) as server:
            alone = warm.start("run", *begin, "--out", directory / "alone", *settings(server.url, batch=False))
            assert warm.wait(alone) == 0, (directory / "log").read_text()
        expected = verdicts(directory / "alone")
        while states.total() < kills:
            runs += 1
            ends = (*chance.choices(ENDS, k=12), "completed")
            provider = BatchProvider(answer, BAD_DAY, ends, delay=0.2, pause=0.02, seed=runs)
            with ScriptedServer(provider) as server:
                place = directory / f"run-{runs}"
                again = settings(server.url, batch=True)
                first = [*begin, "--out", str(place), *again]
                resume = ["--resume", str(place), *again]
                for _ in range(min(KILLS_A_RUN, kills - states.total())):
                    command = resume if (place / "run.json").exists() else first
                    if not _killed(warm, place, command, provider, chance):
                        break
                    states[state(place, provider)] += 1
                for _ in range(5):  # episodes with a fault stay pending
                    if warm.wait(warm.start("run", *resume)) == 0:
                        break
            assert verdicts(place) == expected, (directory / "log").read_text()[-3000:]
            assert set(provider.answered.values()) == {1}
            assert provider.submitted == provider.answered + provider.unanswered
            assert set(provider.used.values()) == {1}
            assert not provider.refusals
    return states, runs


def _killed(warm: Warm, place: Path, command: list[str], provider: BatchProvider, chance: Random) -> bool:
    """Start or resume a run and kill it at a random moment. Return False if it ended before."""
    moment, wait = chance.choice(MOMENTS), chance.uniform(0, 0.04)
    before = seen(place, provider)
    process = warm.start("run", *command)
    until = time.monotonic() + 120
    while seen(place, provider)[moment] <= before[moment] and moment != "at once":
        assert time.monotonic() < until, f"no {moment}"
        if warm.has_ended(process):
            warm.wait(process)
            return False
        time.sleep(0.002)
    time.sleep(chance.uniform(2, 6) if moment == "at once" else wait)
    os.kill(process, signal.SIGKILL)
    return warm.wait(process) == -signal.SIGKILL


def test_killed_runs_submit_no_batch_twice(tmp_path: Path) -> None:
    states, _ = torture(tmp_path, KILLS, SEED, SMALL)
    assert states.total() == KILLS
