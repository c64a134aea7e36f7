"""Feedback that states the distance of a wrong answer from the expected answer.

The task's check measures the distance between the wrong answer and the expected answer. For an exception, the feedback
shows the traceback instead. If the number of bits or qubits is wrong, the feedback states the expected number.
"""

from __future__ import annotations

from typing import Any

from repair_bench.prompts.feedback import Failure, cases, default
from repair_bench.suites.task import Task

NAMES = {
    "tv": "total variation distance (0 to 1)",
    "kl": "KL divergence from the expected distribution (nats)",
    "hellinger": "Hellinger distance (0 to 1)",
    "infidelity": "infidelity, 1 - fidelity (0 to 1)",
}


def feedback(task: Task, failure: Failure) -> str:
    """Return the feedback. For a unit test, which has no distance, the feedback only states that the test failed."""
    verdict = failure.verdict
    if instances := cases.instances(verdict):
        return cases.per_instance(task, verdict, [_on_instance(one) for one in instances])
    if verdict.kind != "wrong_answer":
        return default.feedback(task, failure)
    shown = [
        {
            "inputs": cases.inputs(case, task.language),
            "distances": [(NAMES.get(name, name), f"{far:.4g}") for name, far in (case.get("distance") or {}).items()],
        }
        for case in cases.shown(verdict)
    ]
    measured = [case for case in shown if case["distances"]]
    return cases.wrong_answer("feedback_distance", task, verdict, cases=measured)


def _on_instance(instance: dict[str, Any]) -> str:
    if instance["cost"] is None:
        return str(instance["problem"])
    return f"cost divided by budget: {instance['cost'] / instance['budget']:.3f}"
