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

    A row: `id`, `framework`, `result` ("pass", "fails", "excluded", "no reference" or "fault"), `detail` (why),
    `seconds` (the CPU time, None where nothing ran or it was not measured) and the task's `errata`.
    """
    gate = asyncio.Semaphore(AT_ONCE)

    async def row(task: Task) -> dict[str, Any]:
        async with gate:
            result, detail, seconds = await _judge(task, run)
        found = {"result": result, "detail": detail, "seconds": seconds}
        return {"id": task.id, "framework": task.framework, **found, "errata": task.errata}

    return list(await asyncio.gather(*map(row, suite.tasks)))


async def _judge(task: Task, run: Run) -> tuple[str, str, float | None]:
    if task.excluded is not None:
        return "excluded", task.excluded, None
    if task.reference is None:
        return "no reference", "", None
    try:
        outcome = await run(task.check.program(task, task.reference))
        verdict = task.check.judge(task, outcome)
    except Fault as fault:
        return "fault", f"{fault.boundary}: {fault}", None
    return "pass" if verdict.kind == "pass" else "fails", _why(verdict), outcome.cpu_seconds


def _why(verdict: Verdict) -> str:
    if verdict.kind == "pass":
        return ""
    evidence = verdict.evidence
    if verdict.kind == "exception":
        return f"{evidence['type']}: {evidence['message']}"
    return str(evidence.get("assertion") or f"{verdict.kind}: {evidence['problem']}")
