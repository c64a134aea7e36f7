"""The problem that a task is a variant of: the cluster of every interval, test, plan and lock."""

from __future__ import annotations

from functools import lru_cache

Problem = tuple[str, str]

DECIDED_BY = "suite and task id, in every framework and sample; in conventions the family, at every level"
"""The rule in words, as `study.lock` states it."""
_SAME_PROBLEMS = {"qiskit-humaneval-hard": "qiskit-humaneval", "aligned": "quanbench-plus"}
"""Suites that ask the problems of another one, under the same task ids."""


@lru_cache(maxsize=65_536)
def problem_of(suite: str, task_id: str) -> Problem:
    """Return the problem of a task, whatever the framework, the sample and the parameters of the suite.

    A family of `conventions` is one problem at all its levels and in all editions: a model that favours one convention
    favours it in each of them.
    """
    name = suite.partition("?")[0]
    if name == "conventions":
        return name, task_id.rpartition("-")[0] or task_id
    return _SAME_PROBLEMS.get(suite, suite), task_id
