"""Worked examples: whole introductory tasks with their references, always the same for the same task.

A suite names its pool in `Suite.notes["few_shot"]`: `{"suite": NAME, "ids": (...)}`, problems in the order in which
they are shown, of that suite or, where `suite` is left out, its own. `POOLS` holds those of published suites;
any other suite takes its examples from the built-in one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from repair_bench.frameworks import FRAMEWORKS
from repair_bench.suites import aligned
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import UsageError

ALIGNED = ("16", "30", "15", "39", "20", "27", "35", "19")
"""Introductory problems: two states, a distribution, a state with parameters, four operations and states more."""

_HUMANEVAL = tuple(f"qiskitHumanEval/{n}" for n in (0, 2, 5, 12, 39, 3, 4, 7))
# That of quantum-katas is the paper's (arXiv 2605.27210, section 4.3): the first of BasicGates and Superposition in the
# order of its file, with verified solutions. Five examples never reach Superposition.
POOLS = {
    "qiskit-humaneval": _HUMANEVAL,
    "qiskit-humaneval-hard": _HUMANEVAL,
    "quantum-katas": tuple(f"BasicGates/1.{n}" for n in (1, 10, 2, 3, 4, 5, 6, 7)),
}


def pool(suite: Suite) -> tuple[Task, ...]:
    """The tasks that examples for `suite` are taken from, in order.

    Raises UsageError when the pool names a problem that is not there or cannot serve as an example.
    """
    name, ids = _named(suite)
    tasks = suite.tasks if name == suite.name else _built_in()
    chosen = [task for problem in ids for task in tasks if task.id == problem]
    if missing := [problem for problem in ids if problem not in {task.id for task in chosen}]:
        raise UsageError(f"the few-shot pool of {suite.name} names {missing[0]!r}, which {name} does not hold")
    # one that needs a package which is not installed is still a worked example, a wrong reference is none
    return tuple(task for task in chosen if task.reference is not None and not task.wrong)


def examples(task: Task, pool: Sequence[Task], count: int) -> tuple[Task, ...]:
    """The first `count` of the pool in the task's framework.

    The task itself and its twins (the same problem in another suite or framework, by its id or its entry point) are
    replaced by the next. Raises UsageError when the pool is too small.
    """
    others = [
        example
        for example in pool
        if example.framework == task.framework and example.id != task.id and example.entry_point != task.entry_point
    ]
    if len(others) < count:
        raise UsageError(
            f"{count} examples for {task.suite}/{task.id} in {task.framework}: the pool holds {len(others)} others"
        )
    return tuple(others[:count])


def _named(suite: Suite) -> tuple[str, tuple[str, ...]]:
    named = suite.notes.get("few_shot")
    if named is not None:
        name = named.get("suite", suite.name)
        if name not in {suite.name, "aligned"}:
            raise UsageError(f"the few-shot pool of {suite.name} is in {name!r}: it can be its own or in aligned")
        return name, tuple(named["ids"])
    return (suite.name, POOLS[suite.name]) if suite.name in POOLS else ("aligned", ALIGNED)


@lru_cache(maxsize=1)
def _built_in() -> tuple[Task, ...]:
    return aligned.load(frameworks=FRAMEWORKS).tasks
