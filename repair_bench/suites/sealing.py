"""Read and write the isolation modes of a suite's unit tests: which tests can run in a separate process.

The modes are stored in a JSON file next to the suite's loader. The module `repair_bench.grading.audit.sealing`
determines the isolation mode of each unit test by running the reference solutions. The file contains the following:

- `content_hash`: the content hash of the suite.
- `tasks`: the isolation mode of each unit test, "stub" or "guarded" (`repair_bench.executors.program.UnitTest`), by
  task ID. A test that is not listed runs in mode "stub" first.
- `vacuous`: the IDs of tasks whose test accepts its canary, a program that the test should reject.
- `changes`: the arguments that the reference solution modifies in place, by task ID. Null means that the modified
  arguments are unknown. If a task is not listed, its reference solution modifies no argument.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from repair_bench.executors.program import Sealing
from repair_bench.suites.checks import UnitTestCheck
from repair_bench.suites.task import Suite, Task

NOTHING = "nothing"
"""The name of the trivial baseline whose entry point returns None (see `Task.weak`)."""


@dataclass(frozen=True)
class Facts:
    """The content of the file.

    `ways`: the isolation mode of each unit test, by task ID. `vacuous`: the IDs of tasks whose test accepts a program
    that the test should reject. `changes`: the values of `UnitTest.changes`, by task ID.
    """

    ways: dict[str, Sealing] = field(default_factory=dict)
    vacuous: frozenset[str] = frozenset()
    changes: dict[str, tuple[str, ...] | None] = field(default_factory=dict)


def with_facts(suite: Suite, path: Path) -> Suite:
    """Apply the isolation modes in a file to a suite's unit tests, if the file contains the suite's content hash."""
    facts = read(path, suite)

    def sealed(task: Task) -> Task:
        if not isinstance(task.check, UnitTestCheck) or task.id not in facts.ways:
            return task
        weak = task.weak if task.id not in facts.vacuous or NOTHING in task.weak else (NOTHING, *task.weak)
        check = replace(task.check, sealing=facts.ways[task.id], changes=facts.changes.get(task.id, ()))
        return replace(task, check=check, weak=weak)

    return replace(suite, tasks=tuple(map(sealed, suite.tasks)))


def read(path: Path, suite: Suite) -> Facts:
    """Return the facts in a file, or empty `Facts` if the file does not contain the suite's content hash."""
    stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if stored["content_hash"] != suite.content_hash:
        return Facts()
    changes = {task: None if places is None else tuple(places) for task, places in stored["changes"].items()}
    return Facts(stored["tasks"], frozenset(stored["vacuous"]), changes)


def save(path: Path, suite: Suite, facts: Facts) -> None:
    found = {"content_hash": suite.content_hash, "tasks": facts.ways, "vacuous": sorted(facts.vacuous)}
    path.write_text(json.dumps({**found, "changes": facts.changes}, indent=1) + "\n", encoding="utf-8")
