"""Events of a run: quiet by default, in `run.log`, and without keys, prompts or completions."""

import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

import pytest
from server.scripted import ReceivedRequest, Reply, ScriptedServer, answer, rate_limited, refused

from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Call, Program
from repair_bench.log import RUN_LOG, log, log_context, log_to_run, show

KEY, PROMPT, COMPLETION = "sk-canary-of-the-key", "canary-of-the-prompt", "canary-of-the-completion"


@pytest.fixture(autouse=True)
def quiet_again() -> Iterator[None]:
    yield
    show(None)


def events(directory: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (directory / RUN_LOG).read_text().splitlines()]


def test_logging_is_off_by_default(capfd: pytest.CaptureFixture[str]) -> None:
    log.warning("fault", boundary="model")
    assert capfd.readouterr() == ("", "")


def test_standard_error_has_a_level_and_above(capfd: pytest.CaptureFixture[str]) -> None:
    show("warning")
    with log_context(run="study"):
        log.info("opened")
        log.warning("retry", reason="Timeout\x1b[2J\n")
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "level='warning' event='retry' run='study' reason='Timeout\\x1b[2J\\n'" in err


def test_run_log_has_info_events_and_is_appended_on_resume(tmp_path: Path) -> None:
    for name in ("opened", "resumed"):
        with log_to_run(tmp_path), log_context(run="study"):
            log.debug("looked")
            log.info(name)
    log.warning("later")
    assert [(event["event"], event["run"]) for event in events(tmp_path)] == [("opened", "study"), ("resumed", "study")]


def test_unwritable_log_does_not_stop_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        tried: ClassVar[list[str]] = []

        def write(self, text: str) -> int:
            self.tried.append(text)
            raise OSError(28, "No space left on device")

    show("info")
    monkeypatch.setattr(sys, "stderr", Full())
    log.info("opened")
    assert any("opened" in text for text in Full.tried)


def test_concurrent_runs_have_separate_logs(tmp_path: Path) -> None:
    first, second = tmp_path / "first" / "run", tmp_path / "second" / "run"
    for directory in (first, second):
        directory.mkdir(parents=True)
    both_open = threading.Barrier(2, timeout=30)

    async def work(directory: Path) -> None:
        log.info("opened", of=directory.parent.name)

    async def in_a_notebook(directory: Path) -> None:
        run_to_end(work(directory))

    def run(directory: Path) -> None:
        with log_to_run(directory):
            both_open.wait()
            run_to_end(work(directory))
            run_to_end(in_a_notebook(directory))
            both_open.wait()
            log.info("closed", of=directory.parent.name)

    with ThreadPoolExecutor(2) as threads:
        runs = [threads.submit(run, directory) for directory in (first, second)]
    for ended in runs:
        ended.result()
    for directory in (first, second):
        story = [(event["event"], event["of"]) for event in events(directory)]
        assert story == [(name, directory.parent.name) for name in ("opened", "opened", "closed")]


def test_event_without_a_run_is_in_all_logs(tmp_path: Path) -> None:
    with log_to_run(tmp_path), ThreadPoolExecutor(1) as watcher:
        watcher.submit(log.warning, "node_lost").result()
    assert [event["event"] for event in events(tmp_path)] == ["node_lost"]


def test_log_that_cannot_be_opened_prints_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / RUN_LOG).mkdir()
    with log_to_run(tmp_path):
        log.info("opened")
    says = f"{tmp_path / RUN_LOG} cannot be written: Is a directory. Events are not logged.\n"
    assert capfd.readouterr() == ("", says)


@pytest.mark.slow
def test_dead_server_is_logged_with_its_attempt(tmp_path: Path) -> None:
    program = Program("python", "def answer():\n    return 1\n", Call("answer", "state"))

    async def go() -> None:
        async with LocalExecutor(1) as executor:
            await executor.run(program)
            os.kill(executor._server("python").pid, signal.SIGKILL)
            with log_context(attempt="a1"):
                await executor.run(program)

    with log_to_run(tmp_path):
        run_to_end(go())
    told = [(event["event"], event.get("attempt")) for event in events(tmp_path)]
    assert told == [("server_started", None), ("server_died", "a1"), ("server_restarted", "a1")]


