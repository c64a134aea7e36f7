"""The problem of a task: the cluster of every interval, test and plan."""

from __future__ import annotations

from functools import lru_cache

Problem = tuple[str, str]

DECIDED_BY = "suite and task id, in every framework and sample; in conventions the family, at every level"
"""The definition of a problem in words, for `study.lock`."""
_SAME_PROBLEMS = {"qiskit-humaneval-hard": "qiskit-humaneval", "aligned": "quanbench-plus"}
"""Suites with the problems and task ids of another suite."""


@lru_cache(maxsize=65_536)
def problem_of(suite: str, task_id: str) -> Problem:
    """Return the problem of a task, for all frameworks, samples and parameters of the suite.

    A family of `conventions` is one problem at all levels, because answers to its levels are correlated.
    """
    name = suite.partition("?")[0]
    if name == "conventions":
        return name, task_id.rpartition("-")[0] or task_id
    return _SAME_PROBLEMS.get(suite, suite), task_id
