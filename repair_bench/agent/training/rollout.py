"""An episode whose answers come from outside: what an environment of a trainer and an HTTP service have in common.

Messages, verdict and feedback are made by the steps of the loop (`agent.loop.steps`): the same prompt, seed, judge and
policy, so that a model is trained on what it is measured by. Nothing is recorded.
"""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from repair_bench.agent import run_setup
from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.experiment.feasibility import check_settings, check_tasks
from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.loop.steps import feedback_for, is_over, next_attempt, run_answer
from repair_bench.analysis.rates.curves import area
from repair_bench.analysis.rates.metrics import Episode
from repair_bench.analysis.runs.notices import SAMPLED_RULES
from repair_bench.executors.options import ExecutorOptions
from repair_bench.executors.program import Executor
from repair_bench.prompts.feedback import PlaceboSource, needs_placebo_source
from repair_bench.suites.task import Suite
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Attempt, Completion, VerdictKind

POLICY = "policy"
"""What the model under training is called in the names of its attempts."""
SEALED = ("data", "stub")
"""How a test must be kept from the program for a pass to be learned from: a model that is trained finds every gap."""


@dataclass(frozen=True)
class StepResult:
    """What came of an answer.

    `reward`: 1 where it passed, else 0. `feedback`: what the model is told of it; None where the rollout is `done`. The
    evidence of the verdict is not handed on, for it may hold what the grader expects.
    """

    verdict: VerdictKind
    reward: float
    feedback: str | None
    done: bool


