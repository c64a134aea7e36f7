"""The missing and the unexpected outcomes of a wrong answer; for an exception, its traceback.

This policy reveals the expected outcomes or basis states, without their probabilities or amplitudes.
"""

from __future__ import annotations

import re
from typing import Any

from repair_bench.prompts.feedback import Failure, cases, default
from repair_bench.prompts.feedback.cases import MAX_OUTCOMES
from repair_bench.suites.task import Task

NEGLIGIBLE = 1e-6
"""Values above this threshold count as nonzero; evidence is rounded to six digits."""

_BASIS_STATE = re.compile(r"\|[01]*>")


def feedback(task: Task, failure: Failure) -> str:
    """Return the feedback. For a unit test, which has no expected value, it only states that the test failed."""
    verdict = failure.verdict
    if verdict.kind != "wrong_answer":
        return default.feedback(task, failure)
    shown = [
        {"inputs": cases.inputs(case, task.language), **compared}
        for case in cases.shown(verdict)
        if (compared := _compare(case)) is not None
    ]
    return cases.wrong_answer("feedback_support", task, verdict, cases=shown)


def _compare(case: dict[str, Any]) -> dict[str, Any] | None:
    """Return the missing and the unexpected outcomes, or None if there are no outcomes to compare."""
    right, got = case.get("expected"), case.get("got")
    wanted, returned = support_of(right), support_of(got)
    if case.get("mismatch") or wanted is None or returned is None:
        return None
    # outcomes that the evidence leaves out are unknown
    missing = [] if _is_partial(got) else sorted(wanted - returned)
    unexpected = [] if _is_partial(right) else sorted(returned - wanted)
    return {
        "what": "basis states" if isinstance(right, str) else "outcomes",
        "start": right.split(" -> ")[0] if isinstance(right, str) and " -> " in right else "",
        "missing": _list(missing),
        "unexpected": _list(unexpected),
        "partial": _is_partial(right) or _is_partial(got),
    }


def support_of(value: Any) -> set[str] | None:
    """Return the outcomes that occur in a distribution, or the basis states that occur in a state.

    For an operation, the state is the operation's output. Basis states are returned as kets, such as |01>.
    """
    if isinstance(value, dict) and isinstance(value.get("probabilities"), dict):
        return {key for key, p in value["probabilities"].items() if p > NEGLIGIBLE}
    if isinstance(value, str) and _BASIS_STATE.search(value):
        return set(_BASIS_STATE.findall(value.split(" -> ")[-1]))
    return None


def _is_partial(value: Any) -> bool:
    return bool(value.get("left_out")) if isinstance(value, dict) else "..." in value


def _list(names: list[str]) -> str:
    more = [f"and {len(names) - MAX_OUTCOMES} more"] if len(names) > MAX_OUTCOMES else []
    return ", ".join(names[:MAX_OUTCOMES] + more)
