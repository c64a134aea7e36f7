"""Regrade a run's stored answers into a new run, with a different rule, interpreter or suite version.

No model is called. In the original run, each repair responded to feedback on the original verdict. If the regrade
changes this verdict, all later attempts are off-policy: they are graded and marked `off_policy`, and the episode is
censored at that point. An episode that passed in the original run and fails in the regrade is also censored.
Completions and their costs are copied from the original run.

Attempts are recorded one by one; the same command resumes an interrupted regrade.
"""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from repair_bench.agent.experiment.episodes import digest
from repair_bench.agent.experiment.manifest import driver, task_fields
from repair_bench.agent.experiment.resumption import resumption
from repair_bench.coroutines import map_bounded, run_to_end
from repair_bench.executors.options import Backend, ExecutorOptions
from repair_bench.executors.program import Executor
from repair_bench.grading.judge import Judge
from repair_bench.grading.loading import Progress, load_suite, silent, tasks_by_key
from repair_bench.grading.regrader import Regrader
from repair_bench.log import log, log_context, log_to_run
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.lazy_attempt import Row, TaskKey, task_key
from repair_bench.traces.run.changes import changes
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.manifest_fields import ExperimentFields, OriginFields
from repair_bench.traces.run.run_files import MANIFEST, PLACEBO_SOURCES
from repair_bench.traces.run.run_reader import load_rows
from repair_bench.traces.run.store import RunStore
from repair_bench.traces.run.study_lock import StudyLock

_Episode = Sequence[Row]


