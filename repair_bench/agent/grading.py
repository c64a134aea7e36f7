"""Grading stored answers: the loop's own path from a completion to a verdict, without a model."""

from __future__ import annotations

import asyncio
import json
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from repair_bench import suites
from repair_bench.agent.identity import execution_seed
from repair_bench.executors import LocalExecutor
from repair_bench.executors.program import Executor
from repair_bench.prompts.extract import extract
from repair_bench.suites.task import Suite, Task, no_code
from repair_bench.traces.faults import Fault, UsageError
from repair_bench.traces.records import Verdict
from repair_bench.traces.taxonomy import error_type

IN_FLIGHT = 64


def grade_file(
    solutions: Path, suite_name: str, out: Path, *, data: Path | None, workers: int | None
) -> dict[str, Any]:
    """Grade each line of `solutions` into the same line of `out`, with `verdict`, `error_type`, `detail`, `seconds`.

    Returns the counts by verdict and of faults. Raises UsageError, having written nothing, when a line cannot be read.
    """
    if out.exists():
        raise UsageError(f"{out} exists: remove it or choose another --out")
    return asyncio.run(_grade_file(solutions, suite_name, out, data, workers))


async def _grade_file(
    solutions: Path, suite_name: str, out: Path, data: Path | None, workers: int | None
) -> dict[str, Any]:
    executor = LocalExecutor(workers=workers)
    verdicts: Counter[str] = Counter()
    part = out.with_name(out.name + ".part")
    try:
        suite = await suites.load(suite_name, data=data, run=executor.run)
        lines = list(read_solutions(solutions, suite))
        out.parent.mkdir(parents=True, exist_ok=True)
        with part.open("w", encoding="utf-8") as file:
            window: deque[asyncio.Task[dict[str, Any]]] = deque()
            for line, task in lines:
                window.append(asyncio.create_task(_grade(line, task, executor)))
                if len(window) >= IN_FLIGHT:
                    _write(file, await window.popleft(), verdicts)
            while window:
                _write(file, await window.popleft(), verdicts)
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)
        await executor.close()
    faults = verdicts.pop("fault", 0)
    return {"solutions": len(lines), "verdicts": dict(verdicts), "faults": faults}


def read_solutions(path: Path, suite: Suite) -> Iterator[tuple[dict[str, Any], Task]]:
    """The lines of a solutions file, each with its task. Raises UsageError naming the line that is wrong."""
    tasks = {(task.id, task.framework): task for task in suite.tasks}
    frameworks = sorted({task.framework for task in suite.tasks})
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {error}") from None
    for number, row in enumerate(text.splitlines(), start=1):
        if not row.strip():
            continue
        where = f"{path}:{number}"
        try:
            line = json.loads(row)
        except ValueError as error:
            raise UsageError(f"{where}: not JSON ({error})") from None
        if not isinstance(line, dict) or not isinstance(line.get("code", line.get("completion")), str):
            raise UsageError(f'{where}: expected an object with "task_id", "framework" and "code" or "completion"')
        if "framework" not in line and len(frameworks) == 1:
            line["framework"] = frameworks[0]
        task = tasks.get((line.get("task_id"), line.get("framework")))  # type: ignore[arg-type]
        if task is None:
            raise UsageError(
                f"{where}: {suite.name} has no task {line.get('task_id')!r} in framework {line.get('framework')!r}"
            )
        yield line, task


async def _grade(line: dict[str, Any], task: Task, executor: Executor) -> dict[str, Any]:
    if task.excluded is not None:
        return {**line, "verdict": None, "error_type": "excluded", "detail": task.excluded, "seconds": None}
    code = line.get("code")
    if code is None:
        code = extract(line["completion"], entry_point=task.entry_point, starter=task.starter).code
    if code is None:
        return {**line, **_judged(no_code(task), None)}
    try:
        outcome = await executor.run(task.check.program(task, code, seed=execution_seed(task)))
    except Fault as fault:
        return {**line, "verdict": None, "error_type": "fault", "detail": f"{fault.boundary}: {fault}", "seconds": None}
    return {**line, **_judged(task.check.judge(task, outcome), outcome.cpu_seconds)}


def _judged(verdict: Verdict, seconds: float | None) -> dict[str, Any]:
    evidence = verdict.evidence
    detail = evidence.get("problem") or (f"{evidence['type']}: {evidence['message']}" if "type" in evidence else "")
    return {"verdict": verdict.kind, "error_type": error_type(verdict), "detail": detail, "seconds": seconds}


def _write(file: Any, line: dict[str, Any], verdicts: Counter[str]) -> None:
    file.write(json.dumps(line, ensure_ascii=False) + "\n")
    file.flush()
    verdicts[line["verdict"] or line["error_type"]] += 1