class Rollout:
    """One episode, an answer at a time. Answers must not overlap."""

    def __init__(self, episode: PlannedEpisode, executor: Executor, donors: Sequence[PlaceboSource] = ()) -> None:
        """`donors`: other tasks' failures, for the placebo."""
        self.episode = episode
        self.attempts: list[Attempt] = []
        """Those that were judged, without what their programs returned."""
        self._executor = executor
        self._donors = donors
        self._turn: Attempt | None = next_attempt(episode, (), None)

    @property
    def done(self) -> bool:
        """Whether nothing more is to be answered: the last answer passed, or no repair is left."""
        return self._turn is None

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation that is to be answered now; empty when the rollout is done."""
        return [] if self._turn is None else self._turn.messages

    async def answer(self, text: str, *, finish_reason: str | None = None) -> StepResult:
        """Judge an answer and go on. `finish_reason`: the provider's; "length" tells an answer that was cut off.

        Raises a `Fault` for what is broken on our side: the answer is not counted, and can be given again. Raises
        ValueError when the rollout is done.
        """
        if self._turn is None:
            raise ValueError("the rollout is done: open another one")
        asked = dataclasses.replace(self._turn, completion=Completion(text, finish_reason=finish_reason))
        ran, judged = await run_answer(self.episode, asked, self._executor)
        verdict = judged.verdict
        last = dataclasses.replace(ran, verdict=verdict, outcome=None)
        attempts = [*self.attempts, last]
        feedback = None if is_over(self.episode, last) else feedback_for(self.episode, last, self._donors)
        turn = None if feedback is None else next_attempt(self.episode, attempts, feedback)
        self.attempts, self._turn = attempts, turn  # together, and last: what raises before leaves all as it was
        told = None if feedback is None else feedback.text
        return StepResult(verdict.kind, float(last.passed), told, self._turn is None)

    @property
    def solved(self) -> float:
        """The reward so far: 1 where the last answer passed, else 0; what `grade` says of that answer."""
        return float(bool(self.attempts) and self.attempts[-1].passed)

    @property
    def use_of_feedback(self) -> float:
        """The area under its own repair curve, as a share: the mean of solved within 0, 1, ..., N repairs.

        1 where the first answer passes, less for every feedback that was needed, 0 where none helped. Use of feedback
        (`analysis.information`) rises with its mean and with nothing else, and failing on purpose never pays.
        """
        if not self.attempts:
            return 0.0
        repairs = self.episode.condition.max_attempts
        return area(Episode(tuple(self.attempts)), repairs) / (repairs + 1)


class Rollouts:
    """The tasks and conditions of an experiment, to be opened as rollouts. Its models and budget play no part."""

    def __init__(
        self, experiment: Experiment, suites: Sequence[Suite], executor: Executor, donors: Sequence[PlaceboSource] = ()
    ) -> None:
        """Raises UsageError for an experiment that rollouts cannot follow."""
        if experiment.rule in SAMPLED_RULES:
            raise UsageError(
                f"the rule {experiment.rule} draws shots, and a reward must not depend on luck: leave it out"
            )
        if any(condition.tools for condition in experiment.conditions()):
            raise UsageError("a rollout runs no programs between its answers: leave tools.python out")
        asked = experiment.model_copy(update={"models": (POLICY,), "samples": 1})
        self.episodes = asked.episodes(suites)
        check_tasks(asked, suites, self.episodes)
        self.max_attempts = experiment.max_attempts
        self._executor = executor
        self._donors = donors

    @classmethod
    @asynccontextmanager
    async def opened(
        cls, experiment: Experiment, *, data: Path | None = None, executor: ExecutorOptions | None = None
    ) -> AsyncIterator[Self]:
        """Load the suites and start the sandbox; both are put away on leaving. Raises UsageError as a run does."""
        check_settings(experiment)
        options = dataclasses.replace(executor or ExecutorOptions(), pythons=experiment.pythons)
        async with options.open(data) as opened:
            experiment = run_setup.with_recorded_suites(experiment)
            suites, _ = await run_setup.prepare(experiment, data, opened, {})
            needed = any(needs_placebo_source(policy) for policy in experiment.repair.feedback)
            donors = await run_setup.make_donors(experiment, suites, opened) if needed else ()
            yield cls(experiment, suites, opened, donors)

    @property
    def conditions(self) -> list[str]:
        """The names of the conditions; the first is the one where none is named."""
        return list(dict.fromkeys(episode.condition.name for episode in self.episodes))

    def tasks(self) -> list[dict[str, Any]]:
        """What can be asked, as JSON data. `sound`: whether a pass and a failure both mean what they say. `sealed`: how
        the test is kept from the program, see `SEALED`.
        """
        tasks = {id(episode.task): episode.task for episode in self.episodes}.values()
        names = ("suite", "framework", "category", "difficulty", "title", "sound", "sealed")
        return [{"task_id": task.id, **{name: getattr(task, name) for name in names}} for task in tasks]

    def open(
        self,
        task_id: str,
        *,
        suite: str | None = None,
        framework: str | None = None,
        condition: str | None = None,
        sample: int = 0,
    ) -> Rollout:
        """A rollout of a task. What is None need not be named where there is one alone; of conditions it is the first.

        `sample`: which of several rollouts of the task, where the placebo draws. Raises UsageError for what there is
        not.
        """
        wanted = {"task_id": task_id, "suite": suite, "framework": framework}
        wanted["condition"] = condition or self.conditions[0]
        found = [episode for episode in self.episodes if _is(episode, wanted)]
        if not found:
            named = ", ".join(f"{name} {value!r}" for name, value in wanted.items() if value is not None)
            raise UsageError(f"there is no task with {named}: the list of tasks has those that there are")
        if len(found) > 1:
            choices = sorted({f"{episode.task.suite} in {episode.task.framework}" for episode in found})
            raise UsageError(
                f"task {task_id!r} is there more than once: name suite and framework of {', '.join(choices)}"
            )
        return Rollout(dataclasses.replace(found[0], sample=sample), self._executor, self._donors)


def _is(episode: PlannedEpisode, wanted: Mapping[str, str | None]) -> bool:
    task = episode.task
    values = {"task_id": task.id, "suite": task.suite, "framework": task.framework, "condition": episode.condition.name}
    return all(value is None or values[name] == value for name, value in wanted.items())
