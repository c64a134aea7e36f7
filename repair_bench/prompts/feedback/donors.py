"""Choose a placebo source: a failure on another task, from the pool made by `repair_bench.grading.placebo_sources`."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from repair_bench.prompts.feedback import PlaceboSource, make_feedback
from repair_bench.suites.task import Task
from repair_bench.traces.record.records import Verdict

KINDS = ("exception", "wrong_answer", "no_code")
"""The kinds of failure that can receive placebo feedback. Placebo feedback describes a failure on another task. The
kind "limit" (an exceeded limit) is not listed, because the feedback on an exceeded limit is the same for every task."""


def choose(pool: Sequence[PlaceboSource], task: Task, verdict: Verdict, attempt_id: str) -> PlaceboSource | None:
    """Return a failure from `pool` on another task, in the same framework as `task` and of the same kind as `verdict`.

    If possible, the feedback on the chosen failure differs from the feedback on the judged attempt. If possible, the
    chosen failure has the same form (see `form`) as the judged attempt's failure. Returns None if the attempt exceeded
    a limit, or if `pool` contains no suitable failure.
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
    """Return the form of a failure, a string such as "wrong_answer UnitaryCheck".

    The feedback texts for two failures of the same form differ only in details that depend on the tasks.
    """
    if verdict.kind == "wrong_answer":
        return f"wrong_answer {type(task.check).__name__}"
    if verdict.kind == "no_code":
        return f"no_code {verdict.evidence['missing']}"
    return verdict.kind
