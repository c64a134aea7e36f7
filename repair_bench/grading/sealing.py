"""Finding out which unit tests of a suite can run in a process of their own, by running the references."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from repair_bench import suites
from repair_bench.executors.bounded import map_bounded
from repair_bench.executors.options import Backend, ExecutorOptions
from repair_bench.executors.program import Executor, Sealing
from repair_bench.grading.judge import Judge
from repair_bench.grading.loading import use_suite
from repair_bench.suites.checks import UnitTestCheck
from repair_bench.suites.sealing import Facts, read, save
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.records import VerdictKind

MORE_SEEDS = (1, 2)
"""Seeds under which the references run besides the task's own."""


def seal_suite(name: str, data: Path | None, out: Path | None, *, executor: ExecutorOptions) -> dict[str, Any]:
    """Find how each unit test of a suite is to be sealed and write it to `out`, or where the suite keeps it.

    Returns `file`, the number of tasks under `stub` and `guarded`, the ids of those whose test passes its canary under
    `vacuous`, and `changed`, a row a task that was sealed otherwise before. Raises UsageError when there is nothing to
    seal, or nowhere to write it.
    """

    async def use(suite: Suite, opened: Backend) -> tuple[Suite, Facts]:
        return suite, await sealing(suite, opened)

    kept = suites.facts_file(name, data)
    path = out or kept
    if path is None:
        raise UsageError(f"{name} keeps no file that says how its unit tests are sealed: pass --out FILE")
    suite, facts = use_suite(name, data, executor, use)
    if not facts.ways:
        raise UsageError(f"{name} has no unit tests with a reference: there is nothing to seal")
    before = read(kept, suite).ways if kept is not None and kept.exists() else {}
    save(path, suite, facts)
    changed = [
        {"id": task, "before": before[task], "now": way}
        for task, way in facts.ways.items()
        if before.get(task, way) != way
    ]
    ways = list(facts.ways.values())
    counts = {"stub": ways.count("stub"), "guarded": ways.count("guarded"), "vacuous": sorted(facts.vacuous)}
    return {"file": str(path), **counts, "changed": changed}


async def sealing(suite: Suite, executor: Executor) -> Facts:
    """How each unit test of a suite is to be sealed; nothing of tasks that are excluded or lack a reference.

    "stub" where the reference fares in that way as by the published rule: under every seed the same verdict, or, where
    it depends on luck there, one that it gets there too. Else "guarded".
    """
    judge = Judge(executor)

    async def fact(task: Task) -> tuple[str, Sealing, bool] | None:
        if task.excluded is not None or task.reference is None or not isinstance(task.check, UnitTestCheck):
            return None
        return task.id, *await _way(task, task.check, task.reference, judge)

    facts = [fact for fact in await map_bounded(suite.tasks, fact, lambda: executor.capacity) if fact is not None]
    return Facts({task: way for task, way, _ in facts}, frozenset(task for task, _, vacuous in facts if vacuous))


async def _way(task: Task, check: UnitTestCheck, reference: str, judge: Judge) -> tuple[Sealing, bool]:
    """How a test is sealed, and whether it passes its canary."""

    async def kinds(code: str, sealing: Sealing | None) -> dict[VerdictKind, set[str | None]]:
        """The verdicts under all seeds, each with the ways that were gone."""
        sealed = replace(task, check=replace(check, sealing=sealing))
        ways: dict[VerdictKind, set[str | None]] = {}
        for seed in (task.seed, *MORE_SEEDS):
            verdict = (await judge.code(sealed, code, seed=seed)).verdict
            ways.setdefault(verdict.kind, set()).add(verdict.sealed)
        return ways

    plain, stub = await kinds(reference, None), await kinds(reference, "stub")
    crosses = set().union(*stub.values()) == {"stub"} and set(stub) <= set(plain)
    way: Sealing = "stub" if crosses else "guarded"
    return way, set(await kinds(check.canary, "stub" if crosses else None)) == {"pass"}
