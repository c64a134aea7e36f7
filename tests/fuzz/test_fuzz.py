"""Short, seeded runs of the fuzzing scripts in this folder."""

import json
import os
import subprocess
import sys
from pathlib import Path

import candidate_socket
import pathological_texts
import pytest
from benchmark import FOLDER


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_no_candidate_message_forges_a_verdict_or_raises(seed: int) -> None:
    counts = candidate_socket.fuzz(1500, seed).counts
    assert counts["failed"]
    assert counts["malformed"]
    assert counts["exception"]


@pytest.mark.slow
def test_no_text_takes_a_parser_over_the_limit() -> None:
    slowest = pathological_texts.slowest(pathological_texts.a_task(), 0, 60)
    assert {name: text for name, (seconds, text) in slowest.items() if seconds > pathological_texts.MAX_SECONDS} == {}


@pytest.mark.slow
def test_no_incorrect_mutant_passes_its_test(datasets: Path, tmp_path: Path) -> None:
    suites = ["quantum-katas", "qiskit-humaneval", "aligned"]
    words = ["--suites", *suites, "--mutants", "6", "--every", "29", "--json", str(tmp_path / "found.json")]
    subprocess.run(  # a subprocess, because it forks, and this process may have threads
        [sys.executable, FOLDER / "border.py", *words],
        env={**os.environ, "REPAIR_BENCH_DATASETS": str(datasets)},
        timeout=500,
        check=True,
    )
    (found,) = json.loads((tmp_path / "found.json").read_text()).values()
    assert [row["suite"] for row in found["rows"]] == suites
    assert all(row["refused"] and row["failed"] and row["the same"] for row in found["rows"])
    assert [row["tasks passed wrongly"] for row in found["rows"]] == [None] * 3
