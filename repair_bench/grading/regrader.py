"""Stored answers judged again, and whether what followed them would have been asked for all the same."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import replace

from repair_bench.grading.judge import Judge
from repair_bench.prompts.compose import prefill
from repair_bench.prompts.feedback import make_feedback, needs_donors
from repair_bench.prompts.feedback.donors import form
from repair_bench.suites.task import Task
from repair_bench.traces.records import Attempt, FaultRecord, Verdict

_ADDRESS = re.compile(r"\b0x[0-9a-f]+\b")
"""An object's place in memory, which a traceback may hold, is another each time."""


class Regrader:
    """Judges the stored answers to one task again. Arms that share an attempt share its outcome."""

    def __init__(self, task: Task, judge: Judge) -> None:
        self._task = task
        self._judge = judge
        self._judged: dict[str, Attempt] = {}

    async def episode(self, path: Sequence[Attempt], recorded: Iterable[Attempt] = ()) -> AsyncIterator[Attempt]:
        """The attempts of one episode, judged again, in order; those of `recorded` are taken as they are and left out.

        Ends at one that could not be judged, or never got an answer.
        """
        known = {attempt.id: attempt for attempt in recorded if attempt.fault is None}
        off_policy = False
        for old, after in zip(path, [*path[1:], None], strict=True):
            new = known.get(old.id)
            if new is None:
                new = replace(await self._once(old), off_policy=off_policy)
                yield new
            if new.fault is not None:
                return
            off_policy = off_policy or (after is not None and departs(self._task, old, new, after))

    async def _once(self, old: Attempt) -> Attempt:
        if old.id not in self._judged:
            self._judged[old.id] = await self._again(old)
        new = self._judged[old.id]
        return replace(
            old, extraction=new.extraction, code=new.code, outcome=new.outcome, verdict=new.verdict, fault=new.fault
        )

    async def _again(self, old: Attempt) -> Attempt:
        if old.completion is None:
            return old
        begun = prefill(old.messages)
        judged = await self._judge.answer(self._task, old.completion.text, prefill=begun, draw=old.id)
        fault = judged.fault
        return replace(
            old,
            extraction=judged.extraction,
            code=judged.code,
            outcome=judged.outcome,
            verdict=judged.verdict if fault is None else None,
            fault=FaultRecord(fault.boundary, str(fault), fault.retries) if fault is not None else None,
        )


def departs(task: Task, old: Attempt, new: Attempt, after: Attempt) -> bool:
    """Whether the model would have been told something else before `after`, or nothing, had `new` stood for `old`.

    It passes now; or its feedback differs under the policy of `after`; or the code that `after` was shown does. Both
    feedbacks are put in today's words, so that another wording alone is no departure.
    """
    if old.verdict is None or new.verdict is None or new.passed:
        return True
    policy = after.feedback.policy if after.feedback is not None else "none"
    if _words(policy, task, old.verdict, old.code) != _words(policy, task, new.verdict, new.code):
        return True
    asked = next((m["content"] for m in reversed(after.messages) if m["role"] == "user"), "")
    return old.code is not None and old.code != new.code and old.code.strip() in asked


def _words(policy: str, task: Task, verdict: Verdict, code: str | None) -> str:
    """What the policy says. The placebo's words follow from what kind of failure it is alone."""
    if needs_donors(policy) and verdict.kind != "limit":
        return form(task, verdict)
    return _ADDRESS.sub("0x", make_feedback(policy, task, verdict, code=code).text)
