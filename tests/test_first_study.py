"""The shipped study is consistent, and its figures and plots can be computed again."""

import subprocess
import sys
from pathlib import Path

import pytest

STUDY = Path(__file__).parents[1] / "studies/2026-first"


@pytest.mark.slow
def test_shipped_study_is_verified_and_recomputed(datasets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REPAIR_BENCH_DATASETS", str(datasets))
    command = [sys.executable, str(STUDY / "study.py"), "--sample", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=550)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    assert done.stdout.endswith("Every run is verified; figures and plots are equal.\n")
