"""Stored answers judged again, and whether what followed them would have been asked for all the same."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from repair_bench.agent.identity import execution_seed
from repair_bench.executors.program import Executor
from repair_bench.prompts.compose import prefill
from repair_bench.prompts.donors import form
from repair_bench.prompts.extract import extract
from repair_bench.prompts.feedback import make_feedback, needs_donors
from repair_bench.suites.task import Task, no_code
from repair_bench.traces.faults import Fault
from repair_bench.traces.records import Attempt, FaultRecord, Verdict

_ADDRESS = re.compile(r"\b0x[0-9a-f]+\b")
"""An object's place in memory, which a traceback may hold, is another each time."""


def stored_data(manifest: Mapping[str, Any]) -> Path | None:
    """Where a run had its datasets."""
    return Path(manifest["data"]) if manifest.get("data") else None


def stored_pythons(manifest: Mapping[str, Any]) -> dict[str, str]:
    """The interpreters that a run was given."""
    return dict((manifest.get("resources") or {}).get("pythons") or {})


class Regrader:
    """Extracts, executes and judges stored answers to one task. Arms that share an attempt share its outcome."""

    def __init__(self, task: Task, executor: Executor) -> None:
        self._task = task
        self._executor = executor
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
            self._judged[old.id] = await self._judge(old)
        new = self._judged[old.id]
        return replace(
            old, extraction=new.extraction, code=new.code, outcome=new.outcome, verdict=new.verdict, fault=new.fault
        )

    async def _judge(self, old: Attempt) -> Attempt:
        if old.completion is None:
            return old
        task = self._task
        found = extract(
            old.completion.text, entry_point=task.entry_point, starter=task.starter, prefill=prefill(old.messages)
        )
        new = replace(old, extraction=found.record(), code=found.code, outcome=None, verdict=None, fault=None)
        if found.code is None:
            return replace(new, verdict=no_code(task))
        try:
            outcome = await self._executor.run(task.check.program(task, found.code, seed=execution_seed(task)))
        except Fault as fault:
            return replace(new, fault=FaultRecord(fault.boundary, str(fault), fault.retries))
        return replace(new, outcome=outcome, verdict=task.check.judge(task, outcome))


def departs(task: Task, old: Attempt, new: Attempt, after: Attempt) -> bool:
    """Whether the model would have been told something else before `after`, or nothing, had `new` stood for `old`.

    It passes now; or its feedback differs under the policy of `after`; or the code that `after` was shown does. Both
    feedbacks are put in today's words, so that another wording alone is no departure.
    """
    if old.verdict is None or new.verdict is None or new.passed:
        return True
    policy = after.feedback.policy if after.feedback is not None else "none"
    if _told(policy, task, old.verdict, old.code) != _told(policy, task, new.verdict, new.code):
        return True
    asked = next((m["content"] for m in reversed(after.messages) if m["role"] == "user"), "")
    return old.code is not None and old.code != new.code and old.code.strip() in asked


def _told(policy: str, task: Task, verdict: Verdict, code: str | None) -> str:
    """What the policy says. The placebo's words follow from what kind of failure it is alone."""
    if needs_donors(policy) and verdict.kind != "limit":
        return form(task, verdict)
    return _ADDRESS.sub("0x", make_feedback(policy, task, verdict, code=code).text)
