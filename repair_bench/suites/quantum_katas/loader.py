"""The Quantum Katas from their official file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from repair_bench.executors.program import Limits
from repair_bench.suites.datafiles import DatasetRecord
from repair_bench.suites.quantum_katas import errata
from repair_bench.suites.sources import Python, test_function, unmet
from repair_bench.suites.task import Task
from repair_bench.suites.unit_tests import Published, unit_test
from repair_bench.traces.faults import UsageError

NAME = "quantum-katas"

CPU_SECONDS = {"tutorials/RandomNumberGeneration/1": 40.0}
"""CPU limits in seconds: three times the reference's CPU time, for tasks where this exceeds the default of 30."""

_NUMBER = re.compile(r"^(?:Task|Exercise)\s+[\d.]+\*?[.:]?\s+")


class Line(DatasetRecord):
    task_id: str = Field(pattern=r"^\w+(/[\w.]+)+$")
    prompt: str = Field(min_length=1)
    canonical_solution: str = Field(min_length=1)
    test: Python = Field(min_length=1)
    entry_point: str = Field(pattern=r"^[A-Za-z_]\w*$")


def _task(line: Line, where: str, path: Sequence[str] | None) -> Task:
    function = test_function(line.test, line.entry_point)
    if function is None:
        raise UsageError(f"{where}: the test does not define the function test_{line.entry_point}")
    limits = Limits(cpu_seconds=CPU_SECONDS.get(line.task_id, Limits.cpu_seconds))
    return Task(
        suite=NAME,
        id=line.task_id,
        framework="qiskit",
        entry_point=line.entry_point,
        prompt=line.prompt,
        starter="",
        check=unit_test(
            line.test, line.canonical_solution, line.prompt, line.entry_point, function=function, limits=limits
        ),
        category=line.task_id.split("/")[0],
        reference=line.canonical_solution,
        excluded=unmet(line.prompt, line.canonical_solution, line.test, path=path),
        title=_NUMBER.sub("", line.prompt.split("\n", 1)[0].lstrip("# ")).strip(),
    )


_HERE = Path(__file__).parent
KATAS = Published(NAME, 350, Line, _task, errata, _HERE / "sealing.json", _HERE / "oracles")
