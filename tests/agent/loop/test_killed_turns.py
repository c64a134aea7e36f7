"""SIGKILL within turns: the resumed run has the same records and repeats no answered request."""

import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from timeless import timeless_attempts

from repair_bench.traces.files.journal import parse

RUN = Path(__file__).with_name("killed_turns.py")


def asked(directory: Path) -> list[str]:
    """Return the requested conversations in order."""
    file = directory.with_suffix(".asked")
    return file.read_text().split() if file.exists() else []


def answered(directory: Path) -> set[str]:
    """Return the conversations whose reply is in the store."""
    found = set()
    for line in (directory / "completions.jsonl").read_bytes().split(b"\n")[:-1]:
        event = json.loads(line)
        if event["event"] == "completion":
            said = event["data"]["text"] + json.dumps(event["data"]["parts"])
            found.add(said.partition("('")[2].partition("')")[0])
    return found


def killed(directory: Path, kills: int, seed: int, kind: str = "turns") -> Counter[str]:
    """Kill the run at random moments, then complete it. Return how often each kind of line was the last one.

    A run that ends before the last kill is started again in another directory.
    """
    rng = Random(seed)
    hit: Counter[str] = Counter()
    number = 0
    while hit.total() < kills or not (directory / f"{number}.done").exists():
        run = directory / str(number)
        known = answered(run) if (run / "completions.jsonl").exists() else set()
        before = len(asked(run))
        with subprocess.Popen([sys.executable, RUN, run, kind]) as process:
            end = time.monotonic() + 120
            wanted = before + rng.randrange(1, 20) if hit.total() < kills else sys.maxsize
            while process.poll() is None and len(asked(run)) < wanted:
                assert time.monotonic() < end
                time.sleep(0.002)
            time.sleep(rng.uniform(0, 0.05))
            if process.poll() is None:
                process.kill()
                process.wait()
                last = (run / "completions.jsonl").read_bytes().rstrip(b"\n").rpartition(b"\n")[2]
                hit[str((parse(last) or {"event": "torn"})["event"])] += 1
        again = known & set(asked(run)[before:])
        assert not again, f"asked again though the answer was there: {again}"
        if process.returncode == 0:
            (directory / f"{number}.done").touch()
            number += hit.total() < kills
        else:
            assert process.returncode == -9
    return hit


REQUESTS = {"turns": 8 * 3 * 3, "consulting": 4 * (3 + 2 * 2 * 3 + 2 * 2 + 2)}
"""First answers, two repairs in two arms, their probes, and the queries to the critic in one arm."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", REQUESTS)
def test_run_killed_inside_turns_equals_an_uninterrupted_one(tmp_path: Path, kind: str) -> None:
    (tmp_path / "killed").mkdir()
    killed(tmp_path / "killed", 3, seed=3, kind=kind)
    subprocess.run([sys.executable, RUN, tmp_path / "whole", kind], check=True, timeout=120)
    runs = [run for run in (tmp_path / "killed").iterdir() if run.is_dir()]
    assert runs
    for run in runs:
        assert timeless_attempts(run) == timeless_attempts(tmp_path / "whole")
    assert len(set(asked(tmp_path / "whole"))) == len(asked(tmp_path / "whole")) == REQUESTS[kind]