def regrade(
    directory: Path,
    out: Path,
    *,
    rule: str | None,
    data: Path | None,
    executor: ExecutorOptions,
    require_sealed: bool = False,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Regrade the run in `directory` into `out`, or resume the regrade in `out`.

    If a parameter is None, the run's own setting applies. `require_sealed`: whether to exclude tasks whose test can
    only run in the isolation mode "guarded". The result contains several counts. `answers`: the graded answers.
    `changed`: the changed verdicts, keyed by "old -> new". `off_policy`: the off-policy attempts. `censored`: the
    censored episodes. `excluded`: the episodes whose tasks are excluded. `faults`: the answers that received no verdict
    because of a fault. A shared answer counts once. `tasks` contains a row for each task with a changed verdict. Raises
    UsageError if the run cannot be regraded.
    """
    stored = load_rows(directory)
    manifest = stored.manifest
    if not manifest.suite_contents:
        raise UsageError(f"{directory} does not record its suites, so it cannot be regraded")
    if manifest.is_regrade:
        raise UsageError(f"{directory} is itself a regrade: regrade {manifest.origin['run']} instead")
    strict = require_sealed or bool(manifest.experiment.get("require_sealed"))
    run = _Run(directory, out, manifest, stored.rows, rule or manifest.experiment.get("rule", "exact"), strict)
    return run_to_end(_regrade(run, data, executor, progress))


@dataclass(frozen=True)
class _Run:
    directory: Path
    out: Path
    manifest: Manifest
    attempts: Sequence[Row]
    rule: str
    require_sealed: bool


async def _regrade(run: _Run, data: Path | None, options: ExecutorOptions, progress: Progress) -> dict[str, Any]:
    async with options.open(data, run.directory, run.out) as executor:
        suites = [
            await load_suite(name, executor, data=data, rule=run.rule, require_sealed=run.require_sealed)
            for name in run.manifest.suite_contents
        ]
        tasks = _tasks(run, suites)
        episodes = [episode for episode in _episodes(run.attempts) if tasks[task_key(episode[0])].excluded is None]
        manifest = (await _manifest(run, suites, tasks, executor)).replaced(
            data=str(data) if data is not None else None,
            episodes=len(episodes),
            resources={**run.manifest.resources, "pythons": dict(options.pythons)},
        )
        resumed = (run.out / MANIFEST).exists() and Manifest.read(run.out).is_regrade
        if resumed:
            resuming = resumption(run.out, manifest, tasks.values(), otherwise="regrade into another --out")
            store = RunStore.resume(run.out, resuming)
        else:
            store = RunStore.create(run.out, manifest, StudyLock.read(run.directory))
            if (stored := run.directory / PLACEBO_SOURCES).exists():  # for its placebo feedback
                shutil.copyfile(stored, run.out / PLACEBO_SOURCES)
        try:
            versions = {suite.name: suite.version for suite in suites}
            with log_to_run(run.out), log_context(run=run.out.name):
                log.info("resumed" if resumed else "opened", regrade_of=run.directory.name, episodes=len(episodes))
                await _all(episodes, tasks, versions, executor, store, progress)
                log.info("closed")
            graded = load_rows(run.out).rows
        finally:
            await store.close()
    return _figures(run, graded)


def _tasks(run: _Run, suites: Sequence[Suite]) -> dict[TaskKey, Task]:
    known = tasks_by_key(suites)
    answered = dict.fromkeys(map(task_key, run.attempts))
    if missing := next((key for key in answered if key not in known), None):
        suite, task, framework = missing
        raise UsageError(f"{suite} no longer has the task {task!r} in {framework}, so answers to it cannot be graded")
    return {key: known[key] for key in answered}


async def _manifest(run: _Run, suites: Sequence[Suite], tasks: Mapping[TaskKey, Task], executor: Backend) -> Manifest:
    """Return the run's manifest with the current settings; its field `regraded_from` lists the differences."""
    first = run.manifest.experiment
    frameworks = sorted({framework for _, _, framework in tasks})
    used = sorted({framework for (_, _, framework), task in tasks.items() if task.excluded is None})
    layers = await asyncio.gather(*(asyncio.to_thread(executor.layers, framework) for framework in used))
    now: ExperimentFields = {**first, "rule": run.rule}
    if run.require_sealed:
        now["require_sealed"] = True
    now["suite_contents"] = {suite.name: [suite.version, suite.contents(frameworks)] for suite in suites}
    now["versions"] = {
        **run.manifest.versions,
        "driver": driver(suites=[suite.name for suite in suites], frameworks=frameworks),
        **{framework: executor.versions(framework) for framework in used},
    }
    answers = digest(sorted([a.episode, a.id] for a in run.attempts if a.completion is not None))
    origin: OriginFields = {"kind": "regrade", "run": run.directory.name, "answers": answers, "of": first.get("origin")}
    about_tasks = task_fields(tasks.values())
    return run.manifest.without("resumed").replaced(  # the current versions judge everything
        name=run.out.name,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        experiment={**now, "origin": origin},
        regraded_from={"run": str(run.directory.resolve()), "differs": list(changes(first, now))},
        sandbox=dict(zip(used, layers, strict=True)),
        labels=about_tasks["labels"],
        titles=about_tasks["titles"],
        excluded=[*about_tasks["excluded"], *run.manifest.excluded],
    )


async def _all(
    episodes: Sequence[_Episode], tasks: Mapping[TaskKey, Task], versions: Mapping[str, str], executor: Executor,
    store: RunStore, progress: Progress,
) -> None:  # fmt: skip
    """Regrade every episode; a first attempt that several episodes share is executed once."""
    groups: dict[str, list[_Episode]] = {}
    for episode in episodes:
        groups.setdefault(episode[0].id, []).append(episode)
    done = 0
    progress(0, len(episodes), {})
    judge = Judge(executor)

    async def regrade_group(group: list[_Episode]) -> None:
        nonlocal done
        key = task_key(group[0][0])
        regrader = Regrader(tasks[key], judge)
        for episode in group:
            attempts = [row.with_texts() for row in episode]
            async for new in regrader.episode(attempts, store.episode(episode[0].episode)):
                run, version = store.directory.name, versions[key[0]]
                await store.append_attempt(replace(new, run=run, suite_version=version))
                if new.fault is not None:
                    log.warning("fault", attempt=new.id, boundary=new.fault.boundary)
            done += 1
            progress(done, len(episodes), {})

    await map_bounded(groups.values(), regrade_group, lambda: executor.capacity)


def _figures(run: _Run, graded: Sequence[Row]) -> dict[str, Any]:
    before = {attempt.id: attempt for attempt in run.attempts}
    now = {attempt.id: attempt for attempt in graded if attempt.verdict is not None}
    answers = Counter(map(task_key, now.values()))
    tasks: dict[TaskKey, Counter[str]] = {}
    for name, new in now.items():
        old = before[name].verdict
        if old is not None and new.verdict is not None and old.kind != new.verdict.kind:
            tasks.setdefault(task_key(new), Counter())[f"{old.kind} -> {new.verdict.kind}"] += 1
    judged = _episodes(graded)
    return {
        "run": str(run.out),
        "of": str(run.directory),
        "rule": run.rule,
        "answers": len(now),
        "changed": dict(sum(tasks.values(), Counter[str]())),
        "off_policy": sum(attempt.off_policy for attempt in graded),
        "censored": sum(_is_censored(episode, before) for episode in judged),
        "excluded": len(_episodes(run.attempts)) - len(judged),
        "faults": sum(attempt.fault is not None and attempt.completion is not None for attempt in graded),
        "tasks": [
            {"suite": key[0], "task_id": key[1], "framework": key[2], "answers": answers[key], "changed": dict(counts)}
            for key, counts in sorted(tasks.items())
        ],
    }


def _is_censored(episode: _Episode, before: Mapping[str, Row]) -> bool:
    """Whether an episode is unsolved and censored.

    An episode is censored if it has off-policy attempts, or if its last attempt passed in the original run.
    """
    kept = [attempt for attempt in episode if not attempt.off_policy]
    last = kept[-1]
    return last.verdict is not None and not last.passed and (len(kept) < len(episode) or before[last.id].passed)


def _episodes(attempts: Sequence[Row]) -> list[list[Row]]:
    episodes: dict[str, list[Row]] = {}
    for attempt in sorted(attempts, key=lambda attempt: attempt.attempt):
        episodes.setdefault(attempt.episode, []).append(attempt)
    return list(episodes.values())
