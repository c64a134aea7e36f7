"""From an answer to its verdict: take the code from it, put it into the task's program, run that, judge the outcome.

The one way for the loop and for everything that grades: a program runs under its task's own seed (`Task.seed`), unless
the caller names another on purpose. References that define a check's right answers run before there is one
(`suites.quanbench_plus.reference`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from repair_bench.executors.program import Call, Executor, Limits, Program
from repair_bench.prompts.extract import extract
from repair_bench.suites.checks import observation
from repair_bench.suites.task import Task, no_code
from repair_bench.traces.faults import Fault
from repair_bench.traces.records import Outcome, Verdict


@dataclass(frozen=True)
class Judged:
    """An answer to a task that was run, and its verdict.

    `code`: None where the answer holds none; nothing was run then. `extraction`: how the code was found, as an attempt
    keeps it; None for code that was given as such. `fault`: what was broken on our side; there is no outcome then.
    """

    task: Task
    code: str | None
    extraction: dict[str, Any] | None = None
    outcome: Outcome | None = None
    fault: Fault | None = None

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict of the task's check. Raises the `fault` where there is one."""
        return self.under(self.task)

    def under(self, task: Task) -> Verdict:
        """The verdict on the same outcome by the check of this task under another rule. Raises the `fault`."""
        if self.fault is not None:
            raise self.fault
        return verdict_on(task, self.outcome)

    @property
    def seconds(self) -> float | None:
        """CPU seconds of the program; None where nothing ran."""
        return self.outcome.cpu_seconds if self.outcome is not None else None


class Judge:
    """Takes answers and code to their verdicts, all with one executor."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    async def answer(self, task: Task, completion: str, *, prefill: str = "") -> Judged:
        """Judge what a model wrote. `prefill`: the beginning of the answer that it was given to go on from."""
        extraction = extract(completion, entry_point=task.entry_point, starter=task.starter, prefill=prefill)
        judged = Judged(task, None) if extraction.code is None else await self.code(task, extraction.code)
        return replace(judged, extraction=extraction.record())

    async def code(self, task: Task, source: str, *, seed: int | None = None) -> Judged:
        """Judge code that is no completion: a reference, a mutant, a stored program. `seed`: None for the task's."""
        try:
            outcome = await self._executor.run(task.check.program(task, source, seed=seed))
        except Fault as fault:
            return Judged(task, source, fault=fault)
        return Judged(task, source, outcome=outcome)

    async def observe(self, task: Task, source: str, call: Call, *, limits: Limits) -> list[dict[str, Any]]:
        """What `call` observes of code, one observation a case, where a check asks for something else of it.

        Raises `Unreadable` where there is nothing to observe, and a `Fault` for what is broken on our side.
        """
        outcome = await self._executor.run(Program(task.framework, source, call, limits=limits, seed=task.seed))
        return observation.observed(outcome, len(call.cases))


def verdict_on(task: Task, outcome: Outcome | None) -> Verdict:
    """The verdict on an outcome; None for an answer in which no code was found. Nothing is run."""
    return no_code(task) if outcome is None else task.check.judge(task, outcome)