def test_an_unknown_level_is_refused(cli, tmp_path) -> None:
    done = cli("run", "--log-level", "loud")
    assert done.returncode == 2
    assert "--log-level 'loud': choose from debug, info, warning, error" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_regrade_logs_events_and_grade_prints_them(cli, tmp_path) -> None:
    run = cli("run", "--framework", "qiskit", "--limit", "1", "--out", "r")
    again = cli("regrade", "r", "--out", "again")
    assert (run.returncode, again.returncode) == (0, 0)
    assert [(event["event"], event["run"]) for event in events(tmp_path / "r")] == [("opened", "r"), ("closed", "r")]
    assert [(event["event"], event["run"]) for event in events(tmp_path / "again")] == [
        ("opened", "again"),
        ("closed", "again"),
    ]
    assert "event=" not in run.stderr + again.stderr
    (tmp_path / "in.jsonl").write_text('{"task_id": "16", "framework": "qiskit", "code": "x = 1"}\n')
    words = ["grade", "in.jsonl", "--suite", "aligned", "--out", "out.jsonl", "--log-level", "info"]
    done = cli(*words)
    assert done.returncode == 0
    assert "event='server_started'" in done.stderr


@pytest.mark.slow
def test_log_of_a_failing_run_has_no_key_prompt_or_completion(cli, tmp_path, monkeypatch) -> None:
    """The provider quotes the request in every error, and its earlier answers."""

    def script(asked: ReceivedRequest) -> Reply:
        quoted = f"{asked.headers['authorization']} {asked.messages} {COMPLETION}"
        if asked.number == 0:
            return rate_limited(retry_after=0.1)
        if asked.number == 1:
            return refused(500, quoted)
        if asked.number == 2:
            return answer(f"```python\ndef f():\n    raise ValueError('{COMPLETION}')\n```")
        return refused(400, quoted)

    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ScriptedServer(script) as server:
        (tmp_path / "study.toml").write_text(
            f"""
models = ["openai/gpt-4.1"]
frameworks = ["qiskit"]
limit = 2
max_attempts = 1
api_base = "{server.url}"

[prompt]
system_text = "{PROMPT}"

[providers.openai]
requests_per_minute = 45
retry_for_seconds = 5
"""
        )
        words = "run study.toml --out r --concurrency 1 --log-level debug --json --no-preflight"
        done = cli(*words.split())
        assert done.returncode == 1
        assert PROMPT in str(server.asked[0].messages)  # possible content of the log
        assert KEY in server.asked[0].headers["authorization"]

    assert COMPLETION in (tmp_path / "r" / "attempts.jsonl").read_text()
    kept_events = events(tmp_path / "r")
    shown = done.stderr
    logged = "\n".join(line for line in shown.splitlines() if line.startswith("timestamp="))
    for text in ((tmp_path / "r" / RUN_LOG).read_text(), logged):
        assert text
        assert "canary" not in text
    assert KEY not in shown  # unlike the log, the last line of the run quotes the provider's message with the prompt
    assert COMPLETION not in shown
    assert [event["event"] for event in kept_events if event["event"] != "quota_wait"] == [
        "opened",
        "retry",
        "retry",
        "fault",
        "fault",
        "closed",
    ]
    assert all(event["run"] == "r" for event in kept_events)
    retries = [event for event in kept_events if event["event"] == "retry"]
    assert [(event["reason"], event["status"]) for event in retries] == [
        ("RateLimitError", 429),
        ("InternalServerError", 500),
    ]
    waits = [event for event in kept_events if event["event"] == "quota_wait"]
    assert waits
    attempts = [json.loads(line) for line in (tmp_path / "r" / "attempts.jsonl").read_text().splitlines()]
    by_attempt = {attempt["id"]: attempt["episode"] for attempt in attempts}
    for event in [*retries, *waits, *(event for event in kept_events if event["event"] == "fault")]:
        assert by_attempt[event["attempt"]] == event["episode"]
    assert "event='retry'" in shown
