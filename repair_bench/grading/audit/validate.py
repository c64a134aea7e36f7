"""Judge every reference by its task's check, to verify that it passes."""

from __future__ import annotations

from typing import Any

from repair_bench.coroutines import map_bounded
from repair_bench.executors.program import Executor
from repair_bench.grading.judge import Judge
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import Fault
from repair_bench.traces.record.records import Verdict


async def validate(suite: Suite, executor: Executor) -> list[dict[str, Any]]:
    """Judge every reference of a resolved suite; return one row per task, in the suite's order.

    A row contains `id`, `framework`, `result` ("pass", "fails", "excluded", "no reference" or "fault"), `sealed` (the
    isolation mode, see `Verdict`), `detail` (the reason), `seconds` (CPU time) and `errata`. `sealed` and `seconds` are
    None if nothing ran.
    """
    judge = Judge(executor)

    async def row(task: Task) -> dict[str, Any]:
        return {"id": task.id, "framework": task.framework, **await _judged(task, judge), "errata": task.errata}

    return await map_bounded(suite.tasks, row, lambda: executor.capacity)


async def _judged(task: Task, judge: Judge) -> dict[str, Any]:
    nothing_ran = {"result": "no reference", "sealed": None, "detail": "", "seconds": None}
    if task.excluded is not None:
        return {**nothing_ran, "result": "excluded", "detail": task.excluded}
    if task.reference is None:
        return nothing_ran
    judged = await judge.code(task, task.reference)
    try:
        verdict = judged.verdict
    except Fault as fault:
        return {**nothing_ran, "result": "fault", "detail": f"{fault.boundary}: {fault}"}
    result = "pass" if verdict.kind == "pass" else "fails"
    return {"result": result, "sealed": verdict.sealed, "detail": _why(verdict), "seconds": judged.seconds}


def _why(verdict: Verdict) -> str:
    if verdict.kind == "pass":
        return ""
    evidence = verdict.evidence
    if verdict.kind == "exception":
        return f"{evidence['type']}: {evidence['message']}"
    return str(evidence.get("assertion") or f"{verdict.kind}: {evidence['problem']}")
