"""Group tasks into problems. All intervals, statistical tests and study plans treat a problem as one cluster."""

from __future__ import annotations

from functools import lru_cache

Problem = tuple[str, str]

DECIDED_BY = (
    "all tasks with the same suite and task id, regardless of framework and sample; in the suite conventions, all "
    "tasks of the same family, regardless of level"
)
"""The definition of a problem, as text for the file `study.lock`."""
_SAME_PROBLEMS = {"qiskit-humaneval-hard": "qiskit-humaneval", "aligned": "quanbench-plus"}
"""Suites that share their problems and task ids with another suite."""


@lru_cache(maxsize=65_536)
def problem_of(suite: str, task_id: str) -> Problem:
    """Return the problem of a task, which does not depend on the framework, the sample or the suite's parameters.

    A family of `conventions` counts as one problem across all levels, because answers at different levels are
    correlated.
    """
    name = suite.partition("?")[0]
    if name == "conventions":
        return name, task_id.rpartition("-")[0] or task_id
    return _SAME_PROBLEMS.get(suite, suite), task_id
