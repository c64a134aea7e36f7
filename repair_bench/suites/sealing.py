"""Sealing facts, read from a file next to the suite's loader: the unit tests that can run in a separate process.

`repair_bench.grading.audit.sealing` determines the facts by running the references. The file is a JSON object with the
suite's content hash, and with "stub" or "guarded" for each task ID (`repair_bench.executors.program.UnitTest`). The
object also contains the IDs of tasks whose test accepts its canary. Finally, the object maps task IDs to the arguments
that the reference changes in place: null means that these arguments are unknown, and a missing task has none. A test
that is not in the file runs in mode "stub" first.
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
"""The trivial baseline that returns None, as a test's canary does (see `Task.weak`)."""


@dataclass(frozen=True)
class Facts:
    """By task ID: isolation modes of unit tests, tests that accept their canary, and values of `UnitTest.changes`."""

    ways: dict[str, Sealing] = field(default_factory=dict)
    vacuous: frozenset[str] = frozenset()
    changes: dict[str, tuple[str, ...] | None] = field(default_factory=dict)


def with_facts(suite: Suite, path: Path) -> Suite:
    """Apply the sealing facts in a file to a suite's unit tests, unless the file is for a different content hash."""
    facts = read(path, suite)

    def sealed(task: Task) -> Task:
        if not isinstance(task.check, UnitTestCheck) or task.id not in facts.ways:
            return task
        weak = task.weak if task.id not in facts.vacuous or NOTHING in task.weak else (NOTHING, *task.weak)
        check = replace(task.check, sealing=facts.ways[task.id], changes=facts.changes.get(task.id, ()))
        return replace(task, check=check, weak=weak)

    return replace(suite, tasks=tuple(map(sealed, suite.tasks)))


def read(path: Path, suite: Suite) -> Facts:
    """Return the sealing facts stored in a file, or no facts if the file belongs to a different content hash."""
    stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if stored["content_hash"] != suite.content_hash:
        return Facts()
    changes = {task: None if places is None else tuple(places) for task, places in stored["changes"].items()}
    return Facts(stored["tasks"], frozenset(stored["vacuous"]), changes)


def save(path: Path, suite: Suite, facts: Facts) -> None:
    found = {"content_hash": suite.content_hash, "tasks": facts.ways, "vacuous": sorted(facts.vacuous)}
    path.write_text(json.dumps({**found, "changes": facts.changes}, indent=1) + "\n", encoding="utf-8")
