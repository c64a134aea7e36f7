"""Run the references to determine each unit test's isolation mode, and the arguments that correct answers modify."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from repair_bench import suites
from repair_bench.coroutines import map_bounded
from repair_bench.executors.options import ExecutorOptions
from repair_bench.executors.program import Executor, Sealing
from repair_bench.grading.judge import Judge, Judged
from repair_bench.grading.loading import use_suite
from repair_bench.suites.checks import UnitTestCheck
from repair_bench.suites.sealing import Facts, read, save
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import VerdictKind

MORE_SEEDS = (1, 2)
"""Seeds for running the references, in addition to the task's seed."""


def seal_suite(name: str, data: Path | None, out: Path | None, *, executor: ExecutorOptions) -> dict[str, Any]:
    """Determine the isolation mode of each unit test, and write the modes to `out` or to the suite's file.

    Returns a mapping. `file`: the path of the written file. `stub`, `guarded`: the number of tasks with each isolation
    mode. `vacuous`: the ids of tasks whose test accepts its canary, a program that the test should reject. `changed`:
    one row per task whose isolation mode changed. Raises UsageError if the suite has no unit test with a reference, or
    no file to write to.
    """
    kept = suites.facts_file(name, data)
    path = out or kept
    if path is None:
        raise UsageError(f"{name} has no file in which to store isolation modes; pass --out FILE")
    suite, facts = use_suite(name, data, executor, sealing)
    if not facts.ways:
        raise UsageError(f"{name} has no unit tests with a reference, so there are no isolation modes to determine")
    before = read(kept, suite).ways if kept is not None and kept.exists() else {}
    save(path, suite, facts)
    changed = [
        {"id": task, "before": before[task], "now": mode}
        for task, mode in facts.ways.items()
        if before.get(task, mode) != mode
    ]
    ways = list(facts.ways.values())
    counts = {"stub": ways.count("stub"), "guarded": ways.count("guarded"), "vacuous": sorted(facts.vacuous)}
    return {"file": str(path), **counts, "changed": changed}


async def sealing(suite: Suite, executor: Executor) -> tuple[Suite, Facts]:
    """Return the suite, and the isolation modes of its unit tests.

    Excluded tasks and tasks without a reference are skipped. The references of all remaining tasks are run with and
    without isolation, under several seeds. The isolation mode of a unit test is "stub" if every kind of verdict that
    occurs with isolation also occurs without isolation. Otherwise, the isolation mode is "guarded".
    """
    judge = Judge(executor)

    async def find(task: Task) -> tuple[Sealing, bool, tuple[str, ...] | None]:
        check = task.check
        assert isinstance(check, UnitTestCheck)
        assert task.reference is not None

        async def runs(code: str, sealing: Sealing | None) -> list[Judged]:
            sealed = replace(task, check=replace(check, sealing=sealing, changes=None))
            return [await judge.code(sealed, code, seed=seed) for seed in (task.seed, *MORE_SEEDS)]

        plain, stub = await runs(task.reference, None), await runs(task.reference, "stub")
        is_sealed = {run.verdict.sealed for run in stub} == {"stub"} and _kinds(stub) <= _kinds(plain)
        canary = await runs(check.canary, "stub" if is_sealed else None)
        return ("stub" if is_sealed else "guarded"), _kinds(canary) == {"pass"}, _changes(stub)

    tasks = [
        t for t in suite.tasks if t.excluded is None and t.reference is not None and isinstance(t.check, UnitTestCheck)
    ]
    found = dict(zip((t.id for t in tasks), await map_bounded(tasks, find, lambda: executor.capacity), strict=True))
    return suite, Facts(
        {task: mode for task, (mode, _, _) in found.items()},
        frozenset(task for task, (_, vacuous, _) in found.items() if vacuous),
        {task: changes for task, (_, _, changes) in found.items() if changes != ()},
    )


def _kinds(runs: list[Judged]) -> set[VerdictKind]:
    return {run.verdict.kind for run in runs}


def _changes(runs: list[Judged]) -> tuple[str, ...] | None:
    """Return the positions of the arguments that were modified in at least one run that passed the unit test. Return
    None if no run passed.
    """
    values = [run.outcome.value for run in runs if run.outcome is not None and run.verdict.kind == "pass"]
    return tuple(sorted({place for value in values for place in value.get("changed", ())})) if values else None
