"""From an answer to its verdict: take the code from it, put it into the task's program, run that, judge the outcome.

The one way for the loop and for everything that grades: a program runs under its task's own seed (`Task.seed`), unless
the caller names another on purpose. References that define a check's right answers run before there is one
(`suites.quanbench_plus.reference`). Rules that compare random shots draw them by a name that the caller gives, such as
an attempt's id: each attempt has a draw of its own, and the same one whenever it is judged again. A task
with an oracle takes two programs, each in processes of its own: the published test and the oracle, which decides.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from repair_bench.executors.program import Call, Executor, Limits, Program
from repair_bench.prompts.code_cleanup import Extraction
from repair_bench.prompts.extract import extract
from repair_bench.suites.checks import DistributionCheck, observation
from repair_bench.suites.task import Task, no_code
from repair_bench.traces.faults import Fault
from repair_bench.traces.record.records import Outcome, Verdict

_LONG = 100_000  # characters of an answer that is read in a thread


@dataclass(frozen=True)
class Judged:
    """An answer to a task that was run, and its verdict.

    `code`: None where the answer holds none; nothing was run then. `extraction`: how the code was found, as an attempt
    keeps it; None for code that was given as such. `oracle`: the outcome of the task's oracle; None where it has none.
    `fault`: what was broken on our side; there is no outcome then.
    `draw`: the name of its draw, for rules that draw shots.
    """

    task: Task
    code: str | None
    extraction: dict[str, Any] | None = None
    outcome: Outcome | None = None
    oracle: Outcome | None = None
    fault: Fault | None = None
    draw: str = ""

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict of the task's check, or of its oracle. Raises the `fault` where there is one."""
        return self.under(self.task)

    def under(self, task: Task) -> Verdict:
        """The verdict on the same outcomes by the checks of this task under another rule. Raises the `fault`."""
        if self.fault is not None:
            raise self.fault
        return verdict_on(task, self.outcome, self.oracle, draw=self.draw)

    @property
    def seconds(self) -> float | None:
        """CPU seconds of what ran; None where nothing did, and where it could not be measured."""
        ran = [outcome.cpu_seconds for outcome in (self.outcome, self.oracle) if outcome is not None]
        known = [seconds for seconds in ran if seconds is not None]
        return sum(known) if known and len(known) == len(ran) else None


class Judge:
    """Takes answers and code to their verdicts, all with one executor."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    async def answer(self, task: Task, completion: str, *, prefill: str = "", draw: str = "") -> Judged:
        """Judge what a model wrote. `prefill`: the beginning of the answer that it was given to go on from."""
        # a long text takes seconds to read: in a thread, so that other episodes continue
        if len(completion) > _LONG:
            extraction = await asyncio.to_thread(extracted, task, completion, prefill)
        else:
            extraction = extracted(task, completion, prefill)
        judged = Judged(task, None) if extraction.code is None else await self.code(task, extraction.code, draw=draw)
        return replace(judged, extraction=extraction.record())

    async def code(self, task: Task, source: str, *, seed: int | None = None, draw: str = "") -> Judged:
        """Judge code that is no completion: a reference, a mutant, a stored program. `seed`: None for the task's."""
        try:
            outcome = await self._executor.run(task.check.program(task, source, seed=seed))
            oracle = None
            if task.oracle is not None:
                oracle = await self._executor.run(task.oracle.program(task, source, seed=seed))
        except Fault as fault:
            return Judged(task, source, fault=fault)
        return Judged(task, source, outcome=outcome, oracle=oracle, draw=draw)

    async def observe(self, task: Task, source: str, call: Call, *, limits: Limits) -> list[dict[str, Any]]:
        """What `call` observes of code, one observation a case, where a check asks for something else of it.

        Raises `Unreadable` where there is nothing to observe, and a `Fault` for what is broken on our side.
        """
        outcome = await self._executor.run(Program(task.framework, source, call, limits=limits, seed=task.seed))
        return observation.observed(outcome, len(call.cases))


def extracted(task: Task, completion: str, prefill: str) -> Extraction:
    """The code in an answer to a task. `prefill`: as in `Judge.answer`."""
    return extract(
        completion, entry_point=task.entry_point, starter=task.starter, prefill=prefill, language=task.language
    )


def verdict_on(task: Task, outcome: Outcome | None, of_oracle: Outcome | None = None, *, draw: str = "") -> Verdict:
    """The verdict on an outcome; None for an answer in which no code was found. Nothing is run.

    `of_oracle`: the outcome of the task's oracle, whose verdict it is where the task has one. `draw`: the name of the
    draw, for rules that draw shots; all others give the same verdict whatever it is.
    """
    if outcome is None:
        return no_code(task)
    check = replace(task.check, draw=draw) if isinstance(task.check, DistributionCheck) else task.check
    verdict = check.judge(task, outcome)
    if task.oracle is None:
        return verdict
    assert of_oracle is not None, "the oracle was not asked"
    return replace(task.oracle.judge(task, of_oracle), published=verdict.kind)
