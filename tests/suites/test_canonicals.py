"""Published references, graded as answers by the real command, under the seed of a run."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from sampled import LONG, sampled
from test_quantum_katas import FAILING as KATAS

from repair_bench import suites
from repair_bench.coroutines import run_to_end

FAILING = {"quantum-katas": set(KATAS), "qiskit-humaneval-hard": {"qiskitHumanEval/103"}}
"""The tasks whose test rejects the reference."""
EVERY = {"quantum-katas": 9, "qiskit-humaneval-hard": 6}
"""The shares of the tasks that are graded here, because other tests validate references. `test_katas_published_rule`
validates katas. The hard set has the references of the plain one, which `test_qiskit_humaneval` validates.
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", FAILING)
def test_references_pass_under_the_seed_of_a_run(datasets: Path, tmp_path: Path, name: str) -> None:
    data = datasets / name.removesuffix("-hard")
    tasks = run_to_end(suites.load(name, data=data)).tasks
    chosen = {task.id for task in sampled(tasks, EVERY[name], 1)} - LONG | FAILING[name]
    lines = [
        {"task_id": task.id, "framework": task.framework, "code": task.reference} for task in tasks if task.id in chosen
    ]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    command = [sys.executable, "-m", "repair_bench", "grade", "in.jsonl", "--suite", name, "--data", str(data)]
    subprocess.run([*command, "--out", "out.jsonl"], cwd=tmp_path, check=True, capture_output=True, timeout=3000)
    with (tmp_path / "out.jsonl").open(encoding="utf-8") as file:
        found = {line["task_id"]: line["verdict"] for line in map(json.loads, file)}
    failed = {task_id for task_id, verdict in found.items() if verdict not in ("pass", None)}
    assert failed == FAILING[name]
