"""The audit: every check is tried with programs that ought to fail, and with the reference, which ought to pass."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from repair_bench.suites.audit.blanks import blanks
from repair_bench.suites.audit.certificate import Certificate, Fate, MutantFate, Redraws, TaskAudit
from repair_bench.suites.audit.equivalence import Reference
from repair_bench.suites.audit.redraws import exact_rejections, sampled_rejections
from repair_bench.suites.audit.sampling import in_turn
from repair_bench.suites.audit.settings import Settings
from repair_bench.suites.checks import UnitTestCheck
from repair_bench.suites.mutations import Mutant
from repair_bench.suites.task import Run, Suite, Task
from repair_bench.traces.faults import Fault
from repair_bench.traces.records import Outcome

AT_ONCE = 4
"""Tasks in flight, each with one program at a time."""
FEWEST_RUNNING = 10
"""Mutants that run to their end, for each task whose reference has as many."""


async def audit(
    suite: Suite, run: Run, settings: Settings | None = None, *, done: Callable[[TaskAudit], None] | None = None
) -> Certificate:
    """The certificate of a resolved suite's grader; the same for the same settings. `done`: told of each task."""
    settings = settings or Settings()
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(task: Task) -> TaskAudit:
        async with gate:
            found = await _Audit(task, run, settings).result()
        if done is not None:
            done(found)
        return found

    tasks = await asyncio.gather(*map(one, suite.tasks))
    rules = sorted({task.check.rule for task in suite.tasks} - {"exact"})
    return Certificate(
        suite.name, suite.version, suite.content_hash, ", ".join(rules) or "exact", settings, tuple(tasks)
    )


class _Audit:
    """The audit of one task."""

    def __init__(self, task: Task, run: Run, settings: Settings) -> None:
        self._task = task
        self._run = run
        self._settings = settings
        self._same = Reference(task, run, settings.seed)
        self._faults = 0

    async def result(self) -> TaskAudit:
        task = self._task
        found = TaskAudit(task.id, task.framework, kind(task), "none")
        if task.excluded is not None:
            return replace(found, reference="excluded", detail=task.excluded)
        passed_by = {name: await self._passes(source) for name, source in blanks(task).items()}
        found = replace(found, passed_by={name: passed for name, passed in passed_by.items() if passed is not None})
        if task.reference is not None:
            found = await self._with_reference(found, task.reference)
        return replace(found, faults=self._faults)

    async def _with_reference(self, found: TaskAudit, reference: str) -> TaskAudit:
        task, settings = self._task, self._settings
        outcomes = [await self._outcome(reference, seed) for seed in range(settings.runs)]
        verdicts = [task.check.judge(task, outcome) for outcome in outcomes if outcome is not None]
        if not verdicts:
            return replace(found, reference="fault")
        rng = np.random.default_rng(list(self._digest()))
        exact, sampled = await asyncio.to_thread(self._redrawn, outcomes[0], rng)
        passed = sum(verdict.kind == "pass" for verdict in verdicts)
        found = replace(
            found,
            reference="pass" if verdicts[0].kind == "pass" else "fails",
            detail=str(verdicts[0].evidence.get("problem") or verdicts[0].evidence.get("message") or ""),
            exact=exact,
            sampled=sampled,
            runs=len(verdicts),
            runs_passed=passed,
        )
        if not found.accepted:
            return found  # what is rejected of a reference that never passes says nothing
        made = in_turn(task, settings.seed)
        return replace(found, mutants_made=len(made), mutants=tuple(await self._mutants(made)))

    def _redrawn(self, outcome: Outcome | None, rng: np.random.Generator) -> tuple[Redraws, Redraws]:
        if isinstance(self._task.check, UnitTestCheck):
            return Redraws(), Redraws()
        draws = self._settings.redraws
        exact = Redraws(draws, exact_rejections(self._task, outcome, draws))
        return exact, Redraws(*sampled_rejections(self._task, outcome, draws, rng))

    async def _mutants(self, made: list[Mutant]) -> list[MutantFate]:
        wanted = self._settings.mutants_per_task
        fates: list[MutantFate] = []
        for mutant in made:
            running = sum(one.fate != "raised" for one in fates)
            if wanted is not None and len(fates) >= wanted and running >= min(wanted, FEWEST_RUNNING):
                break
            fate = await self._fate(mutant)
            if fate is not None:
                fates.append(MutantFate(mutant.kind, mutant.description, mutant.line, fate))
        return fates

    async def _fate(self, mutant: Mutant) -> Fate | None:
        outcome = await self._outcome(mutant.source)
        if outcome is None:
            return None
        if outcome.status != "returned":
            return "raised"
        if self._task.check.judge(self._task, outcome).kind != "pass":
            return "rejected"
        try:
            return "equivalent" if await self._same.is_same(mutant.source) else "survived"
        except Fault:
            self._faults += 1
            return "survived"

    async def _passes(self, source: str) -> bool | None:
        outcome = await self._outcome(source)
        return None if outcome is None else self._task.check.judge(self._task, outcome).kind == "pass"

    async def _outcome(self, source: str, seed: int = 0) -> Outcome | None:
        """None, counted, when it is our side that failed."""
        try:
            return await self._run(self._task.check.program(self._task, source, seed=seed))
        except Fault:
            self._faults += 1
            return None

    def _digest(self) -> bytes:
        task = self._task
        return hashlib.sha256(f"{self._settings.seed}/{task.suite}/{task.id}/{task.framework}".encode()).digest()


def kind(task: Task) -> str:
    """What a task's check looks at."""
    return str(getattr(task.check, "observe", "unit test"))
