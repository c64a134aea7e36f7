"""Load the suite QuanBench+ from its four official files."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection
from pathlib import Path
from typing import Literal

from pydantic import Field

from repair_bench.executors.program import Call, Program
from repair_bench.frameworks import FRAMEWORKS
from repair_bench.suites import datafiles, fetch
from repair_bench.suites.checks import Case, DistributionCheck
from repair_bench.suites.datafiles import DatasetRecord
from repair_bench.suites.quanbench_plus import inputs
from repair_bench.suites.quanbench_plus.errata import ERRATA, IDS, Erratum, weak
from repair_bench.suites.quanbench_plus.reference import REFERENCES_IN, CanonicalCheck, expecting
from repair_bench.suites.sources import ImportPath, no_import_path, unmet
from repair_bench.suites.task import Category, Check, Suite, Task, execution_seed
from repair_bench.traces.faults import UsageError

NAME = "quanbench-plus"
PUBLISHED_IN = ("qiskit", "pennylane", "cirq")
STORED = "canonical_solutions.json"

CATEGORIES: dict[str, Category] = {
    "QUANTUM_ALGO": "algorithm",
    "STATE_PREPARATION": "state_preparation",
    "DECOMPOSITION": "decomposition",
}


class Line(DatasetRecord):
    """A task in one framework. `canonical_solution`: the reference, which is Qiskit code for every framework."""

    complete_prompt: str = Field(min_length=1)
    entry_point: str = Field(pattern=r"^[A-Za-z_]\w*$")
    canonical_solution: str = Field(min_length=1)
    category: Literal["QUANTUM_ALGO", "STATE_PREPARATION", "DECOMPOSITION"]


class Stored(DatasetRecord):
    """The relative frequencies in a stored sample of 1000 shots (10000 for task 03), in Qiskit's bit order."""

    canonical_output: list[float] = Field(min_length=2)


def load(
    *,
    data: Path | None,
    frameworks: Collection[str] = PUBLISHED_IN,
    rule: str = "exact",
    import_path: ImportPath = no_import_path,
) -> Suite:
    """Return the suite. Under the rule "released", the expected answers are the stored ones; otherwise `resolve` must
    add them.

    Raises UsageError with file and line for content that is malformed or incomplete.
    """
    paths = fetch.official(NAME, data)
    lines = {name: _read_lines(paths[f"{name}.jsonl"]) for name in PUBLISHED_IN}
    stored = _read_stored(paths[STORED])
    canonical = {task_id: line.canonical_solution for task_id, line in lines[REFERENCES_IN].items()}
    tasks = [
        _task(lines[framework][task_id], framework, canonical[task_id], stored[task_id], rule, import_path)
        for task_id in IDS
        for framework in PUBLISHED_IN
        if framework in frameworks
    ]
    content = hashlib.sha256()
    for name, path in sorted(paths.items()):
        published = path.read_bytes()
        content.update(f"{name}\0{len(published)}\0".encode() + published)
    digest = content.hexdigest()
    return Suite(NAME, fetch.version(NAME, paths, digest), digest, tuple(tasks))


def _read_lines(path: Path) -> dict[str, Line]:
    lines = datafiles.read(path, Line)
    datafiles.check_ids(path, [(where, line.task_id) for where, line in lines], known=IDS)
    return {line.task_id: line for _, line in lines}


def _read_stored(path: Path) -> dict[str, list[float]]:
    draws = datafiles.read(path, Stored)
    for where, stored in draws:
        output = stored.canonical_output
        if len(output).bit_count() != 1:
            raise UsageError(f"{where}: canonical_output has {len(output)} entries, which is not a power of two")
        if any(not 0 <= p <= 1 for p in output) or abs(math.fsum(output) - 1) > 1e-6:
            raise UsageError(f"{where}: canonical_output is not a probability distribution")
    datafiles.check_ids(path, [(where, stored.task_id) for where, stored in draws], known=IDS)
    return {stored.task_id: stored.canonical_output for _, stored in draws}


def _task(line: Line, framework: str, canonical: str, stored: list[float], rule: str, import_path: ImportPath) -> Task:
    erratum = ERRATA[line.task_id]
    return Task(
        suite=NAME,
        id=line.task_id,
        framework=framework,
        entry_point=line.entry_point,
        prompt=line.complete_prompt,
        starter=_starter(line.complete_prompt),
        check=_check(line, framework, canonical, stored, rule),
        category=CATEGORIES[line.category],
        reference=canonical if framework == REFERENCES_IN else None,
        errata=erratum.text,
        weak=weak(line.task_id, rule),
        wrong=erratum.wrong,
        excluded=_unmet(line.task_id, framework, import_path),
        title=line.entry_point.replace("_", " "),
    )


def _check(line: Line, framework: str, canonical: str, stored: list[float], rule: str) -> Check:
    erratum = ERRATA[line.task_id]
    args = inputs.ARGS.get(line.task_id, ())
    check = DistributionCheck(
        cases=(Case(args, None),),
        setup=inputs.setup(line.task_id, framework),
        rule=rule,
        circuit=rule == "exact" and framework not in inputs.SAMPLED,
    )
    if rule == "released":
        bits = len(stored).bit_length() - 1
        printed = {format(i, f"0{bits}b"): p for i, p in enumerate(stored) if p > 0}
        return expecting(check, [printed], framework, Erratum(reading="string"))
    if erratum.expected is not None:
        return expecting(check, [erratum.expected], framework, erratum)
    call = Call(line.entry_point, "distribution", cases=(args,), setup=inputs.setup(line.task_id, REFERENCES_IN))
    seed = execution_seed(NAME, line.task_id, REFERENCES_IN)
    return CanonicalCheck(Program(REFERENCES_IN, canonical, call, seed=seed), check)


def _unmet(task_id: str, framework: str, import_path: ImportPath) -> str | None:
    makers = {name: inputs.setup(task_id, name) for name in (REFERENCES_IN, framework)}
    reasons = [
        unmet(source or "", packages=FRAMEWORKS[name].needs, path=import_path(name)) for name, source in makers.items()
    ]
    return next(filter(None, reasons), None)


def _starter(prompt: str) -> str:
    lines = prompt.splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith(("import ", "from ", "def "))), 0)
    return "\n".join(lines[first:]) + "\n"
