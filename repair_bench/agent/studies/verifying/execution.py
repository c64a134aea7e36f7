"""Execute a sample of the answers again in the sandbox, and compare the new verdicts with the recorded verdicts."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Collection, Iterable, Iterator
from contextlib import aclosing
from typing import Any

from repair_bench.agent.studies.verifying.findings import VerificationReport
from repair_bench.agent.studies.verifying.settings import Plan
from repair_bench.coroutines import stream_bounded
from repair_bench.executors.options import Backend
from repair_bench.grading.judge import Judge
from repair_bench.grading.regrader import departs, grade_again
from repair_bench.traces.faults import ExecutorError
from repair_bench.traces.record.lazy_attempt import task_key
from repair_bench.traces.record.records import Attempt

IDLE = "this may depend on the load, so verify again while the machine is idle"


def draw(answers: Collection[str], sample: int | None, seed: int) -> set[str]:
    """Return a random sample of the ids of answers, or all ids if `sample` is None."""
    if sample is None or sample >= len(answers):
        return set(answers)
    return set(heapq.nsmallest(sample, answers, key=lambda name: hashlib.sha256(f"{seed} {name}".encode()).digest()))


async def execute(
    paths: Iterable[list[Attempt]], sampled: Collection[str], plan: Plan, found: VerificationReport, executor: Backend
) -> None:
    """Execute randomly selected answers again, and record the results in `found`.

    `paths`: the attempts of each episode. `sampled`: the ids of the selected answers.
    """
    judge = Judge(executor)

    async def grade(pair: tuple[Attempt, Attempt | None]) -> None:
        old, after = pair
        key = task_key(old)
        task = plan.task(key)
        assert old.verdict is not None
        if task is None:
            found.doubt(f"an answer cannot be graded on this machine: {plan.why_not(key)}")
            return
        kinds = []
        for _ in range(2):  # the output of a program may differ from one execution to the next
            new = await grade_again(judge, task, old)
            if new.verdict is None:
                busy = f"; {IDLE}" if new.fault is not None and new.fault.boundary == ExecutorError.boundary else ""
                found.doubt(f"an answer cannot be graded on this machine: {new.fault and new.fault.message}{busy}")
                return
            kinds.append(new.verdict.kind)
            followed = after is not None and not old.passed and not after.off_policy
            if instances := old.verdict.evidence.get("instances"):
                # a solver that stops at a time that it measures itself returns other circuits on a busy machine
                if new.passed == old.passed:
                    found.costs_differ += _costs(instances) != _costs(new.verdict.evidence.get("instances", ()))
                    break
            elif kinds[-1] == old.verdict.kind and not (followed and after and departs(task, old, new, after)):
                break
        else:
            if len(set(kinds)) > 1:
                found.doubt(f"the verdict on an answer differs between two executions; {IDLE}")
            elif "limit" in (kinds[0], old.verdict.kind):
                found.doubt(
                    f"an answer reached a limit in the record or when it was executed again, but not both; {IDLE}"
                )
            elif kinds[0] == old.verdict.kind:
                found.doubt("executing an answer again gives the same verdict but different feedback")
            else:
                text = f"the verdict is {old.verdict.kind}, but re-executing the answer gives {kinds[0]}"
                found.differ(text, old)
            return
        found.agree += 1

    def chosen() -> Iterator[tuple[Attempt, Attempt | None]]:
        """Yield each sampled answer once, together with the attempt that follows it in its episode."""
        left = set(sampled)
        for path in paths:
            for attempt, after in zip(path, [*path[1:], None], strict=True):
                if attempt.id in left and is_answer(attempt):
                    left.remove(attempt.id)
                    yield attempt, after

    found.executed = len(sampled)
    async with aclosing(stream_bounded(chosen(), grade, lambda: executor.capacity, ahead=2)) as graded:
        async for _ in graded:
            pass


def _costs(instances: Iterable[dict[str, Any]]) -> list[int | None]:
    return [instance["cost"] for instance in instances]


def is_answer(attempt: Attempt) -> bool:
    """Whether an attempt has an answer and a verdict on this answer."""
    return attempt.completion is not None and attempt.verdict is not None and not attempt.filled_context
