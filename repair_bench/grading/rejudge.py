"""Judge the stored outcomes of a run under different grading rules. No answer is executed.

Only first answers are judged, because repairs depend on the recorded verdict; `agent.studies.regrading` judges all
attempts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from repair_bench.coroutines import run_to_end
from repair_bench.executors.options import ExecutorOptions
from repair_bench.grading.loading import load_suite, recorded_tasks
from repair_bench.grading.regrader import verdict_again
from repair_bench.suites.task import SEMANTIC, Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.lazy_attempt import TaskKey, task_key
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_reader import Run

RECORDED = "recorded"


def rejudge(run: Run, rules: Sequence[str], *, data: Path | None) -> dict[str, Any]:
    """Return Pass@1 under each rule, and the tasks whose verdict depends on the rule.

    A row contains model, suite, condition, framework, the number of `answers`, and the number of answers that passed
    under each rule (`passed`). The field `recorded` is the rule under which the run was graded. Raises UsageError if
    the suites have changed since the run.
    """
    if SEMANTIC in rules:
        raise UsageError(
            f"the rule {SEMANTIC} requires other checks to be executed: use `repair-bench regrade --rule {SEMANTIC}`"
        )
    rules = tuple(dict.fromkeys(rules))
    tasks = run_to_end(_load(run.manifest, rules, data))
    passed: dict[tuple[str, ...], Counter[str]] = {}
    dependent: dict[TaskKey, Counter[str]] = {}
    for row in run.rows:
        if row.attempt == 0 and row.verdict is not None:
            attempt = row.with_texts()
            kinds = {RECORDED: row.verdict.kind}
            for rule in rules:
                task = tasks[rule][task_key(row)]
                known = attempt.outcome is None or task.excluded is not None
                kinds[rule] = row.verdict.kind if known else verdict_again(task, attempt).kind
            key = (attempt.model, attempt.suite, attempt.condition, attempt.framework)
            counts = passed.setdefault(key, Counter())
            counts["answers"] += 1
            counts.update(rule for rule, kind in kinds.items() if kind == "pass")
            if len(set(kinds.values())) > 1:
                passes = dependent.setdefault(task_key(row), Counter())
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
        "note": "First answers only, because repairs depend on the verdict that the model received. To execute "
        "complete episodes again: `repair-bench regrade`.",
    }


async def _load(manifest: Manifest, rules: Sequence[str], data: Path | None) -> dict[str, dict[TaskKey, Task]]:
    async with ExecutorOptions().open(data) as executor:  # runs the references that define expected answers
        return {
            rule: await recorded_tasks(manifest, partial(load_suite, executor=executor, data=data, rule=rule))
            for rule in rules
        }
