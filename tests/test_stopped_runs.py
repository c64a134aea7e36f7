"""Stopped and killed runs against a server with a bill: the reported spending must match the bill.

    python tests/test_stopped_runs.py --stops 100 --kills 100 --seed 0

After each stop or kill the journal must agree with the bill: settled <= bill <= total. The total exceeds the bill by at
most the worst cases of the requests whose answers never reached the disk.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from server.provider import PRICE, Provider
from server.scripted import ScriptedServer, refused
from server.sessions import LONGEST
from server.warm import Warm

from repair_bench.traces.record.spending import Bound, Spending

ENVIRONMENT = {"OPENAI_API_KEY": "sk-of-the-stopped-runs"}
DELAY = 0.6
"""Maximum duration of an answer in seconds."""
FAULTS = {"500": 0.05, "cut": 0.02, "429": 0.02}
PROMPT = 4096
"""Maximum size of a prompt of these runs in bytes."""
WORST = (256 + 16 * 13 + PROMPT) * PRICE[0] + LONGEST * PRICE[1]
"""Maximum cost of one request in US dollars."""


@dataclass
class Journal:
    """The content of `completions.jsonl`: `answered`, the conversations with an answer; `open`, the requests of each
    key without one; `spending`.
    """

    answered: set[str] = field(default_factory=set)
    open: Counter[str] = field(default_factory=Counter)
    spending: Spending = field(default_factory=Spending)
    answers: Counter[str] = field(default_factory=Counter)

    @classmethod
    def read(cls, directory: Path) -> "Journal":
        found = cls()
        path = directory / "completions.jsonl"
        for line in path.read_text().split("\n")[:-1] if path.exists() else ():
            match json.loads(line):
                case {"event": "request", "key": key, "at_most": at_most}:
                    found.spending.requested(key, Bound.read(at_most))
                    found.open[key] += 1
                case {"event": "refused", "key": key}:
                    found.spending.refused(key)
                    found.open[key] -= 1
                case {"event": "completion", "key": key, "data": data}:
                    found.spending.answered(key, data)
                    found.open[key] -= 1
                    found.answers[key] += 1
                    found.answered.add(data["text"].split()[-1])
        return found


@dataclass
class Found:
    """Results: `ended`, the ends of the sessions; `above`, the largest excess of the total in US dollars, and `bounds`,
    its limit from the lost requests; `twice`, stored answers that were bought again.
    """

    ended: Counter[int] = field(default_factory=Counter)
    lost: int = 0
    above: float = 0.0
    billed: float = 0.0
    reported: float = 0.0
    settled: float = 0.0
    bounds: float = 0.0
    twice: int = 0
    seconds: float = 0.0
    """The longest time from a signal to the end."""

    @property
    def interrupted(self) -> int:
        """The number of sessions that did not end normally."""
        return self.ended[130] + self.ended[-signal.SIGKILL]


def check(found: Found, directory: Path, provider: Provider, *, faults: bool) -> Journal:
    """Assert that the journal agrees with the bill, except for lost requests."""
    journal = Journal.read(directory)
    spending, bill = journal.spending, provider.bill
    assert spending.settled.cost_usd <= bill + 1e-9
    assert bill <= spending.total.cost_usd + 1e-9
    lost = journal.open.total()
    assert spending.total.cost_usd - bill <= lost * WORST + 1e-9
    on_disk = sum(journal.answers.values())
    assert set(journal.answers.values()) <= {1}, "an answer was bought twice"
    billed = sum(len(bills) for bills in provider.bills.values())
    assert billed - on_disk <= lost, "the journal knows fewer lost requests than the server"
    if not faults and not lost:
        assert abs(spending.total.cost_usd - bill) < 1e-9
    found.above = max(found.above, spending.total.cost_usd - bill)
    return journal


def torture(place: Path, number: int, seed: int, *, kill: bool, faults: bool, size: tuple[int, int] = (12, 2)) -> Found:
    """Stop or kill this number of sessions and resume each. `size`: problems and repairs of a run."""
    chance = Random(seed)
    found, runs = Found(), 0
    with Warm(ENVIRONMENT, place / "log", sessions=True) as warm:
        while found.interrupted < number:
            runs += 1
            directory = place / f"run-{runs}"
            provider = Provider(FAULTS if faults else None, delay=DELAY, seed=seed + runs)
            with ScriptedServer(provider) as server:
                command = [directory, server.url, *size]
                for _ in range(number):
                    known = Journal.read(directory).answered
                    before = {name: len(provider.bills[name]) for name in known}
                    code = _stopped(found, warm, server, command, chance, kill=kill)
                    found.ended[code] += 1
                    journal = check(found, directory, provider, faults=faults)
                    found.twice += sum(len(provider.bills[name]) > before[name] for name in known)
                    if not kill and code == 130:
                        found.lost += journal.open.total()
                    if code not in (130, -signal.SIGKILL) or found.interrupted >= number:
                        break
                if code in (130, -signal.SIGKILL):
                    while (code := warm.wait(warm.start(*command))) == 1 and faults:
                        pass
                assert code == 0, (place / "log").read_text()[-3000:]
                journal = check(found, directory, provider, faults=faults)
                found.billed += provider.bill
                found.reported += journal.spending.total.cost_usd
                found.settled += journal.spending.settled.cost_usd
                found.bounds += journal.spending.open.cost_usd
                if kill or faults:
                    found.lost += journal.open.total()
    return found


def _stopped(found: Found, warm: Warm, server: ScriptedServer, command: list, chance: Random, *, kill: bool) -> int:
    """Start a session and stop it at a random moment after its first request. Return its exit code."""
    asked = len(server.asked)
    process = warm.start(*command)
    until = time.monotonic() + 60
    while len(server.asked) <= asked + 1 and time.monotonic() < until and not warm.has_ended(process):
        time.sleep(0.005)
    time.sleep(chance.uniform(0, DELAY))
    if not warm.has_ended(process):
        os.kill(process, signal.SIGKILL if kill else chance.choice((signal.SIGINT, signal.SIGTERM)))
    began = time.monotonic()
    code = warm.wait(process)
    found.seconds = max(found.seconds, time.monotonic() - began)
    return code


@pytest.mark.slow
def test_stopped_runs_report_exactly_what_was_billed(tmp_path: Path) -> None:
    found = torture(tmp_path, 3, 1, kill=False, faults=False, size=(6, 1))
    assert found.ended[130] >= 2
    assert (found.lost, found.twice) == (0, 0)
    assert found.reported == pytest.approx(found.billed)


@pytest.mark.slow
def test_killed_runs_report_what_was_billed_up_to_what_was_lost(tmp_path: Path) -> None:
    found = torture(tmp_path, 3, 2, kill=True, faults=True, size=(6, 1))
    assert found.ended[-signal.SIGKILL] >= 2
    assert found.twice == 0
    assert found.settled <= found.billed <= found.reported


def command(*arguments: str | Path) -> "subprocess.Popen[str]":
    line = [sys.executable, "-m", "repair_bench", "run", *map(str, arguments)]
    environment = {**os.environ, **ENVIRONMENT}
    return subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment)


@pytest.mark.slow
def test_sigterm_reports_its_wait_and_resume_pays_nothing_twice(tmp_path: Path) -> None:
    provider = Provider(delay=DELAY)
    with ScriptedServer(provider) as server:
        begin = ["--model", "openai/gpt-4.1", "--framework", "qiskit", "--limit", "8", "--max-attempts", "2"]
        begin += ["--max-completion-tokens", "300", "--api-base", server.url, "--max-cost", "50", "--json"]
        with command(*begin, "--out", tmp_path / "r") as process:
            until = time.monotonic() + 300
            while len(server.asked) < 5 and process.poll() is None and time.monotonic() < until:
                time.sleep(0.01)
            process.send_signal(signal.SIGTERM)
            _, errors = process.communicate(timeout=120)
        assert process.returncode == 130, errors
        assert (
            len(re.findall(r"^stopping: waiting up to 20 s for [1-8] requests? in flight", errors, re.MULTILINE)) == 1
        )
        assert "uncertain" not in errors
        check(Found(), tmp_path / "r", provider, faults=False)
        with command("--resume", tmp_path / "r", "--api-base", server.url) as process:
            _, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        assert "uncertain" not in errors
        check(Found(), tmp_path / "r", provider, faults=False)
    assert [asked.body["max_tokens"] for asked in server.asked].count(1) == 2  # one before each session
    assert Counter(len(bills) for bills in provider.bills.values()) == {1: 24, 2: 1}


@pytest.mark.slow
@pytest.mark.parametrize(("option", "requests"), [("--preflight", 2), ("--no-preflight", 8)])
def test_a_model_name_that_is_refused_with_400_stops_the_run(tmp_path: Path, option: str, requests: int) -> None:
    unknown = refused(
        400, "Invalid model name passed in model=gpt-4.1-mnii. Call `/v1/models` to view available models."
    )
    with ScriptedServer([unknown]) as server:
        begin = ["--model", "openai/gpt-4.1-mnii", "--framework", "qiskit", "--limit", "2", "--max-attempts", "2"]
        with command(*begin, option, "--api-base", server.url, "--out", tmp_path / "r", "--json") as process:
            _, errors = process.communicate(timeout=300)
    assert process.returncode == 2, errors
    assert "check the model's name" in errors.strip().splitlines()[-1]
    assert len(server.asked) <= requests


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Stop and kill runs under a server that bills.")
    parser.add_argument("--stops", type=int, default=100)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name, number, kill, faults in (
            ("stops", given.stops, False, False),
            ("kills", given.kills, True, False),
            ("kills on a bad day", given.kills // 4, True, True),
        ):
            (Path(folder) / name).mkdir()
            found = torture(Path(folder) / name, number, given.seed, kill=kill, faults=faults)
            sys.stdout.write(f"{name}: {found}\n")
