"""Proving that the references pass: every reference is judged by its own task's check."""

from __future__ import annotations

import asyncio
from typing import Any

from repair_bench.suites.task import Run, Suite, Task
from repair_bench.traces.faults import Fault
from repair_bench.traces.records import Verdict

AT_ONCE = 4


async def validate(suite: Suite, run: Run) -> list[dict[str, Any]]:
    """Judge every reference of a resolved suite, a few at once; one row a task, in the suite's order.

    A row: `id`, `framework`, `result` ("pass", "fails", "excluded", "no reference" or "fault"), `sealed` (how the check
    was kept from the reference, see `Verdict`), `detail` (why), `seconds` (the CPU time) and the task's `errata`.
    `sealed` and `seconds` are None where nothing ran.
    """
    gate = asyncio.Semaphore(AT_ONCE)

    async def row(task: Task) -> dict[str, Any]:
        async with gate:
            found = await _judge(task, run)
        return {"id": task.id, "framework": task.framework, **found, "errata": task.errata}

    return list(await asyncio.gather(*map(row, suite.tasks)))


async def _judge(task: Task, run: Run) -> dict[str, Any]:
    found = {"result": "no reference", "sealed": None, "detail": "", "seconds": None}
    if task.excluded is not None:
        return {**found, "result": "excluded", "detail": task.excluded}
    if task.reference is None:
        return found
    try:
        outcome = await run(task.check.program(task, task.reference))
        verdict = task.check.judge(task, outcome)
    except Fault as fault:
        return {**found, "result": "fault", "detail": f"{fault.boundary}: {fault}"}
    result = "pass" if verdict.kind == "pass" else "fails"
    return {"result": result, "sealed": verdict.sealed, "detail": _why(verdict), "seconds": outcome.cpu_seconds}


def _why(verdict: Verdict) -> str:
    if verdict.kind == "pass":
        return ""
    evidence = verdict.evidence
    if verdict.kind == "exception":
        return f"{evidence['type']}: {evidence['message']}"
    return str(evidence.get("assertion") or f"{verdict.kind}: {evidence['problem']}")
