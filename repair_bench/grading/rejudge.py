"""The stored outcomes of a run under other grading rules, side by side. Nothing that a model wrote is executed.

Only first answers are compared. A repair followed the verdict that the model was told; under another rule it would not
have been asked for, or would have been asked for once more. For whole episodes see `agent.studies.regrading`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from repair_bench.coroutines import run_to_end
from repair_bench.executors.options import ExecutorOptions
from repair_bench.frameworks import USUAL
from repair_bench.grading.judge import verdict_on
from repair_bench.grading.loading import check_same, load_by_rule
from repair_bench.suites.task import SEMANTIC, Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.manifest import Manifest
from repair_bench.traces.records import Attempt, Verdict
from repair_bench.traces.rows import load_rows

NOTE = (
    "First answers only: what followed depends on the verdict that the model was told. For whole episodes, executed "
    "again: `repair-bench regrade`."
)
RECORDED = "recorded"

_Tasks = dict[tuple[str, str, str], Task]


def rejudge(directory: Path, rules: Sequence[str], *, data: Path | None, workers: int | None) -> dict[str, Any]:
    """Pass@1 under each rule, and the tasks whose verdict depends on it.

    A row holds model, suite, condition, framework, `answers` (how many), and `passed` by rule; `recorded` is the
    verdict of the run itself. Raises UsageError when the run's suites are not those that can be loaded now.
    """
    if SEMANTIC in rules:
        raise UsageError(f"the rule {SEMANTIC} executes checks of its own: `repair-bench regrade --rule {SEMANTIC}`")
    run = load_rows(directory)
    rules = tuple(dict.fromkeys(rules))
    tasks = run_to_end(_load(run.manifest, rules, data, workers))
    passed: dict[tuple[str, ...], Counter[str]] = {}
    dependent: dict[tuple[str, str, str], Counter[str]] = {}
    for row in run.rows:
        if row.attempt == 0 and row.verdict is not None:
            attempt = row.whole()
            kinds = {RECORDED: row.verdict.kind}
            kinds |= {rule: _under(attempt, row.verdict, tasks[rule]).kind for rule in rules}
            key = (attempt.model, attempt.suite, attempt.condition, attempt.framework)
            counts = passed.setdefault(key, Counter())
            counts["answers"] += 1
            counts.update(rule for rule, kind in kinds.items() if kind == "pass")
            if len(set(kinds.values())) > 1:
                passes = dependent.setdefault((attempt.suite, attempt.task_id, attempt.framework), Counter())
                passes.update(rule for rule, kind in kinds.items() if kind == "pass")
    columns = (RECORDED, *rules)
    names = ("model", "suite", "condition", "framework")
    return {
        "rules": list(rules),
        "rows": [
            {
                **dict(zip(names, key, strict=True)),
                "answers": counts["answers"],
                "passed": {rule: counts[rule] for rule in columns},
            }
            for key, counts in sorted(passed.items())
        ],
        "rule_dependent": [
            {"suite": suite, "task_id": task_id, "framework": framework, "passed": {rule: n[rule] for rule in columns}}
            for (suite, task_id, framework), n in sorted(dependent.items())
        ],
        "note": NOTE,
    }


def _under(attempt: Attempt, recorded: Verdict, tasks: _Tasks) -> Verdict:
    """The verdict under the rule of `tasks`; the recorded one where no outcome was judged or the task is excluded."""
    task = tasks[attempt.suite, attempt.task_id, attempt.framework]
    if attempt.outcome is None or task.excluded is not None:
        return recorded
    return verdict_on(task, attempt.outcome, draw=attempt.id)


async def _load(manifest: Manifest, rules: Sequence[str], data: Path | None, workers: int | None) -> dict[str, _Tasks]:
    executor = ExecutorOptions(workers).open(data)  # for references that define the expected answers
    tasks: dict[str, _Tasks] = {rule: {} for rule in rules}
    try:
        for name, pinned in manifest.suite_contents.items():
            for rule, suite in (await load_by_rule(name, data, rules, executor)).items():
                check_same(suite, pinned, manifest.experiment.get("frameworks", USUAL))
                tasks[rule] |= {(name, task.id, task.framework): task for task in suite.tasks}
    finally:
        await executor.close()
    return tasks
