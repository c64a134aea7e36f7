"""Which unit tests can run in a process of their own: found once by running the references, kept beside the loader.

A file of facts is a JSON object with the content hash of the suite it was found for and, by task id, "stub" or
"guarded" (`repair_bench.executors.program.UnitTest`). A task without a fact is tried as a stub.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from repair_bench.executors.program import Sealing
from repair_bench.suites.checks import UnitTestCheck
from repair_bench.suites.task import Run, Suite, Task
from repair_bench.traces.records import Verdict

AT_ONCE = 4


def with_facts(suite: Suite, path: Path) -> Suite:
    """The suite, its unit tests sealed as a file of facts says; as it was where they were found for other content."""
    ways = read(path, suite)

    def sealed(task: Task) -> Task:
        if not isinstance(task.check, UnitTestCheck) or task.id not in ways:
            return task
        return replace(task, check=replace(task.check, sealing=ways[task.id]))

    return replace(suite, tasks=tuple(map(sealed, suite.tasks)))


def read(path: Path, suite: Suite) -> dict[str, Sealing]:
    """What a file of facts says of each task; nothing where it was found for other content."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    ways: dict[str, Sealing] = found["tasks"] if found["content_hash"] == suite.content_hash else {}
    return ways


def save(path: Path, suite: Suite, tasks: dict[str, Sealing]) -> None:
    """Write a file of facts."""
    text = json.dumps({"content_hash": suite.content_hash, "tasks": tasks}, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


async def sealing(suite: Suite, run: Run) -> dict[str, Sealing]:
    """How each unit test of a suite is to be sealed, by task id; not of tasks that are excluded or lack a reference.

    "stub" where the reference gets the same verdict in that way as by the published rule and a function that returns
    None does not pass; else "guarded", under which a pass that proves nothing is labelled.
    """
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(task: Task) -> tuple[str, Sealing] | None:
        if task.excluded is not None or task.reference is None or not isinstance(task.check, UnitTestCheck):
            return None
        async with gate:
            return task.id, await _way(task, task.check, task.reference, run)

    found = await asyncio.gather(*map(one, suite.tasks))
    return dict(pair for pair in found if pair is not None)


async def _way(task: Task, check: UnitTestCheck, reference: str, run: Run) -> Sealing:
    async def judged(code: str, sealing: Sealing | None) -> Verdict:
        way = replace(check, sealing=sealing)
        return way.judge(task, await run(way.program(task, code)))

    plain, stub = await judged(reference, None), await judged(reference, "stub")
    if stub.sealed != "stub" or stub.kind != plain.kind:
        return "guarded"
    return "guarded" if (await judged(check.canary, "stub")).kind == "pass" else "stub"
