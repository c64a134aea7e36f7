"""Published references, graded as answers by the real command, under the seed of a run."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from repair_bench import suites

FAILING = {
    "quantum-katas": None,
    "qiskit-humaneval-hard": {"qiskitHumanEval/103"},
}
"""The tasks whose test rejects the reference; None if they are only counted.

The hard set has the references of the plain one, which `test_qiskit_humaneval` validates. Therefore only every second
task is graded.
"""
KATAS_PASSED = 337
LONG = "tutorials/RandomNumberGeneration/1"
"""A task that takes as long as all other katas together. `test_katas_published_rule` tests it."""


@pytest.mark.slow
@pytest.mark.parametrize("name", FAILING)
def test_references_pass_under_the_seed_of_a_run(datasets: Path, tmp_path: Path, name: str) -> None:
    data = datasets / name.removesuffix("-hard")
    every = slice(1, None, 2) if name.endswith("-hard") else slice(None)
    tasks = asyncio.run(suites.load(name, data=data)).tasks[every]
    lines = [
        {"task_id": task.id, "framework": task.framework, "code": task.reference} for task in tasks if task.id != LONG
    ]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    command = [sys.executable, "-m", "repair_bench", "grade", "in.jsonl", "--suite", name, "--data", str(data)]
    subprocess.run([*command, "--out", "out.jsonl"], cwd=tmp_path, check=True, capture_output=True, timeout=3000)
    with (tmp_path / "out.jsonl").open(encoding="utf-8") as file:
        found = {line["task_id"]: line["verdict"] for line in map(json.loads, file)}
    failed = {task_id for task_id, verdict in found.items() if verdict not in ("pass", None)}
    if FAILING[name] is None:
        assert sum(verdict == "pass" for verdict in found.values()) == KATAS_PASSED, failed
    else:
        assert failed == FAILING[name]
