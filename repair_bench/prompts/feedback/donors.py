"""Which other task's failure the placebo shows of a failed attempt, out of those that were made for the run.

Nothing is executed here: `repair_bench.grading.placebo_sources` makes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from repair_bench.prompts.feedback import PlaceboSource, make_feedback
from repair_bench.suites.task import Task
from repair_bench.traces.record.records import Verdict

KINDS = ("exception", "wrong_answer", "no_code")
"""The kinds of failure that have donors: a limit names no task and needs none."""


def choose(pool: Sequence[PlaceboSource], task: Task, verdict: Verdict, attempt_id: str) -> PlaceboSource | None:
    """The donor for a failed attempt: of another task in the same framework, of the same form where there is one.

    What is said of it is not what would be said of the attempt itself, unless that is said of every task: of an answer
    without a program, in a language that asks for no function. None for a limit, which names no task, or where the
    pool holds no failure of the kind.
    """
    if verdict.kind not in KINDS:
        return None
    own = make_feedback("default", task, verdict).text
    others = [
        donor
        for donor in pool
        if donor.framework == task.framework
        and donor.kind == verdict.kind
        and donor.task_id != task.id
        and donor.entry_point != task.entry_point
    ]
    others = [donor for donor in others if donor.text != own] or others
    wanted = form(task, verdict)
    alike = [donor for donor in others if donor.form == wanted] or others
    if not alike:
        return None
    return Random(f"donor {attempt_id}").choice(alike)  # noqa: S311 - an experiment, not a secret


def form(task: Task, verdict: Verdict) -> str:
    """Failures of one form are told in the same words, but for what is the task's own."""
    if verdict.kind == "wrong_answer":
        return f"wrong_answer {type(task.check).__name__}"
    if verdict.kind == "no_code":
        return f"no_code {verdict.evidence['missing']}"
    return verdict.kind
