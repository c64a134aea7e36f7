"""Reproduction of stored runs: figures, attempts and verdicts are unchanged.

`stored_runs/` holds the output of the commands in `MADE_BY`. For the Quantum Katas, which are not part of the project,
it holds only figures and verdicts.
"""

import json
import lzma
import re
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from commands import called
from timeless import timeless

from repair_bench.testing.made_up_runs import load_run

STORED = Path(__file__).parent / "stored_runs"
MADE_BY = {
    "aligned": ["--model", "sim/journeyman", "--model", "sim/novice", "--limit", "7", "--max-attempts", "5"],
    "arms": [
        *("--model", "sim/journeyman", "--limit", "5", "--framework", "qiskit", "--framework", "cirq"),
        *("--feedback", "default", "--feedback", "verdict", "--feedback", "none", "--feedback", "shuffled"),
        *("--samples", "2", "--temperature", "0.7", "--max-attempts", "3"),
    ],
    "katas": ["--model", "sim/journeyman", "--suite", "quantum-katas", "--limit", "40", "--max-attempts", "3"],
}


def unpacked(name: str, folder: Path) -> Path:
    directory = folder / name
    directory.mkdir()
    shutil.copy(STORED / name / "run.json", directory)
    (directory / "attempts.jsonl").write_bytes(lzma.decompress((STORED / name / "attempts.jsonl.xz").read_bytes()))
    return directory


def attempts(directory: Path) -> list[dict]:
    """Return the recorded attempts."""
    return sorted((asdict(a) for a in load_run(directory)[1]), key=lambda a: (a["episode"], a["attempt"]))


def rounded(value: Any) -> Any:
    """Return JSON data without the last digits of numbers, which depend on the processor."""
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    if isinstance(value, str):
        return re.sub(r"\d\.\d+e-\d\d", "0", value)
    if isinstance(value, float):
        return round(value, 9) + 0.0  # -0.0 becomes 0.0
    return [rounded(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", ["aligned", "arms", "faults"])
def test_figures_of_stored_runs_are_unchanged(tmp_path, name):
    assert called("report", unpacked(name, tmp_path), "--json") == (STORED / name / "report.json").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["aligned", "arms"])
def test_stored_run_is_reproduced_attempt_by_attempt(tmp_path, name):
    now = tmp_path / "now"
    called("run", *MADE_BY[name], "--out", now, "--json")
    before = attempts(unpacked(name, tmp_path))
    assert rounded(timeless(attempts(now))) == rounded(timeless(before))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["aligned", "arms"])
def test_answers_of_stored_runs_keep_their_verdicts(tmp_path, name):
    first = {a["id"]: a for a in attempts(unpacked(name, tmp_path))}  # arms share their first attempts
    lines = [
        {"task_id": a["task_id"], "framework": a["framework"], "completion": a["completion"]["text"]}
        for a in first.values()
    ]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    out = tmp_path / "graded.jsonl"
    called("grade", tmp_path / "answers.jsonl", "--suite", "aligned", "--out", out, "--json")
    graded = [json.loads(line)["verdict"] for line in out.read_text(encoding="utf-8").splitlines()]
    assert graded == [a["verdict"]["kind"] for a in first.values()]


@pytest.mark.slow
def test_stored_run_of_the_katas_is_reproduced(tmp_path, datasets):
    now = tmp_path / "now"
    called("run", *MADE_BY["katas"], "--data", datasets / "quantum-katas", "--out", now, "--json")
    verdicts = [[a["task_id"], a["attempt"], a["verdict"]["kind"], a["verdict"]["sealed"]] for a in attempts(now)]
    assert sorted(verdicts) == json.loads((STORED / "katas" / "verdicts.json").read_text())
    assert called("report", now, "--json") == (STORED / "katas" / "report.json").read_text()
