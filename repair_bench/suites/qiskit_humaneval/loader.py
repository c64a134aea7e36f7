"""Qiskit HumanEval from its official files.

In the plain set, a program is prompt + completion + test, and the harness calls `check` with the entry point. In the
hard set, a program is completion + test, and the test calls `check`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from repair_bench.executors.program import Limits
from repair_bench.suites import sources as python
from repair_bench.suites.datafiles import DatasetRecord
from repair_bench.suites.qiskit_humaneval import errata
from repair_bench.suites.sources import Python
from repair_bench.suites.task import Task
from repair_bench.suites.unit_tests import Published, unit_test

LIMITS = {
    "qiskitHumanEval/96": Limits(cpu_seconds=60.0, wall_seconds=300.0),
    "qiskitHumanEval/100": Limits(cpu_seconds=180.0, wall_seconds=900.0),
}
"""The limits for references that need more than 10 CPU seconds."""

ACCOUNT = "needs an IBM Quantum account and network access (QiskitRuntimeService)"
DOT = "needs to run the Graphviz program `dot`, but candidates may not start programs"

NEVER = {
    **{f"qiskitHumanEval/{number}": ACCOUNT for number in (43, 97, 98, 129, 133, 134, 146)},
    "qiskitHumanEval/122": "needs an IBM Quantum account and network access (the transpiler service)",
    **{f"qiskitHumanEval/{number}": DOT for number in (29, 123)},
}
"""Tasks that cannot be judged on any machine, by ID."""

HIDDEN = {"qiskitHumanEval/3": ("pylatexenc",), "qiskitHumanEval/94": ("qiskit_qasm3_import",)}
"""Packages that Qiskit requires for a task although the task's code does not import them, by task ID."""


class Entry(DatasetRecord):
    task_id: str = Field(pattern=r"^qiskitHumanEval/\d+$")
    prompt: str = Field(min_length=1)
    canonical_solution: str = Field(min_length=1)
    test: Python = Field(pattern=r"(?m)^def check\(")
    entry_point: str = Field(pattern=r"^[A-Za-z_]\w*$")
    difficulty_scale: Literal["basic", "intermediate", "difficult"]


def _with_moved(entry: Entry, path: Sequence[str] | None) -> Entry:
    for old, new in errata.MOVED.get(entry.task_id, {}).items():
        if python.unmet(f"import {old}", path=path):
            texts = {name: getattr(entry, name).replace(old, new) for name in ("prompt", "canonical_solution", "test")}
            entry = entry.model_copy(update=texts)
    return entry


def _plain(entry: Entry, _: str, path: Sequence[str] | None) -> Task:
    entry = _with_moved(entry, path)
    reference = entry.prompt + entry.canonical_solution
    call = {"function": "check", "passes_candidate": True, "preamble": entry.prompt}
    return _task(PLAIN.name, entry, path, call, starter=entry.prompt, reference=reference)


def _hard(entry: Entry, _: str, path: Sequence[str] | None) -> Task:
    entry = _with_moved(entry, path)
    return _task(HARD.name, entry, path, {"function": None}, starter="", reference=entry.canonical_solution)


def _task(
    suite: str, entry: Entry, path: Sequence[str] | None, call: dict[str, Any], *, starter: str, reference: str
) -> Task:
    excluded = NEVER.get(entry.task_id)
    if excluded is None:
        excluded = python.unmet(reference, entry.test, packages=HIDDEN.get(entry.task_id, ()), path=path)
    limits = LIMITS.get(entry.task_id, Limits())
    return Task(
        suite=suite,
        id=entry.task_id,
        framework="qiskit",
        entry_point=entry.entry_point,
        prompt=entry.prompt,
        starter=starter,
        check=unit_test(entry.test, reference, starter, entry.entry_point, limits=limits, **call),
        category="unsorted",
        difficulty=entry.difficulty_scale,
        reference=reference,
        excluded=excluded,
        title=entry.entry_point.replace("_", " "),
    )


_HERE = Path(__file__).parent
ORACLES = _HERE / "oracles"
PLAIN = Published("qiskit-humaneval", 151, Entry, _plain, errata, _HERE / "sealing.json", ORACLES)
HARD = Published("qiskit-humaneval-hard", 151, Entry, _hard, errata, _HERE / "sealing_hard.json", ORACLES)
