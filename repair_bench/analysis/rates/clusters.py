"""Problems: groups of tasks by which all intervals, tests and plans are clustered."""

from __future__ import annotations

from functools import lru_cache

Problem = tuple[str, str]

DECIDED_BY = "suite and task id, in every framework and sample; in conventions the family, at every level"
"""The definition of a problem, in the words of `study.lock`."""
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
