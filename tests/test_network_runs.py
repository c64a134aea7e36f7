"""Complete runs of the command through litellm against a provider with a quota, errors and a bill."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from server.provider import LOST, Provider
from server.scripted import ScriptedServer

from repair_bench.traces.record.spending import Bound, Spending

pytestmark = pytest.mark.slow

SCALE = 40  # a minute of these providers lasts 1.5 seconds
BAD_DAY = {"500": 0.20, "429": 0.05, "hang": 0.02, "reset": 0.02, "cut": 0.02}
KILLS = 3


def experiment(directory: Path, url: str, *, limit: int, samples: int, repairs: int, per_minute: float | None) -> Path:
    """No task is ever solved, so each episode requests 1 + `repairs` completions."""
    pace = "" if per_minute is None else f"requests_per_minute = {per_minute}\n"
    path = directory / "study.toml"
    path.write_text(
        f"""
models = ["openai/gpt-4.1"]
frameworks = ["qiskit"]
api_base = "{url}"
limit = {limit}
samples = {samples}
max_attempts = {repairs}
temperature.first = 0.8

[[prompt]]
max_completion_tokens = 300

[providers.openai]
concurrency = 48
timeout_seconds = 6
retry_for_seconds = 20
{pace}"""
    )
    return path


def start(*arguments: str | Path) -> subprocess.Popen[str]:
    command = [
        sys.executable,
        "-m",
        "repair_bench",
        "run",
        *map(str, arguments),
        "--concurrency",
        "48",
        "--no-preflight",
    ]
    environment = {**os.environ, "OPENAI_API_KEY": "sk-of-the-network-runs"}
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment)


def run(*arguments: str | Path) -> tuple[int, str]:
    """Return the exit code and the standard error."""
    with start(*arguments) as process:
        _, errors = process.communicate(timeout=300)
    return process.returncode, errors


def spent(errors: str) -> float:
    return float(re.search(r"([\d.]+) USD and [\d,]+ tokens spent", errors).group(1))


def verdicts(directory: Path) -> Counter[str]:
    lines = [json.loads(line) for line in (directory / "attempts.jsonl").read_text().splitlines()]
    return Counter(line["verdict"]["kind"] if line["verdict"] else line["fault"]["boundary"] for line in lines)


def on_disk(directory: Path) -> tuple[set[str], float]:
    """Return the conversations with stored answers, and the spending in US dollars that a resumed run would count.
    Partial last lines are ignored.
    """
    found, spending = set(), Spending()
    for line in (directory / "completions.jsonl").read_text().split("\n")[:-1]:
        match json.loads(line):
            case {"event": "request", "key": key, "at_most": at_most}:
                spending.requested(key, Bound.read(at_most))
            case {"event": "refused", "key": key}:
                spending.refused(key)
            case {"event": "completion", "key": key, "data": data}:
                spending.answered(key, data)
                found.add(data["text"].split()[-1])
    return found, spending.total.cost_usd


def test_500_requests_under_a_quota_on_a_bad_day(tmp_path):
    provider = Provider(BAD_DAY, quota=(60, 60 / SCALE), seed=1)
    with ScriptedServer(provider) as server:
        study = experiment(tmp_path, server.url, limit=42, samples=6, repairs=1, per_minute=60 * SCALE)
        code, errors = run(study, "--out", tmp_path / "r", "--max-cost", "50")

    assert code == 0, errors
    assert verdicts(tmp_path / "r") == {"no_code": 504}
    assert len(provider.outcomes) == 504
    for outcomes in provider.outcomes.values():  # requests repeat only after a fault, and end with the answer
        assert outcomes.index("ok") == len(outcomes) - 1
    seen = Counter(outcome for outcomes in provider.outcomes.values() for outcome in outcomes)
    assert seen["500"] > 60
    assert min(seen[fault] for fault in BAD_DAY) > 0
    assert f"{seen.total() - 504:,} requests repeated" in errors
    # the reported spending is at least the bill; the difference is the bound of lost requests
    assert provider.bill <= spent(errors) + 1e-4
    assert "uncertain" in errors


def test_bursts_of_refusals_are_survived_without_a_quota(tmp_path):
    provider = Provider(quota=(20, 1.0))
    with ScriptedServer(provider) as server:
        study = experiment(tmp_path, server.url, limit=20, samples=3, repairs=0, per_minute=None)
        code, errors = run(study, "--out", tmp_path / "r")

    assert code == 0, errors
    assert verdicts(tmp_path / "r") == {"no_code": 60}
    assert sum(outcomes.count("quota") for outcomes in provider.outcomes.values()) > 0


def test_bill_stays_in_budget_and_a_larger_one_resumes_the_run(tmp_path):
    budget, provider = 0.1, Provider(BAD_DAY, seed=2)
    with ScriptedServer(provider) as server:
        study = experiment(tmp_path, server.url, limit=24, samples=3, repairs=1, per_minute=None)
        code, errors = run(study, "--out", tmp_path / "r", "--max-cost", budget)
        assert code == 1, errors
        assert re.search(r"\d+ episodes? pending: the budget of 0.1000 USD", errors)
        assert 0 < provider.bill <= spent(errors) + 1e-4 <= budget + 2e-4

        asked = len(server.asked)
        code, errors = run(study, "--resume", tmp_path / "r")
        assert code == 1, errors
        assert provider.bill <= budget
        assert len(server.asked) <= asked + 3  # the rest of the budget may have allowed a smaller prompt

        code, errors = run(study, "--resume", tmp_path / "r", "--max-cost", 50)
        assert code == 0, errors
        assert provider.bill <= spent(errors) + 1e-4
    assert verdicts(tmp_path / "r") == {"no_code": 144}
    for outcomes in provider.outcomes.values():
        assert outcomes.count("ok") == 1


@pytest.mark.parametrize(
    "given", [["--max-cost", "1", "-c", "prompt=[{}]"], ["--max-cost", "1", "--model", "openai/house"]]
)
def test_unenforceable_budget_is_refused_at_the_start(tmp_path, given):
    with ScriptedServer(Provider()) as server:
        study = experiment(tmp_path, server.url, limit=1, samples=1, repairs=0, per_minute=None)
        code, errors = run(study, "--out", tmp_path / "r", *given)
    assert code == 2
    assert len(errors.strip().splitlines()) == 1
    assert not (tmp_path / "r").exists()
    assert server.asked == []


def test_run_killed_at_random_repeats_no_stored_answer(tmp_path):
    provider = Provider({"500": 0.1, "hang": 0.02, "cut": 0.03}, seed=3)
    random = Random(30)
    out = tmp_path / "r"
    with ScriptedServer(provider) as server:
        study = experiment(tmp_path, server.url, limit=24, samples=3, repairs=2, per_minute=1200)
        for kill in range(KILLS):
            known = on_disk(out)[0] if kill else set()
            before = {c: len(provider.outcomes[c]) for c in known}
            asked = len(server.asked)
            with start(study, "--resume", out) if kill else start(study, "--out", out, "--max-cost", 50) as process:
                given_up = time.monotonic() + 300
                while len(server.asked) == asked and process.poll() is None and time.monotonic() < given_up:
                    time.sleep(0.01)
                time.sleep(random.uniform(0, 1.5))
                process.send_signal(signal.SIGKILL)
                process.communicate(timeout=60)
            assert process.returncode == -signal.SIGKILL, "the run was over before it was killed"
            assert {c: len(provider.outcomes[c]) for c in known} == before, "an answer on disk was asked for again"
            assert provider.bill <= on_disk(out)[1] + 1e-9
        known = on_disk(out)[0]
        before = {c: len(provider.outcomes[c]) for c in known}
        code, errors = run(study, "--resume", out)

    assert code == 0, errors
    assert {c: len(provider.outcomes[c]) for c in known} == before
    assert verdicts(out) == {"no_code": 216}
    assert len(on_disk(out)[0]) == len(provider.outcomes) == 216
    assert provider.bill <= spent(errors) + 1e-4
    lost = sum(o in LOST for outcomes in provider.outcomes.values() for o in outcomes)
    assert lost > 0
    assert "uncertain" in errors
