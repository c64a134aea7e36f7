"""Write hypotheses.json from the suite: `python hypotheses.py`. observer.py describes the file, and a test compares it.

The name of the suite contains its seed, which was secret until the study was published.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import observer

from repair_bench.grading.hypotheses.observer import hidden, partition
from repair_bench.suites.conventions.loader import load

HERE = Path(__file__).parent


def table() -> dict[str, dict[str, Any]]:
    """Return the content of hypotheses.json: one entry per task with open conventions."""
    suite = tomllib.loads((HERE / "study.toml").read_text("utf-8"))["suites"][0]
    made: dict[str, dict[str, Any]] = {}
    for task_id in sorted({task.id for task in load(name=suite).tasks}):
        task = hidden(suite, task_id, "qiskit")
        if task is not None and len(task.tasks) > 1:
            outcomes = [task.outcome(task.hypothesis(h)).value["cases"] for h in range(len(task.tasks))]
            prints = [[observer.fingerprint(case) for case in cases] for cases in outcomes]
            made[task_id] = {"texts": [list(row) for row in partition(task, "default").texts], "fingerprints": prints}
    return made


if __name__ == "__main__":
    entries = (f"{json.dumps(name)}: {json.dumps(entry, separators=(',', ':'))}" for name, entry in table().items())
    (HERE / "hypotheses.json").write_text("{\n" + ",\n".join(entries) + "\n}\n", "utf-8")
