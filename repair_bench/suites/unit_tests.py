"""Tasks that are graded by unit tests, and the published suites that contain them.

Each published suite has one official Qiskit file and a list of errata.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, TypeVar

from repair_bench.frameworks import FRAMEWORKS
from repair_bench.suites import datafiles, fetch
from repair_bench.suites.checks import UnitTestCheck
from repair_bench.suites.datafiles import DatasetRecord
from repair_bench.suites.oracles import with_oracles
from repair_bench.suites.sealing import with_facts
from repair_bench.suites.sources import ImportPath, canary, given_classes, import_statements, no_import_path
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import UsageError

Record = TypeVar("Record", bound=DatasetRecord)


@dataclass(frozen=True)
class Published(Generic[Record]):
    """A published suite of `count` tasks.

    `task`: a function that creates a task. Its arguments are a record, the record's location (such as "FILE, line 3"),
    and Qiskit's import path.
    """

    name: str
    count: int
    record: type[Record]
    task: Callable[[Record, str, Sequence[str] | None], Task]
    errata: ModuleType
    sealing: Path
    oracles: Path

    def load(
        self,
        *,
        data: Path | None,
        frameworks: Collection[str] = FRAMEWORKS,
        rule: str = "exact",
        import_path: ImportPath = no_import_path,
    ) -> Suite:
        """Return the suite, with tasks in the order of the file.

        Raises UsageError for malformed or incomplete content.
        """
        if "qiskit" not in frameworks:
            raise UsageError(f"{self.name} has no tasks in {' or '.join(frameworks)}, only in qiskit")
        paths = fetch.official(self.name, data)
        (path,) = paths.values()
        records = datafiles.read(path, self.record)
        datafiles.check_ids(path, [(where, record.task_id) for where, record in records], self.count)
        content = datafiles.content_hash(path)
        imports = import_path("qiskit")
        tasks = tuple(_with_errata(self.task(record, where, imports), self.errata) for where, record in records)
        suite = Suite(self.name, fetch.version(self.name, paths, content), content, tasks)
        return with_oracles(with_facts(suite, self.sealing), self.oracles, rule)


def unit_test(test: str, reference: str, shown: str, entry_point: str, **more: Any) -> UnitTestCheck:
    """Return a check that runs a unit test. `shown`: the prompt's code, which may define classes."""
    return UnitTestCheck(
        test=test,
        imports=import_statements(reference),
        classes=given_classes(shown, entry_point),
        canary=canary(reference, entry_point),
        **more,
    )


def _with_errata(task: Task, errata: ModuleType) -> Task:
    tables = {
        "errata": errata.ERRATA,
        "weak": errata.WEAK,
        "trivial": errata.TRIVIAL,
        "lenient": errata.LENIENT,
        "underspecified": errata.UNDERSPECIFIED,
        "no_oracle": errata.NO_ORACLE,
    }
    known = {field: table[task.id] for field, table in tables.items() if task.id in table}
    return replace(task, wrong=task.id in errata.WRONG, **known)
