"""The audit: every task's check is tried with programs that ought to fail and with the reference, which ought to pass."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence

import numpy as np

from repair_bench.suites.audit.blanks import blanks
from repair_bench.suites.audit.certificate import Certificate, Fate, MutantFate, Redraws, TaskAudit
from repair_bench.suites.audit.equivalence import Reference
from repair_bench.suites.audit.redraws import exact_rejections, sampled_rejections
from repair_bench.suites.audit.sampling import in_turn
from repair_bench.suites.checks import CircuitCheck, UnitTestCheck
from repair_bench.suites.mutations import Mutant
from repair_bench.suites.task import Run, Suite, Task
from repair_bench.traces.faults import Fault
from repair_bench.traces.records import Outcome

AT_ONCE = 4
"""Tasks in flight, each with one program at a time."""
FEWEST_RUNNING = 10
"""Mutants that run to their end, for each task whose reference has as many."""
MUTANTS = 24
REDRAWS = 1000
RUNS = 3


async def audit(
    suite: Suite,
    run: Run,
    *,
    redraws: int = REDRAWS,
    mutants_per_task: int | None = MUTANTS,
    runs: int = RUNS,
    seed: int = 0,
    done: Callable[[TaskAudit], None] = lambda _: None,
) -> Certificate:
    """The certificate of a resolved suite's grader; the same for the same seed.

    `redraws`: how often a correct answer is judged again. `mutants_per_task`: how many are run, more where fewer than
    10 of them run to their end; None for all. `runs`: how often the reference is executed, under another seed each
    time. `done`: told of each task when it is finished.
    """
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(task: Task) -> TaskAudit:
        async with gate:
            found = await _Audit(task, run, redraws, mutants_per_task, runs, seed).result()
            done(found)
            return found

    tasks = await asyncio.gather(*map(one, suite.tasks))
    rule = ...
