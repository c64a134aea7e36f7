"""Finding out which unit tests of a suite can run in a process of their own, and which arguments a right answer changes
in place, by running the references.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from repair_bench import suites
from repair_bench.coroutines import map_bounded
from repair_bench.executors.options import Backend, ExecutorOptions
from repair_bench.executors.program import Executor, Sealing
from repair_bench.grading.judge import Judge, Judged
from repair_bench.grading.loading import use_suite
from repair_bench.suites.checks import UnitTestCheck
from repair_bench.suites.sealing import Facts, read, save
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import VerdictKind

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

    async def fact(task: Task) -> _Fact | None:
        if task.excluded is not None or task.reference is None or not isinstance(task.check, UnitTestCheck):
            return None
        return await _fact(task, task.check, task.reference, judge)

    facts = [fact for fact in await map_bounded(suite.tasks, fact, lambda: executor.capacity) if fact is not None]
    return Facts(
        {fact.task: fact.way for fact in facts},
        frozenset(fact.task for fact in facts if fact.vacuous),
        {fact.task: fact.changes for fact in facts if fact.changes != ()},
    )


class _Fact(NamedTuple):
    """How the test of a task is sealed, whether it passes its canary, and what the reference changes."""

    task: str
    way: Sealing
    vacuous: bool
    changes: tuple[str, ...] | None


async def _fact(task: Task, check: UnitTestCheck, reference: str, judge: Judge) -> _Fact:
    async def runs(code: str, sealing: Sealing | None) -> list[Judged]:
        """The code under all seeds."""
        sealed = replace(task, check=replace(check, sealing=sealing, changes=None))
        return [await judge.code(sealed, code, seed=seed) for seed in (task.seed, *MORE_SEEDS)]

    plain, stub = await runs(reference, None), await runs(reference, "stub")
    crosses = {run.verdict.sealed for run in stub} == {"stub"} and _kinds(stub) <= _kinds(plain)
    canary = await runs(check.canary, "stub" if crosses else None)
    return _Fact(task.id, "stub" if crosses else "guarded", _kinds(canary) == {"pass"}, _changes(stub))


def _kinds(runs: list[Judged]) -> set[VerdictKind]:
    return {run.verdict.kind for run in runs}


def _changes(runs: list[Judged]) -> tuple[str, ...] | None:
    """The places of the arguments that a reference changes where it passes; None where it never does."""
    values = [run.outcome.value for run in runs if run.outcome is not None and run.verdict.kind == "pass"]
    return tuple(sorted({place for value in values for place in value.get("changed", ())})) if values else None
