"""Loader for a suite of custom tasks, which are read from a JSON Lines file."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from repair_bench.executors.program import Limits
from repair_bench.frameworks import FRAMEWORKS
from repair_bench.suites import datafiles
from repair_bench.suites.checks import CIRCUIT_CHECKS, Case
from repair_bench.suites.jsonl.schema import Line, UnitTestTable
from repair_bench.suites.sealing import with_facts
from repair_bench.suites.sources import ImportPath, no_import_path, unmet
from repair_bench.suites.task import Check, Suite, Task
from repair_bench.suites.unit_tests import unit_test
from repair_bench.traces.faults import UsageError

NAME = "jsonl"
FILE = "tasks.jsonl"


def load(
    *,
    data: Path | None,
    frameworks: Collection[str] = FRAMEWORKS,
    rule: str = "exact",
    import_path: ImportPath = no_import_path,
) -> Suite:
    """Return the tasks in the chosen frameworks, in the order of the file. Raises UsageError with file and line."""
    if data is None:
        raise UsageError(f"{NAME} reads custom tasks: pass --data FILE, a JSON Lines file")
    path = data / FILE if data.is_dir() else data
    lines = datafiles.read(path, Line)
    if not lines:
        raise UsageError(f"{path}: contains no tasks")
    datafiles.check_ids(path, [(where, f"{line.task_id} in {line.framework}") for where, line in lines])
    chosen = [line for _, line in lines if line.framework in frameworks]
    if not chosen:
        raise UsageError(f"{path} contains no tasks in {' or '.join(frameworks)}")
    content = datafiles.content_hash(path)
    imports = {framework: import_path(framework) for framework in {line.framework for line in chosen}}
    suite = Suite(NAME, content[:12], content, tuple(_task(line, rule, imports[line.framework]) for line in chosen))
    facts = facts_file(data)
    return with_facts(suite, facts) if facts.exists() else suite


def facts_file(data: Path) -> Path:
    """Return the path of the file that states how unit tests are isolated (`suites.sealing`), next to the task file."""
    return (data / FILE if data.is_dir() else data).with_suffix(".sealing.json")


def _task(line: Line, rule: str, path: Sequence[str] | None) -> Task:
    check = line.check
    sources = [check.test, check.preamble] if isinstance(check, UnitTestTable) else [check.inputs]
    return Task(
        suite=NAME,
        id=line.task_id,
        framework=line.framework,
        entry_point=line.entry_point,
        prompt=line.prompt,
        starter=line.starter,
        check=_check(line, rule),
        category=line.category,
        difficulty=line.difficulty,
        reference=line.reference,
        errata=line.errata,
        excluded=unmet(
            line.starter, line.reference or "", *sources, packages=FRAMEWORKS[line.framework].needs, path=path
        ),
        title=line.title or line.entry_point,
        concepts=tuple(line.concepts),
    )


def _check(line: Line, rule: str) -> Check:
    check, limits = line.check, Limits(**line.limits.model_dump())
    if isinstance(check, UnitTestTable):
        function, passes = line.test_call()
        call = {"function": function, "passes_candidate": passes, "preamble": check.preamble}
        return unit_test(check.test, line.reference or "", line.starter, line.entry_point, limits=limits, **call)
    return CIRCUIT_CHECKS[check.kind](
        cases=tuple(Case(tuple(case.args), case.expected, hidden=case.hidden) for case in check.cases),
        setup=check.inputs,
        gates=None if check.gates is None else frozenset(check.gates),
        qubits=None if check.kind == "distribution" else len(check.cases[0].expected).bit_length() - 1,
        rule=rule if check.kind == "distribution" else "exact",
        limits=limits,
    )
