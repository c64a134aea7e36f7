"""Grade recorded attempts again under different rules, by executing the answers or by judging the recorded outcomes."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import replace

from repair_bench.grading.judge import Judge, verdict_on
from repair_bench.grading.tiny_numbers import without_tiny_numbers
from repair_bench.prompts.compose import prefill
from repair_bench.prompts.feedback import make_feedback, needs_placebo_source
from repair_bench.prompts.feedback.donors import form
from repair_bench.suites.task import Task
from repair_bench.traces.record.records import Attempt, FaultRecord, Verdict

_ADDRESS = re.compile(r"\b0x[0-9a-f]+\b")
"""A pattern for the addresses of objects in tracebacks; addresses differ between executions."""


async def grade_again(judge: Judge, task: Task, old: Attempt) -> Attempt:
    """Execute and judge a recorded answer again; an attempt without an answer is returned unchanged."""
    if old.completion is None:
        return old
    judged = await judge.answer(task, old.completion.text, prefill=prefill(old.messages), draw=old.id)
    fault = judged.fault
    return replace(
        old,
        extraction=judged.extraction,
        code=judged.code,
        outcome=judged.outcome,
        verdict=judged.verdict if fault is None else None,
        fault=FaultRecord(fault.boundary, str(fault), fault.retries) if fault is not None else None,
    )


def verdict_again(task: Task, old: Attempt) -> Verdict:
    return verdict_on(task, old.outcome, draw=old.id)


class Regrader:
    """Grades the recorded answers to one task again. An attempt shared by several arms is executed once."""

    def __init__(self, task: Task, judge: Judge) -> None:
        self._task = task
        self._judge = judge
        self._graded: dict[str, Attempt] = {}

    async def episode(self, path: Sequence[Attempt], recorded: Iterable[Attempt] = ()) -> AsyncIterator[Attempt]:
        """Yield the regraded attempts of an episode in order, up to the first fault. Skip attempts in `recorded`."""
        known = {attempt.id: attempt for attempt in recorded if attempt.fault is None}
        off_policy = False
        for old, after in zip(path, [*path[1:], None], strict=True):
            new = known.get(old.id)
            if new is None:
                if old.id not in self._graded:
                    self._graded[old.id] = await grade_again(self._judge, self._task, old)
                graded = self._graded[old.id]
                parts = {name: getattr(graded, name) for name in ("extraction", "code", "outcome", "verdict", "fault")}
                new = replace(old, **parts, off_policy=off_policy)
                yield new
            if new.fault is not None:
                return
            off_policy = off_policy or (after is not None and departs(self._task, old, new, after))


def departs(task: Task, old: Attempt, new: Attempt, after: Attempt) -> bool:
    """Whether the new grading would have ended the episode, or changed the feedback that led to the next attempt.

    `old`: the recorded attempt. `new`: the same attempt with its new grading. `after`: the recorded next attempt.

    The old and the new feedback are both rendered with the current templates, so a change in the templates makes no
    difference.
    """
    if old.verdict is None or new.verdict is None or new.passed:
        return True
    policy = after.feedback.policy if after.feedback is not None else "none"
    if _words(policy, task, old.verdict, old.code) != _words(policy, task, new.verdict, new.code):
        return True
    request = next((m["content"] for m in reversed(after.messages) if m["role"] == "user"), "")
    return old.code is not None and old.code != new.code and old.code.strip() in request


def _words(policy: str, task: Task, verdict: Verdict, code: str | None) -> str:
    """Return the text of the policy's feedback. For the placebo policy, return a string that names the form of the
    failure (`donors.form`).

    Placebo feedback describes a failure on another task. If possible, the other failure has the same form as the
    model's own failure.
    """
    if needs_placebo_source(policy) and verdict.kind != "limit":
        return form(task, verdict)
    return without_tiny_numbers(_ADDRESS.sub("0x", make_feedback(policy, task, verdict, code=code).text))
