"""Failures on other tasks, used as placebo feedback by the policy `shuffled`.

A placebo source is a real failure of the same kind as the failure that it replaces. The pool of sources is built from
the suite before the first request, so the pool does not depend on the order of answers. To build the pool, mistakes are
inserted into reference solutions. The resulting programs are executed and judged, and the policy `default` writes the
feedback on their failures. If a suite has too few reference solutions in a framework, the pool also uses tasks of the
built-in suite. The placebo that a model receives depends only on the pool and on the id of the failed attempt.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from repair_bench.coroutines import map_bounded
from repair_bench.executors.program import Executor
from repair_bench.grading.judge import Judge
from repair_bench.prompts.feedback import PlaceboSource, make_feedback
from repair_bench.prompts.feedback.donors import KINDS, form
from repair_bench.suites import aligned
from repair_bench.suites.mutations import mutants
from repair_bench.suites.mutations.mistakes import MISTAKES, plant
from repair_bench.suites.task import Suite, Task, no_code
from repair_bench.traces.record.records import Verdict

BUILT_IN = "aligned"
MAX_TASKS = 24
"""The maximum number of tasks, per suite and framework, for which programs with mistakes are made."""
MIN_PLACEBO_SOURCES = 4
"""The minimum number of placebo sources per kind of failure. If a suite provides fewer placebo sources of a kind than
this minimum, placebo sources from the built-in suite are added."""
MAX_TRIES = 4
"""The maximum number of programs executed per failure."""

_RAISING = tuple(name for name in MISTAKES if name not in {"wrong_entry_point", "prose"})


async def make_donors(
    suite: Suite, executor: Executor, *, frameworks: Sequence[str], seed: int = 0
) -> tuple[PlaceboSource, ...]:
    """Return the pool for a resolved suite; the same suite, interpreters and seed give the same pool.

    At most 8 programs are executed for each of 24 tasks per framework. Raises a `Fault` on an infrastructure error.
    """
    pool: list[PlaceboSource] = []
    for framework in frameworks:
        own = await _of(suite.tasks, framework, executor, seed)
        missing = {kind for kind in KINDS if sum(source.kind == kind for source in own) < MIN_PLACEBO_SOURCES}
        if missing and suite.name != BUILT_IN:
            built_in = await _of(aligned.load(frameworks=[framework]).tasks, framework, executor, seed)
            own += [source for source in built_in if source.kind in missing]
        pool += own
    return tuple(pool)


async def _of(tasks: Sequence[Task], framework: str, executor: Executor, seed: int) -> list[PlaceboSource]:
    """Return failed attempts on a framework's tasks. The feedback on these attempts can serve as placebo feedback.

    For each task in a random selection, up to two failed attempts are returned: one that raised an exception, and one
    with a wrong answer. For every task, an answer without code is also included.
    """
    usable = [
        task for task in tasks if task.framework == framework and task.reference is not None and task.excluded is None
    ]
    rng = Random(f"donors {seed} {framework}")  # noqa: S311 - an experiment, not a secret
    chosen = set(rng.sample(range(len(usable)), min(MAX_TASKS, len(usable))))
    judge = Judge(executor)

    async def fail(task: Task) -> list[PlaceboSource]:
        rng = Random(f"donors {seed} {task.suite} {task.id} {framework}")  # noqa: S311
        programs = {"exception": _raising, "wrong_answer": _wrong}
        failures = [await _first(task, judge, kind, made(task, rng)) for kind, made in programs.items()]
        return [source for source in failures if source is not None]

    some = [task for number, task in enumerate(usable) if number in chosen]
    made = await map_bounded(some, fail, lambda: executor.capacity)
    no_code_of = (no_code, lambda _: Verdict("no_code", {"missing": "entry_point"}))
    without = [
        _placebo_source(task, verdict(task)) for task in tasks if task.framework == framework for verdict in no_code_of
    ]
    return [*(source for sources in made for source in sources), *without]


async def _first(task: Task, judge: Judge, kind: str, programs: Iterator[str]) -> PlaceboSource | None:
    for _, source in zip(range(MAX_TRIES), programs, strict=False):
        verdict = (await judge.code(task, source)).verdict
        if verdict.kind == kind:
            return _placebo_source(task, verdict, source)
    return None


def _raising(task: Task, rng: Random) -> Iterator[str]:
    assert task.reference is not None
    for name in rng.sample(_RAISING, len(_RAISING)):
        yield plant(name, task.reference, task.framework, task.entry_point, rng.randrange(12))


def _wrong(task: Task, rng: Random) -> Iterator[str]:
    assert task.reference is not None
    made = [mutant.source for mutant in mutants(task.reference, task.framework)]
    yield from rng.sample(made, len(made))


def _placebo_source(task: Task, verdict: Verdict, source: str | None = None) -> PlaceboSource:
    feedback = make_feedback("default", task, verdict, code=source)
    return PlaceboSource(
        suite=task.suite,
        task_id=task.id,
        framework=task.framework,
        entry_point=task.entry_point,
        kind=verdict.kind,
        form=form(task, verdict),
        text=feedback.text,
        redacted=feedback.redacted,
    )
