"""Choose a placebo source: a failure on another task, from the pool made by `repair_bench.grading.placebo_sources`."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from repair_bench.prompts.feedback import PlaceboSource, make_feedback
from repair_bench.suites.task import Task
from repair_bench.traces.record.records import Verdict

KINDS = ("exception", "wrong_answer", "no_code")
"""The kinds of failure that have placebo feedback: feedback on another task's failure. An exceeded limit is not
included, because its feedback is the same for every task."""


def choose(pool: Sequence[PlaceboSource], task: Task, verdict: Verdict, attempt_id: str) -> PlaceboSource | None:
    """Return a failure on another task in the same framework, preferably one of the same form.

    If possible, the feedback on the returned failure differs from the feedback on the attempt. Returns None if the
    attempt exceeded a limit, or if `pool` contains no suitable failure.
    """
    if verdict.kind not in KINDS:
        return None
    own = make_feedback("default", task, verdict).text
    others = [
        source
        for source in pool
        if source.framework == task.framework
        and source.kind == verdict.kind
        and source.task_id != task.id
        and source.entry_point != task.entry_point
    ]
    others = [source for source in others if source.text != own] or others
    wanted = form(task, verdict)
    suitable = [source for source in others if source.form == wanted] or others
    if not suitable:
        return None
    return Random(f"donor {attempt_id}").choice(suitable)  # noqa: S311 - an experiment, not a secret


def form(task: Task, verdict: Verdict) -> str:
    """Return the form of a failure. Feedback on two failures of the same form differs only in details of the task."""
    if verdict.kind == "wrong_answer":
        return f"wrong_answer {type(task.check).__name__}"
    if verdict.kind == "no_code":
        return f"no_code {verdict.evidence['missing']}"
    return verdict.kind
