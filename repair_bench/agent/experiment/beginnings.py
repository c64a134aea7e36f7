"""Start a run whose models repair existing failures.

The failures come from another run or from a file of answers. A *beginning* is a failed attempt together with the
attempts before it in the same episode. The new run copies the beginnings into the file `origin.jsonl` in its own
directory, one beginning per line. The source of the failures is therefore no longer needed after the start. Repairs of
the same failure are paired by the id of the failed attempt.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from repair_bench.agent.experiment.episodes import PlannedEpisode, digest
from repair_bench.agent.experiment.file import Experiment
from repair_bench.coroutines import map_bounded
from repair_bench.executors.options import Backend
from repair_bench.grading import answers_file
from repair_bench.grading.judge import Judge
from repair_bench.grading.loading import tasks_by_key
from repair_bench.grading.regrader import grade_again
from repair_bench.prompts import few_shot
from repair_bench.prompts.compose import compose
from repair_bench.prompts.condition import Condition
from repair_bench.prompts.templates import render
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import DamagedRecordError, ExecutorError, UsageError
from repair_bench.traces.files.atomic_file import write_whole
from repair_bench.traces.record.lazy_attempt import Recorded, task_key
from repair_bench.traces.record.printable import clean
from repair_bench.traces.record.records import Attempt, Completion
from repair_bench.traces.record.writable import writable
from repair_bench.traces.run.manifest_fields import OriginFields
from repair_bench.traces.run.run_files import ORIGIN
from repair_bench.traces.run.run_reader import load_lists

STORED = "stored"
"""The value recorded as the source of the cost (`cost_source`) of every answer that comes from a file. If a line of the
file does not name the model that wrote the answer, `STORED` is recorded as the model's name."""
_OF_REPAIRS = ("first_temperature", "max_tokens", "reasoning_effort", "thinking_budget", "tools", "ask")
"""Settings that affect first answers but not their prompts. Answers from a file may be used with any values of these
settings."""
_OF_PROMPT = Condition().prompt_key().keys() - _OF_REPAIRS
"""Settings that change the prompts of first answers."""

Paths = Sequence[tuple[Recorded, ...]]
"""For each failure, the attempts of its episode up to the failed attempt."""


@dataclass(frozen=True)
class Beginnings:
    """The failures that a run repairs.

    `place`: the run or the file from which the failures come. `paths`: for each failure, the attempts of its episode up
    to the failed attempt. `stated`: further fields of `origin`. `simulated`: the simulated models that wrote answers.
    """

    place: Path
    paths: Paths
    stated: OriginFields
    simulated: Sequence[str] = ()

    @property
    def origin(self) -> OriginFields:
        """The field `origin` of `run.json`: where the failures that the run repairs come from."""
        counted: OriginFields = {"run": self.place.name, "paths": len(self.paths), "digest": digest_of(self.paths)}
        return {"kind": "fork", **counted, **self.stated}

    def chosen(self, experiment: Experiment, suites: Sequence[Suite]) -> Beginnings:
        """Return the failures on the experiment's tasks. Raises UsageError if there are none."""
        tasks = {task.key for task in experiment.tasks(suites) if task.excluded is None}
        others, names = tasks_by_key(suites).keys() - tasks, {suite.name for suite in suites}
        paths = [path for path in self.paths if path[-1].suite in names and task_key(path[-1]) not in others]
        if not paths:
            raise UsageError(f"{self.place} has nothing to repair: none of the failures is on a task of the fork")
        return replace(self, paths=paths)


def first_condition(experiment: Experiment) -> Condition:
    """Return the experimental condition (the prompt settings) that is recorded for first answers from a file.

    Raises UsageError if the experiment changes the default prompt.
    """
    conditions = experiment.conditions()
    first = Condition(**{name: getattr(conditions[0], name) for name in _OF_REPAIRS})
    for condition in conditions:
        old, new = first.prompt_key(), condition.prompt_key()
        if differing := [name for name in old | new if old.get(name) != new.get(name)]:
            raise UsageError(
                f"the answers in first_answers are replies to the default prompt, but the condition {condition.name} "
                f"changes {differing[0]}: remove this setting"
            )
    return first


