"""Feedback policies: what a model is told of a failed attempt. A new policy is a file and a line in `POLICIES`.

A policy is a module with `feedback(task, verdict) -> str`. It reads the verdict's kind and evidence and nothing else,
and its docstring says what it reveals of the answer.
"""

from __future__ import annotations

from importlib import import_module

from repair_bench.suites.task import Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.records import Feedback, Verdict

POLICIES = {
    "default": "repair_bench.prompts.feedback.default",
}


def check_policy(name: str) -> None:
    """Raises UsageError for a policy that does not exist."""
    if name not in POLICIES:
        raise UsageError(f"unknown feedback policy {name!r}; choose from {', '.join(POLICIES)}")


def make_feedback(policy: str, task: Task, verdict: Verdict) -> Feedback:
    """What `policy` tells a model of `verdict`."""
    check_policy(policy)
    text: str = import_module(POLICIES[policy]).feedback(task, verdict)
    return Feedback(policy=policy, text=text)
