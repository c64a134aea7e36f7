"""Qiskit HumanEval from its official files.

Plain: a program is prompt + completion + test, and the harness calls `check` with the entry point. Hard: a program is
completion + test, and the test calls `check` itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from repair_bench.executors.program import Limits
from repair_bench.frameworks import FRAMEWORKS
from repair_bench.suites import datafiles, fetch
from repair_bench.suites import sources as python
from repair_bench.suites.checks import UnitTestCheck
from repair_bench.suites.oracles import with_oracles
from repair_bench.suites.qiskit_humaneval.errata import ERRATA, LENIENT, MOVED, TRIVIAL, UNDERSPECIFIED, WEAK, WRONG
from repair_bench.suites.qiskit_humaneval.needs import unmet
from repair_bench.suites.sealing import with_facts
from repair_bench.suites.sources import ImportPath, Python, canary, given_classes, import_statements, no_import_path
from repair_bench.suites.task import Suite, Task

PLAIN, HARD = "qiskit-humaneval", "qiskit-humaneval-hard"
FILES = {PLAIN: "dataset_qiskit_test_human_eval.json", HARD: "dataset_qiskit_test_human_eval_hard.json"}
FACTS = {PLAIN: Path(__file__).with_name("sealing.json"), HARD: Path(__file__).with_name("sealing_hard.json")}
ORACLES = Path(__file__).with_name("oracles")
COUNT = 151

LIMITS = {
    "qiskitHumanEval/96": Limits(cpu_seconds=60.0, wall_seconds=300.0),
    "qiskitHumanEval/100": Limits(cpu_seconds=180.0, wall_seconds=900.0),
}
"""Where the reference needs more than 10 CPU seconds."""


class Entry(BaseModel):
    """One problem."""

    model_config = ConfigDict(extra="forbid", strict=True)

    task_id: str = Field(pattern=r"^qiskitHumanEval/\d+$")
    prompt: str = Field(min_length=1)
    canonical_solution: str = Field(min_length=1)
    test: Python = Field(pattern=r"(?m)^def check\(")
    entry_point: str = Field(pattern=r"^[A-Za-z_]\w*$")
    difficulty_scale: Literal["basic", "intermediate", "difficult"]


def load(
    *,
    data: Path | None,
    frameworks: Collection[str] = FRAMEWORKS,
    rule: str = "exact",
    import_path: ImportPath = no_import_path,
) -> Suite:
    """The plain set. Raises UsageError, naming file and line, for what is not as published."""
    return _load(PLAIN, data, frameworks, rule, import_path, _plain)


def load_hard(
    *,
    data: Path | None,
    frameworks: Collection[str] = FRAMEWORKS,
    rule: str = "exact",
    import_path: ImportPath = no_import_path,
) -> Suite:
    """The hard set. Raises UsageError, naming file and line, for what is not as published."""
    return _load(HARD, data, frameworks, rule, import_path, _hard)


def _load(
    name: str,
    data: Path | None,
    frameworks: Collection[str],
    rule: str,
    import_path: ImportPath,
    make: Callable[[Entry, Sequence[str] | None], Task],
) -> Suite:
    datafiles.only_qiskit(name, frameworks)
    paths = fetch.official(name, data)
    path = paths[FILES[name]]
    entries = datafiles.read(path, Entry)
    datafiles.check_ids(path, [(where, entry.task_id) for where, entry in entries], COUNT)
    content = datafiles.content_hash(path)
    imports = import_path("qiskit")
    tasks = tuple(make(_with_moved(entry, imports), imports) for _, entry in entries)
    suite = with_facts(Suite(name, fetch.version(name, paths, content), content, tasks), FACTS[name])
    return with_oracles(suite, ORACLES, rule)


def _with_moved(entry: Entry, path: Sequence[str] | None) -> Entry:
    """The problem with the new names of modules that are gone, see `errata.MOVED`."""
    for gone, now in MOVED.get(entry.task_id, {}).items():
        if python.unmet(f"import {gone}", path=path):
            texts = {name: getattr(entry, name).replace(gone, now) for name in ("prompt", "canonical_solution", "test")}
            entry = entry.model_copy(update=texts)
    return entry


def _plain(entry: Entry, path: Sequence[str] | None) -> Task:
    check = UnitTestCheck(
        test=entry.test,
        function="check",
        passes_candidate=True,
        preamble=entry.prompt,
        imports=import_statements(entry.prompt + entry.canonical_solution),
        classes=given_classes(entry.prompt, entry.entry_point),
        canary=canary(entry.prompt + entry.canonical_solution, entry.entry_point),
        limits=LIMITS.get(entry.task_id, Limits()),
    )
    return _task(PLAIN, entry, check, path, starter=entry.prompt, reference=entry.prompt + entry.canonical_solution)


def _hard(entry: Entry, path: Sequence[str] | None) -> Task:
    check = UnitTestCheck(
        test=entry.test,
        function=None,
        imports=import_statements(entry.canonical_solution),
        canary=canary(entry.canonical_solution, entry.entry_point),
        limits=LIMITS.get(entry.task_id, Limits()),
    )
    return _task(HARD, entry, check, path, starter="", reference=entry.canonical_solution)


def _task(
    suite: str, entry: Entry, check: UnitTestCheck, path: Sequence[str] | None, *, starter: str, reference: str
) -> Task:
    return Task(
        suite=suite,
        id=entry.task_id,
        framework="qiskit",
        entry_point=entry.entry_point,
        prompt=entry.prompt,
        starter=starter,
        check=check,
        category="unsorted",
        difficulty=entry.difficulty_scale,
        reference=reference,
        errata=ERRATA.get(entry.task_id),
        weak=WEAK.get(entry.task_id, ()),
        trivial=TRIVIAL.get(entry.task_id, ()),
        lenient=LENIENT.get(entry.task_id),
        wrong=entry.task_id in WRONG,
        underspecified=UNDERSPECIFIED.get(entry.task_id),
        excluded=unmet(entry.task_id, reference, entry.test, path=path),
        title=entry.entry_point.replace("_", " "),
    )