def stored_answers(experiment: Experiment, suites: Sequence[Suite]) -> tuple[list[tuple[Task, Attempt]], int]:
    """Return the ungraded answers to the experiment's tasks from a file, and the number of answers to other tasks.

    The setting `first_answers` names the file. If the file contains several answers by one model to the same task, each
    answer is a separate sample of the task. Raises UsageError for an unreadable line.
    """
    assert experiment.first_answers is not None
    path, (suite,) = Path(experiment.first_answers), suites
    chosen = {task.key for task in experiment.tasks(suites) if task.excluded is None}
    first = first_condition(experiment)
    samples: Counter[tuple[Any, ...]] = Counter()
    answers, others = [], 0
    with answers_file.opened(path) as file:
        for number, (line, task) in enumerate(answers_file.read(file, path, suite), start=1):
            writer = STORED if line.get("model") is None else line["model"]
            if not isinstance(writer, str) or not writer.strip() or not writer.isprintable():
                raise UsageError(f'{path}: "model" in answer {number} is not a model name')
            if task.key not in chosen:
                others += 1
                continue
            code = line.get("code")
            text = clean(line["completion"] if code is None else render("answer", task.language, code=code))
            episode = PlannedEpisode(writer, task, suite.version, first, samples[writer, task.key])
            samples[writer, task.key] += 1
            # the run requests and pays for none of these answers
            usage = {"prompt_tokens": 0, "completion_tokens": 0}
            completion = Completion(text, usage=usage, cost_usd=0.0, cost_source=STORED, requests=0)
            attempt = episode.begin(0, compose(task, first), run=path.name)
            answers.append((task, replace(attempt, id=answer_id(episode, text), completion=completion)))
    return answers, others


def answer_id(episode: PlannedEpisode, text: str) -> str:
    """Compute the id of an answer that was read from a file.

    `episode`: an episode of the model that wrote the answer.
    """
    return digest("stored", replace(episode, prefix=()).root, text)


async def graded(experiment: Experiment, suites: Sequence[Suite], executor: Backend) -> Beginnings:
    """Grade the answers in the experiment's file and return those that fail. Raises UsageError if no answer fails."""
    assert experiment.first_answers is not None
    judge, path = Judge(executor), Path(experiment.first_answers)

    async def grade(answer: tuple[Task, Attempt]) -> Attempt:
        attempt = writable(await grade_again(judge, *answer))
        if attempt.fault is not None:
            raise ExecutorError(f"an answer to {attempt.task_id} could not be graded: {attempt.fault.message}")
        return attempt

    answers, others = stored_answers(experiment, suites)
    attempts = await map_bounded(answers, grade, lambda: executor.capacity)
    failures = [(attempt,) for attempt in attempts if not attempt.passed]
    if not failures:
        raise UsageError(f"{path} has nothing to repair: of {len(attempts)} answers to the chosen tasks, none failed")
    return Beginnings(path, failures, {**_stated(experiment), "graded": len(attempts), "others": others})


def _stated(experiment: Experiment) -> OriginFields:
    first = first_condition(experiment)
    return {"attempt": 0, "repairers": experiment.models, "conditions": {first.name: first.settings()}}


def planned(experiment: Experiment, suites: Sequence[Suite]) -> list[PlannedEpisode]:
    """Return all episodes that an experiment may need.

    If the experiment repairs answers from a file, this function does not grade the answers. The function assumes that
    all answers in the file fail, and returns an episode for each answer.
    """
    if experiment.first_answers is None:
        return experiment.episodes(suites)
    answers, _ = stored_answers(experiment, suites)
    return episodes(experiment, suites, [(attempt,) for _, attempt in answers], _stated(experiment))


