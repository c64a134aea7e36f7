"""Worked examples: introductory tasks with their reference solutions, always the same for the same task.

`POOLS` names the examples of published suites; all other suites use examples from the built-in suite.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from repair_bench.frameworks import FRAMEWORKS
from repair_bench.suites import aligned
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import UsageError

ALIGNED = ("16", "30", "15", "39", "20", "27", "35", "19")
"""Introductory problems: four about states, three about operations, and one about a distribution. Some of the problems
have parameters."""

_HUMANEVAL = tuple(f"qiskitHumanEval/{n}" for n in (0, 2, 5, 12, 39, 3, 4, 7))
# The pool of quantum-katas follows the paper (arXiv 2605.27210, section 4.3): the first problems of BasicGates and
# Superposition in the order of the file, with verified solutions. Five examples never reach Superposition.
POOLS = {
    "qiskit-humaneval": _HUMANEVAL,
    "qiskit-humaneval-hard": _HUMANEVAL,
    "quantum-katas": tuple(f"BasicGates/1.{n}" for n in (1, 10, 2, 3, 4, 5, 6, 7)),
}


def pool(suite: Suite) -> tuple[Task, ...]:
    """Return the tasks from which the examples for `suite` are chosen, in order."""
    ids, tasks = (POOLS[suite.name], suite.tasks) if suite.name in POOLS else (ALIGNED, _built_in())
    chosen = [task for problem in ids for task in tasks if task.id == problem]
    # a task that needs a missing package can be an example, a task with a wrong reference cannot
    return tuple(task for task in chosen if task.reference is not None and not task.wrong)


def examples(task: Task, pool: Sequence[Task], count: int) -> tuple[Task, ...]:
    """Return the first `count` tasks of the pool that use the same framework as `task`.

    Skips tasks that have the same problem id or entry point as `task`, even in another suite. Raises UsageError if the
    pool contains too few tasks.
    """
    others = [
        example
        for example in pool
        if example.framework == task.framework and example.id != task.id and example.entry_point != task.entry_point
    ]
    if len(others) < count:
        raise UsageError(
            f"{task.suite}/{task.id} in {task.framework} needs {count} examples, but the pool has only {len(others)}"
        )
    return tuple(others[:count])


@lru_cache(maxsize=1)
def _built_in() -> tuple[Task, ...]:
    return aligned.load(frameworks=FRAMEWORKS).tasks
