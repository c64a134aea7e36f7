"""Judge an answer: extract the code, insert it into the task's program, run the program, and judge the outcome.

The repair loop and all graders use this code. A program runs under the seed of its task (`Task.seed`) unless the caller
passes a different seed. If a suite computes expected answers by running references, it does so before any answer is
judged (`suites.quanbench_plus.reference`). Noisy rules judge randomly drawn shots. The caller passes a seed for the
shots, such as an attempt's id, so judging an answer again gives the same verdict. If a task has an oracle, the
published test and the oracle run in separate processes, and the oracle determines the verdict.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from repair_bench.executors.program import Call, Executor, Limits, Program
from repair_bench.prompts.extraction.code_cleanup import Extraction
from repair_bench.prompts.extraction.extract import extract
from repair_bench.suites.checks import DistributionCheck, observation
from repair_bench.suites.task import Task, no_code
from repair_bench.traces.faults import Fault
from repair_bench.traces.record.records import Outcome, Verdict

_LONG = 100_000  # characters; extraction from a longer answer takes seconds, so it runs in a thread


@dataclass(frozen=True)
class Judged:
    """An answer to a task after execution, and its verdict.

    `code`: None if the answer contains no code; in this case nothing ran. `extraction`: how the code was extracted from
    the answer, in the format of an attempt's record; None for stored code. `oracle`: the outcome of the task's oracle,
    if the task has one. `fault`: an infrastructure error, which replaces the outcome. `draw`: a text that determines
    the random shots of noisy rules.
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
        """The oracle's verdict if the task has an oracle, otherwise the check's verdict. Raises the `fault`, if any."""
        return self.under(self.task)

    def under(self, task: Task) -> Verdict:
        """Judge the outcomes of this answer under the grading rule with which `task` was loaded. Raises the `fault`, if
        any.
        """
        if self.fault is not None:
            raise self.fault
        return verdict_on(task, self.outcome, self.oracle, draw=self.draw)

    @property
    def seconds(self) -> float | None:
        """The CPU time in seconds; None if nothing ran or the time could not be measured."""
        ran = [outcome.cpu_seconds for outcome in (self.outcome, self.oracle) if outcome is not None]
        known = [seconds for seconds in ran if seconds is not None]
        return sum(known) if known and len(known) == len(ran) else None


class Judge:
    """Judges answers and code by running them on one executor."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    async def answer(self, task: Task, completion: str, *, prefill: str = "", draw: str = "") -> Judged:
        """Judge a model's completion. `prefill`: the text that the model received as the start of its answer."""
        if len(completion) > _LONG:
            extraction = await asyncio.to_thread(extracted, task, completion, prefill)
        else:
            extraction = extracted(task, completion, prefill)
        judged = Judged(task, None) if extraction.code is None else await self.code(task, extraction.code, draw=draw)
        return replace(judged, extraction=extraction.record())

    async def code(self, task: Task, source: str, *, seed: int | None = None, draw: str = "") -> Judged:
        """Judge a program, such as a reference, a mutant or stored code. `seed`: None to use the task's seed."""
        try:
            outcome = await self._executor.run(task.check.program(task, source, seed=seed))
            oracle = None
            if task.oracle is not None:
                oracle = await self._executor.run(task.oracle.program(task, source, seed=seed))
        except Fault as fault:
            return Judged(task, source, fault=fault)
        return Judged(task, source, outcome=outcome, oracle=oracle, draw=draw)

    async def observe(self, task: Task, source: str, call: Call, *, limits: Limits) -> list[dict[str, Any]]:
        """Run `call` instead of the task's check, and return one observation per case.

        Raises `Unreadable` if there are no observations, and a `Fault` on an infrastructure error.
        """
        outcome = await self._executor.run(Program(task.framework, source, call, limits=limits, seed=task.seed))
        return observation.observed(outcome, len(call.cases))


def extracted(task: Task, completion: str, prefill: str) -> Extraction:
    """Return the code in an answer to a task. `prefill`: as in `Judge.answer`."""
    return extract(
        completion, entry_point=task.entry_point, starter=task.starter, prefill=prefill, language=task.language
    )


def verdict_on(task: Task, outcome: Outcome | None, of_oracle: Outcome | None = None, *, draw: str = "") -> Verdict:
    """Return the verdict on an outcome. If `outcome` is None, return the verdict on an answer without code. Nothing is
    run.

    `of_oracle`: the outcome of the task's oracle, which decides the verdict. `draw`: a text that determines the
    random shots of noisy rules.
    """
    if outcome is None:
        return no_code(task)
    check = replace(task.check, draw=draw) if isinstance(task.check, DistributionCheck) else task.check
    verdict = check.judge(task, outcome)
    if task.oracle is None:
        return verdict
    assert of_oracle is not None, "the oracle was not executed"
    return replace(task.oracle.judge(task, of_oracle), published=verdict.kind)
