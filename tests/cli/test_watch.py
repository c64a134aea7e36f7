"""`watch` and `report --html --watch`, from another terminal than the run."""

import os
import pty
import signal
import subprocess
import sys
import threading
import time

import pytest
from typer.testing import CliRunner

from repair_bench.cli import app
from repair_bench.report import plots
from repair_bench.testing.made_up_runs import run, written
from repair_bench.traces.faults import UsageError
from repair_bench.traces.run.manifest import Manifest

WAIT = 60  # seconds until a test fails


def made(tasks=2):
    attempts, manifest = run(frameworks=("qiskit",), tasks=tasks, repairs=1)
    return attempts, Manifest({**manifest.stated, "episodes": tasks})


def until(done):
    end = time.monotonic() + WAIT
    while not (found := done()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


def test_once_prints_one_frame(tmp_path):
    attempts, manifest = made()
    directory = str(written(tmp_path / "run", attempts[:1], manifest))
    result = CliRunner().invoke(app, ["watch", directory, "--once"], catch_exceptions=False)
    assert result.exit_code == 0
    assert "of 2 done" in result.output
    with pytest.raises(UsageError, match="is not a run"):
        CliRunner().invoke(app, ["watch", str(tmp_path), "--once"], catch_exceptions=False)


def test_watching_a_page_excludes_other_options(tmp_path):
    for other in (["--json"], ["--only", "model=a"], ["--published", "quanbench-plus"], [str(tmp_path)]):
        with pytest.raises(UsageError, match="--watch requires --html and one run:"):
            CliRunner().invoke(app, ["report", str(tmp_path), "--html", "--watch", *other], catch_exceptions=False)


@pytest.mark.slow
def test_watch_waits_for_a_run_and_ends_with_it(tmp_path):
    attempts, manifest = made()
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "repair_bench", "watch", str(tmp_path / "run"), "--every", "0.1"]
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env={**os.environ, "TERM": "xterm"}
    ) as it:
        os.close(theirs)
        seen = _screen(ours)
        until(lambda: b"Waiting for a run" in seen)
        written(tmp_path / "run", attempts[:1], manifest)
        until(lambda: b"of 2 done" in seen)
        assert it.poll() is None
        written(tmp_path / "run", attempts, manifest)
        assert it.wait(WAIT) == 0
        until(lambda: seen.count(b"Finished") >= 2)  # on the alternate screen and on the normal one


@pytest.mark.slow
def test_ctrl_c_ends_the_watch(tmp_path):
    attempts, manifest = made()
    written(tmp_path / "run", attempts[:1], manifest)
    command = [sys.executable, "-m", "repair_bench", "watch", str(tmp_path / "run")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as it:
        until(lambda: b"of 2 done" in it.stdout.readline())  # without a terminal: one frame as text
        it.send_signal(signal.SIGINT)
        _, trouble = it.communicate(timeout=WAIT)
        assert (it.returncode, trouble) == (0, b"")


@pytest.mark.slow
def test_page_is_rewritten_until_the_run_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(plots, "KINDS", {"repair-curve": plots.KINDS["repair-curve"]})
    attempts, manifest = made(tasks=1)
    directory = written(tmp_path / "run", attempts[:1], manifest.replaced(episodes=2))
    page = directory / "report.html"
    arguments = ["report", str(directory), "--html", "--watch", "--every", "0.1"]
    ended = []
    watching = threading.Thread(target=lambda: ended.append(CliRunner().invoke(app, arguments)), daemon=True)
    watching.start()
    until(page.exists)
    first = page.read_text()
    assert 'data-refresh="' in first
    written(tmp_path / "run", attempts, manifest)
    watching.join(WAIT)
    assert [(result.exit_code, result.output.strip()) for result in ended] == [(0, str(page))]
    last = page.read_text()
    assert 'data-refresh="' not in last
    assert list(directory.glob(".report*")) == []


def _screen(terminal: int) -> bytearray:
    """Yield the output of a terminal as it arrives."""
    seen = bytearray()

    def read() -> None:
        while True:
            try:
                part = os.read(terminal, 65536)
            except OSError:  # the other end is closed
                return
            seen.extend(part)

    threading.Thread(target=read, daemon=True).start()
    return seen
