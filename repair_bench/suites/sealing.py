"""Which unit tests can run in a process of their own, as a file beside the suite's loader says.

`repair_bench.grading.audit.sealing` finds it out, by running the references. The file is a JSON object with the content
hash of the suite it was found for, by task id "stub" or "guarded" (`repair_bench.executors.program.UnitTest`), the ids
of the tests that pass their canary, and by task id the places of the arguments that the reference changes in place:
none of a task that is not listed, unknown where it is null. A task without a fact is tried as a stub.
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
"""The canary's name among the programs without an idea that pass a test (`Task.weak`)."""


@dataclass(frozen=True)
class Facts:
    """How the unit tests of a suite are sealed, by task id, those that pass their canary, and what the references
    change (`UnitTest.changes`).
    """

    ways: dict[str, Sealing] = field(default_factory=dict)
    vacuous: frozenset[str] = frozenset()
    changes: dict[str, tuple[str, ...] | None] = field(default_factory=dict)


def with_facts(suite: Suite, path: Path) -> Suite:
    """The suite, its unit tests sealed as a file of facts says; as it was where they were found for other content."""
    facts = read(path, suite)

    def sealed(task: Task) -> Task:
        if not isinstance(task.check, UnitTestCheck) or task.id not in facts.ways:
            return task
        weak = task.weak if task.id not in facts.vacuous or NOTHING in task.weak else (NOTHING, *task.weak)
        check = replace(task.check, sealing=facts.ways[task.id], changes=facts.changes.get(task.id, ()))
        return replace(task, check=check, weak=weak)

    return replace(suite, tasks=tuple(map(sealed, suite.tasks)))


def read(path: Path, suite: Suite) -> Facts:
    """What a file of facts says; nothing where it was found for other content."""
    stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if stored["content_hash"] != suite.content_hash:
        return Facts()
    changes = {task: None if places is None else tuple(places) for task, places in stored["changes"].items()}
    return Facts(stored["tasks"], frozenset(stored["vacuous"]), changes)


def save(path: Path, suite: Suite, facts: Facts) -> None:
    """Write a file of facts."""
    found = {"content_hash": suite.content_hash, "tasks": facts.ways, "vacuous": sorted(facts.vacuous)}
    path.write_text(json.dumps({**found, "changes": facts.changes}, indent=1) + "\n", encoding="utf-8")