def keep(directory: Path, beginnings: Paths) -> None:
    """Write each failed attempt, with the earlier attempts of its episode, to the directory of the new run."""
    lists = ([row.with_texts().to_json() for row in beginning] for beginning in beginnings)
    write_whole(directory / ORIGIN, (json.dumps(listed, ensure_ascii=True) + "\n" for listed in lists))


def load_prefixes(directory: Path, origin: OriginFields | None) -> Paths:
    """Read the failures that a run repairs from the run's directory.

    Each element contains the attempts of one episode up to the failed attempt. If the run did not start from existing
    failures (no `origin`), the list is empty. Raises UsageError if the file in the directory is incomplete.
    """
    if not origin:
        return []
    try:
        beginnings: Paths = load_lists(directory / ORIGIN)
    except (OSError, DamagedRecordError):
        beginnings = []
    if digest_of(beginnings) != origin.get("digest"):
        again = "start the run" if "graded" in origin else f"fork {origin.get('run', 'the run')}"
        raise UsageError(f"{directory / ORIGIN} is incomplete, and no request has been sent: {again} again")
    return beginnings


def episodes(
    experiment: Experiment,
    suites: Sequence[Suite],
    beginnings: Paths,
    origin: OriginFields | None,
) -> list[PlannedEpisode]:
    """Return one episode for each combination of a failure, an arm and a model that repairs the failure.

    Without an `origin`, return the experiment's own episodes. If models may repair attempts of other models, the name
    of a condition ends with the model that wrote the failed attempt. An arm repairs replies to its own prompt. If none
    of the original conditions has the arm's other settings of first answers, these settings apply only to repairs.
    Raises UsageError if a task has changed, if there is no episode, or if an arm would mix failures of two arms.
    """
    if not origin:
        return experiment.episodes(suites)
    arms = [(c, _of_first(c.prompt_key())) for c in experiment.conditions()]
    stored = {name: _of_first(stated) for name, stated in (origin.get("conditions") or {}).items()}
    repaired: dict[str, tuple[str, Any]] = {}
    by_name = {suite.name: suite for suite in suites}
    tasks = tasks_by_key(suites)
    forks = []
    for beginning in beginnings:
        last = beginning[-1]
        task, suite = tasks.get(task_key(last)), by_name.get(last.suite)
        if task is None or suite is None or suite.version != last.suite_version:
            raise UsageError(
                f"{last.suite}/{last.task_id} has changed since the run: install the earlier version of the suite"
            )
        writer = last.writer or last.model
        replied = stored.get(last.condition)
        repairers = tuple(origin.get("repairers") or (writer,))
        if replied is None or not set(repairers) <= set(experiment.models):
            raise UsageError(f"the run is not a fork of {last.id}: its manifest lists different conditions or models")
        for condition, wanted in arms:
            if wanted != replied and (wanted[0] != replied[0] or wanted in stored.values()):
                continue  # the first answer replied to another prompt
            count = condition.few_shot
            shown = few_shot.examples(task, few_shot.pool(suite), count) if count else ()
            named = condition if repairers == (writer,) else replace(condition, name=f"{condition.name}@{writer}")
            other, first = repaired.setdefault(named.name, (last.condition, replied))
            if first != replied or (last.attempt and other != last.condition):
                raise UsageError(
                    f"the condition {named.name} would repair failures of both {other} and {last.condition}: choose "
                    "the episodes of one of them by their ids"
                )
            forks += [
                PlannedEpisode(model, task, suite.version, named, last.sample, shown, beginning) for model in repairers
            ]
    if not forks:
        raise UsageError("the failures are replies to another prompt: remove the settings that change the prompt")
    return forks


def _of_first(settings: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the settings of the prompt, and the other settings of first answers."""
    prompt, others = ({name: settings.get(name) for name in names} for names in (_OF_PROMPT, _OF_REPAIRS))
    return prompt, others


def digest_of(beginnings: Paths) -> str:
    return digest([[a.id for a in beginning] for beginning in beginnings])
