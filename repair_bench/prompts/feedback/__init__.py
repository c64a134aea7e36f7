"""Feedback policies: what a model is told of a failed attempt. A new policy is a file and a line in `POLICIES`.

A policy is a module with `REVEALS`, what it tells of the answer in a few words, and `feedback(task, failure) -> str`,
which reads the verdict's kind and evidence, for some the code or a donor, and nothing else. Every policy has words for
every kind of failure. None shows hidden inputs, reference code or what is inside the grader. A policy with
`INDEPENDENT = True` asks for a new sample instead of a repair: the next attempt sees no history and no feedback.
"""

from __future__ import annotations

from importlib import import_module
from typing import Protocol, cast

from repair_bench.prompts.feedback.failure import Donor, Failure
from repair_bench.suites.task import Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.records import Feedback, Verdict

POLICIES = {
    "default": "repair_bench.prompts.feedback.default",
    "function": "repair_bench.prompts.feedback.function",
    "verdict": "repair_bench.prompts.feedback.verdict",
    "output": "repair_bench.prompts.feedback.output",
    "distance": "repair_bench.prompts.feedback.distance",
    "support": "repair_bench.prompts.feedback.support",
    "expected": "repair_bench.prompts.feedback.expected",
    "shuffled": "repair_bench.prompts.feedback.shuffled",
    "none": "repair_bench.prompts.feedback.none",
}


class Policy(Protocol):
    """The module of a policy."""

    REVEALS: str

    def feedback(self, task: Task, failure: Failure) -> str:
        """The text shown to the model."""
        ...


def check_policy(name: str) -> None:
    """Raises UsageError for a policy that does not exist."""
    if name not in POLICIES:
        raise UsageError(f"unknown feedback policy {name!r}; choose from {', '.join(POLICIES)}")


def policy(name: str) -> Policy:
    """The policy of that name. Raises UsageError when there is none."""
    check_policy(name)
    return cast("Policy", import_module(POLICIES[name]))


def is_independent(name: str) -> bool:
    """Whether the next attempt under this policy is a new sample that knows nothing of the last."""
    return bool(getattr(policy(name), "INDEPENDENT", False))


def needs_donors(name: str) -> bool:
    """Whether this policy tells of another task's failure (`repair_bench.prompts.donors`)."""
    return bool(getattr(policy(name), "NEEDS_DONORS", False))


def describe() -> dict[str, str]:
    """What each policy reveals of the answer, by name."""
    return {name: policy(name).REVEALS for name in POLICIES}


def make_feedback(
    name: str, task: Task, verdict: Verdict, *, code: str | None = None, donor: Donor | None = None
) -> Feedback:
    """What the policy of that name tells a model of `verdict` on `code`.

    `donor`: for a policy that needs one (`repair_bench.prompts.donors.choose`). Raises ValueError for a verdict that
    needs no feedback, or where the donor is missing.
    """
    if verdict.kind == "pass":
        raise ValueError("there is no feedback on an answer that passed")
    text = policy(name).feedback(task, Failure(verdict, code, donor))
    shown = f"{donor.suite}/{donor.task_id}" if donor is not None and needs_donors(name) else None
    return Feedback(name, text, donor=shown)


__all__ = [
    "POLICIES",
    "Donor",
    "Failure",
    "Policy",
    "check_policy",
    "describe",
    "is_independent",
    "make_feedback",
    "needs_donors",
    "policy",
]
