"""Audit every check with programs that should fail, and with the reference solution, which should pass."""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain, zip_longest

import numpy as np

from repair_bench.coroutines import map_bounded
from repair_bench.executors.program import Executor
from repair_bench.grading.audit.adversarial_programs import adversarial_programs
from repair_bench.grading.audit.certificate import Certificate, Fate, MutantFate, Redraws, Settings, TaskAudit
from repair_bench.grading.audit.equivalence import Reference
from repair_bench.grading.audit.false_rejections import exact_rejections, sampled_rejections
from repair_bench.grading.audit.trivial_baselines import TRIVIAL, if_right, trivial_baselines
from repair_bench.grading.judge import Judge, Judged
from repair_bench.grading.loading import Progress, silent
from repair_bench.suites.checks import UnitTestCheck
from repair_bench.suites.mutations import KINDS, Mutant, mutants
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import Fault
from repair_bench.traces.record.records import Outcome

MIN_RUNNING = 10
"""Minimum number of mutants per task that must run to completion, if enough mutants exist."""
AUDITED = tuple(kind for kind in KINDS if kind != "return_forgotten")  # any check rejects a program without an answer


async def audit(
    suite: Suite, executor: Executor, settings: Settings | None = None, *, progress: Progress = silent
) -> Certificate:
    """Audit the grader of a resolved suite. The same settings always give the same certificate."""
    settings = settings or Settings()
    done = 0
    progress(0, len(suite.tasks), {})

    async def audited(task: Task) -> TaskAudit:
        nonlocal done
        result = await _Audit(task, executor, settings).result()
        done += 1
        progress(done, len(suite.tasks), {})
        return result

    tasks = await map_bounded(suite.tasks, audited, lambda: executor.capacity)
    rules = sorted({task.rule for task in suite.tasks} - {"exact"})
    rule = ", ".join(rules) or "exact"
    return Certificate(suite.name, suite.version, suite.content_hash, rule, settings, tuple(tasks))


class _Audit:
    def __init__(self, task: Task, executor: Executor, settings: Settings) -> None:
        self._task = task
        self._judge = Judge(executor)
        self._settings = settings
        self._reference = Reference(task, self._judge, settings.seed)
        self._faults = 0

    async def result(self) -> TaskAudit:
        task = self._task
        result = TaskAudit(task.id, task.framework, kind(task), "none", weak=task.weak, labels=task.labels)
        if task.excluded is not None:
            return replace(result, reference="excluded", detail=task.excluded)
        programs = {**trivial_baselines(task), **adversarial_programs(task)}
        passed_by = {name: await self._passes(source) for name, source in programs.items()}
        result = replace(
            result,
            passed_by={name: passed for name, passed in passed_by.items() if passed is not None},
            right=await self._right(passed_by),
        )
        if task.reference is not None:
            result = await self._with_reference(result, task.reference)
        return replace(result, faults=self._faults)

    async def _right(self, passed_by: Mapping[str, bool | None]) -> tuple[str, ...]:
        """Return the passing baselines that agree with the reference, except those in `task.weak`; () if the test
        always passes.
        """
        task = self._task
        if task.reference is None or not isinstance(task.check, UnitTestCheck) or passed_by["raises"]:
            return ()
        passed = [name for name in TRIVIAL if passed_by[name] and name not in task.weak]
        return tuple([n for n in passed if n in task.trivial or await self._passes(if_right(task, n))])

    async def _with_reference(self, result: TaskAudit, reference: str) -> TaskAudit:
        task, settings = self._task, self._settings
        runs = [await self._judged(reference, seed) for seed in (None, *range(1, settings.runs))]
        verdicts = [judged.verdict for judged in runs if judged.fault is None]
        if not verdicts:
            return replace(result, reference="fault")
        rng = np.random.default_rng(list(_digest(task, settings.seed)))
        exact, sampled = await asyncio.to_thread(self._redrawn, runs[0].outcome, rng)
        result = replace(
            result,
            reference="pass" if verdicts[0].kind == "pass" else "fails",
            detail=str(verdicts[0].evidence.get("problem") or verdicts[0].evidence.get("message") or ""),
            exact=exact,
            sampled=sampled,
            runs=len(verdicts),
            runs_passed=sum(verdict.kind == "pass" for verdict in verdicts),
        )
        if not result.accepted:
            return result  # rejections are not informative if the reference never passes
        made = in_turn(task, settings.seed)
        return replace(result, mutants_made=len(made), mutants=tuple(await self._mutants(made)))

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
            running = sum(earlier.fate != "raised" for earlier in fates)
            if wanted is not None and len(fates) >= wanted and running >= min(wanted, MIN_RUNNING):
                break
            judged = await self._judged(mutant.source)
            if judged.outcome is None:
                continue
            fates.append(MutantFate(mutant.kind, mutant.description, mutant.line, await self._fate(mutant, judged)))
        return fates

    async def _fate(self, mutant: Mutant, judged: Judged) -> Fate:
        assert judged.outcome is not None
        if judged.outcome.status != "returned":
            return "raised"
        if judged.verdict.kind != "pass":
            return "rejected"
        try:
            if await self._reference.agrees(mutant.source, channel=True):
                return "equivalent"
            return "right" if await self._reference.agrees(mutant.source, channel=False) else "survived"
        except Fault:
            self._faults += 1
            return "survived"

    async def _passes(self, source: str) -> bool | None:
        judged = await self._judged(source)
        return None if judged.fault is not None else judged.verdict.kind == "pass"

    async def _judged(self, source: str, seed: int | None = None) -> Judged:
        judged = await self._judge.code(self._task, source, seed=seed)
        self._faults += judged.fault is not None
        return judged


def in_turn(task: Task, seed: int) -> list[Mutant]:
    """Return the mutants of a task's reference in random order, alternating between kinds of mutants.

    Return [] if the task has no reference or the reference cannot be parsed.
    """
    if task.reference is None:
        return []
    kinds: dict[str, list[Mutant]] = {}
    try:
        for mutant in mutants(task.reference, task.framework, AUDITED):
            kinds.setdefault(mutant.kind, []).append(mutant)
    except SyntaxError:
        return []
    shuffle = random.Random(_digest(task, seed)).shuffle  # noqa: S311 - no secret
    groups = list(kinds.values())
    for group in groups:
        shuffle(group)
    shuffle(groups)
    return [mutant for mutant in chain.from_iterable(zip_longest(*groups)) if mutant is not None]


def _digest(task: Task, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}/{task.suite}/{task.id}/{task.framework}".encode()).digest()


def kind(task: Task) -> str:
    """Return what a task's check judges: either a kind of observation, such as "state", or the text "unit test"."""
    return str(getattr(task.check, "observe", "unit test"))
