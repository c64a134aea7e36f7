"""Signals to a run with requests in flight: the first waits for their answers, the second cancels them."""

import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest
from server.scripted import ReceivedRequest, Reply, ScriptedServer, answer, refused

from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.loop import runner
from repair_bench.agent.models import ProviderSettings
from repair_bench.agent.models.network.client import LiteLLMModel
from repair_bench.suites.task import Suite
from repair_bench.testing.driving import drive
from repair_bench.traces.faults import UsageError

pytestmark = pytest.mark.slow

NAMES = ("openai/gpt-4.1", "openai/gpt-4o")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-stopping-tests")


def run(directory: Path, suite: Suite, server: ScriptedServer, names: tuple[str, ...] = NAMES[:1], limit=12, **options):
    experiment = Experiment(models=names, frameworks=("qiskit",), limit=limit, max_attempts=1)
    models = [LiteLLMModel(n, ProviderSettings(api_base=server.url, timeout_seconds=120)) for n in names]
    return drive(directory, experiment.episodes([suite]), models, concurrency=4, **options)


def signalled(server: ScriptedServer, numbers: list[signal.Signals], wait: float = 0.0) -> threading.Thread:
    """Send the signals to this process, half a second apart, `wait` seconds after four requests are in flight."""

    def send() -> None:
        until = time.monotonic() + 60
        while len(server.asked) < 4 and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(wait)
        for number in numbers:
            os.kill(os.getpid(), number)
            time.sleep(0.5)

    thread = threading.Thread(target=send)
    thread.start()
    return thread


def events(directory: Path) -> list[str]:
    return [json.loads(line)["event"] for line in (directory / "completions.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_stores_the_answers_in_flight(
    suite: Suite, tmp_path: Path, number: signal.Signals, monkeypatch: pytest.MonkeyPatch
):
    if number == signal.SIGINT:
        monkeypatch.setattr(runner, "GRACE", 0.1)  # limits only the wait after SIGTERM
    with ScriptedServer([answer("no", delay=1.0)]) as server:
        thread = signalled(server, [number])
        end, _, store = run(tmp_path, suite, server)
        thread.join()
        asked = len(server.asked)
        assert end.interrupted
        assert sorted(events(tmp_path)) == ["completion"] * asked + ["request"] * asked
        assert store.spending.open.cost_usd == 0
        run(tmp_path, suite, server, resume=True)
        bodies = [json.dumps(request.body, sort_keys=True) for request in server.asked]
        assert len(set(bodies)) == len(bodies) == 24


def test_second_signal_cancels_requests_in_flight(suite: Suite, tmp_path: Path):
    with ScriptedServer([answer("no", delay=25.0)]) as server:
        thread = signalled(server, [signal.SIGTERM, signal.SIGINT])
        began = time.monotonic()
        end, _, store = run(tmp_path, suite, server)
        thread.join()
    assert end.interrupted
    assert time.monotonic() - began < 20
    assert "completion" not in events(tmp_path)
    assert store.spending.unbounded == 4


def test_grace_period_is_limited(suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(runner, "GRACE", 0.5)
    with ScriptedServer([answer("no", delay=25.0)]) as server:
        thread = signalled(server, [signal.SIGTERM])
        began = time.monotonic()
        assert run(tmp_path, suite, server)[0].interrupted
        thread.join()
    assert time.monotonic() - began < 20
    assert 0 < runner.GRACE <= 30


def test_model_that_stops_the_run_keeps_answers_of_others(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(runner, "GRACE", 0.1)

    def script(asked: ReceivedRequest) -> Reply:
        if asked.body["model"] == "gpt-4o":
            time.sleep(0.5)
            return refused(404, "no such model")
        return answer("no", delay=1.5)

    with ScriptedServer(script) as server:
        names = NAMES[::-1]
        with pytest.raises(UsageError, match="has no such model"):
            run(tmp_path, suite, server, names, limit=2)
        paid = sum(request.body["model"] == "gpt-4.1" for request in server.asked)
    assert paid == events(tmp_path).count("completion") > 0


def test_one_signal_cancels_the_wait_after_an_error(suite: Suite, tmp_path: Path):
    def script(asked: ReceivedRequest) -> Reply:
        return refused(404, "no such model") if asked.body["model"] == "gpt-4o" else answer("no", delay=25.0)

    with ScriptedServer(script) as server:
        thread = signalled(server, [signal.SIGINT], wait=2.0)
        began = time.monotonic()
        with pytest.raises(UsageError, match="has no such model"):
            run(tmp_path, suite, server, NAMES, limit=2)
        thread.join()
    assert time.monotonic() - began < 20
