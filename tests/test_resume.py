"""kill -9 at random moments, then --resume: the result equals that of an uninterrupted run."""

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from timeless import timeless_attempts

KILLS = 3
RUN = ["--framework", "qiskit", "--model", "sim/novice", "--limit", "8", "--samples", "2", "--max-attempts", "5"]
RUN += ["--temperature", "0.8"]


def start(*arguments: str | Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "repair_bench", "run", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def completions(directory: Path) -> list[str]:
    lines = [json.loads(line) for line in (directory / "completions.jsonl").read_text().splitlines()]
    return [line["key"] for line in lines if line["event"] == "completion"]


def size(path: Path) -> int:
    return path.stat().st_size if path.exists() else -1


@pytest.mark.slow
def test_killed_run_ends_like_an_uninterrupted_one(tmp_path) -> None:
    began = time.monotonic()
    with start(*RUN, "--out", tmp_path / "whole") as whole:
        assert whole.wait(300) == 0
    seconds = time.monotonic() - began
    expected = timeless_attempts(tmp_path / "whole")

    random_ = random.Random(20)
    directory = tmp_path / "killed"
    killed = 0
    for kill in range(KILLS):
        before = size(directory / "attempts.jsonl")
        with start(*(["--resume", directory] if kill else [*RUN, "--out", directory])) as process:
            # before the first write nothing was requested, so an earlier kill would prove nothing
            while size(directory / "attempts.jsonl") == before and process.poll() is None:
                time.sleep(0.01)
            time.sleep(random_.uniform(0, 0.6 * seconds / KILLS))
            process.send_signal(signal.SIGKILL)
            killed += process.wait(60) == -signal.SIGKILL
    assert killed >= KILLS / 2
    with start("--resume", directory) as resumed:
        errors = resumed.stderr.read().decode()
        assert resumed.wait(300) == 0, errors
    assert timeless_attempts(directory) == expected
    asked = completions(directory)
    assert len(asked) == len(set(asked)), "a completion that had arrived was asked for again"


@pytest.mark.slow
def test_ctrl_c_stops_cleanly_and_prints_the_resume_command(tmp_path) -> None:
    directory = tmp_path / "r"
    with start(*RUN, "--samples", "20", "--out", directory) as process:
        while not (directory / "attempts.jsonl").exists() or not (directory / "attempts.jsonl").stat().st_size:
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        errors = process.stderr.read().decode()
        assert process.wait(60) == 130
    assert f"repair-bench run --resume {directory}" in errors
    assert "Traceback" not in errors
    for line in (directory / "attempts.jsonl").read_text().splitlines():
        assert json.loads(line)["verdict"] is not None
