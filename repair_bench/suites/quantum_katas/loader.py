"""The Quantum Katas from their official file."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from repair_bench.executors.program import Limits
from repair_bench.frameworks import FRAMEWORKS
from repair_bench.suites import datafiles, fetch
from repair_bench.suites.checks import UnitTestCheck
from repair_bench.suites.oracles import with_oracles
from repair_bench.suites.quantum_katas.errata import ERRATA, LENIENT, NO_ORACLE, TRIVIAL, UNDERSPECIFIED, WEAK, WRONG
from repair_bench.suites.sealing import with_facts
from repair_bench.suites.sources import (
    ImportPath,
    Python,
    canary,
    given_classes,
    import_statements,
    no_import_path,
    test_function,
    unmet,
)
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import UsageError

NAME = "quantum-katas"
FILE = "quantum_katas.jsonl"
COUNT = 350
SEALING = Path(__file__).with_name("sealing.json")
ORACLES = Path(__file__).with_name("oracles")

CPU_SECONDS = {"tutorials/RandomNumberGeneration/1": 40.0}
"""Three times the reference's, where that is more than the usual 30."""

_NUMBER = re.compile(r"^(?:Task|Exercise)\s+[\d.]+\*?[.:]?\s+")


class Line(BaseModel):
    """One problem."""

    model_config = ConfigDict(extra="forbid", strict=True)

    task_id: str = Field(pattern=r"^\w+(/[\w.]+)+$")
    prompt: str = Field(min_length=1)
    canonical_solution: str = Field(min_length=1)
    test: Python = Field(min_length=1)
    entry_point: str = Field(pattern=r"^[A-Za-z_]\w*$")


def load(
    *,
    data: Path | None,
    frameworks: Collection[str] = FRAMEWORKS,
    rule: str = "exact",
    import_path: ImportPath = no_import_path,
) -> Suite:
    """The suite, in the order of the file. Raises UsageError, naming file and line, for what is not as published."""
    datafiles.only_qiskit(NAME, frameworks)
    paths = fetch.official(NAME, data)
    path = paths[FILE]
    lines = datafiles.read(path, Line)
    datafiles.check_ids(path, [(where, line.task_id) for where, line in lines], COUNT)
    content = datafiles.content_hash(path)
    imports = import_path("qiskit")
    tasks = tuple(_task(line, where, imports) for where, line in lines)
    suite = with_facts(Suite(NAME, fetch.version(NAME, paths, content), content, tasks), SEALING)
    return with_oracles(suite, ORACLES, rule)


def _task(line: Line, where: str, path: Sequence[str] | None) -> Task:
    function = test_function(line.test, line.entry_point)
    if function is None:
        raise UsageError(f"{where}: test: defines no function test_{line.entry_point}")
    check = UnitTestCheck(
        test=line.test,
        function=function,
        imports=import_statements(line.canonical_solution),
        classes=given_classes(line.prompt, line.entry_point),
        canary=canary(line.canonical_solution, line.entry_point),
        limits=Limits(cpu_seconds=CPU_SECONDS.get(line.task_id, Limits.cpu_seconds)),
    )
    return Task(
        suite=NAME,
        id=line.task_id,
        framework="qiskit",
        entry_point=line.entry_point,
        prompt=line.prompt,
        starter="",
        check=check,
        category=line.task_id.split("/")[0],
        reference=line.canonical_solution,
        errata=ERRATA.get(line.task_id),
        weak=WEAK.get(line.task_id, ()),
        trivial=TRIVIAL.get(line.task_id, ()),
        lenient=LENIENT.get(line.task_id),
        wrong=line.task_id in WRONG,
        underspecified=UNDERSPECIFIED.get(line.task_id),
        no_oracle=NO_ORACLE.get(line.task_id),
        excluded=unmet(line.prompt, line.canonical_solution, line.test, path=path),
        title=_NUMBER.sub("", line.prompt.split("\n", 1)[0].lstrip("# ")).strip(),
    )
