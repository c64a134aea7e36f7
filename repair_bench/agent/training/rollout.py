"""Run episodes with answers from an external model, for a trainer's environment and for the HTTP service.

Messages, verdicts and feedback come from the steps of the repair loop (`agent.loop.steps`). A model is therefore
trained on exactly the task on which it is evaluated. Nothing is recorded.
"""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Sequence
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
from repair_bench.prompts.feedback import PlaceboSource, consults, needs_placebo_source
from repair_bench.suites.task import Suite
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Attempt, Completion, VerdictKind

POLICY = "policy"
"""The name of the model being trained, as used in the ids of its attempts."""
SEALED = ("data", "stub")
"""The isolation modes whose verdicts are safe for training. With any other isolation mode, a model would learn to
exploit the tests."""


@dataclass(frozen=True)
class StepResult:
    """The verdict, reward (1 or 0) and feedback of an answer, without the evidence. `feedback`: None when `done`."""

    verdict: VerdictKind
    reward: float
    feedback: str | None
    done: bool


class Rollout:
    """One episode, which accepts one answer at a time.

    `placebo_sources`: failures on other tasks, for placebo feedback.
    """

    def __init__(
        self, episode: PlannedEpisode, executor: Executor, placebo_sources: Sequence[PlaceboSource] = ()
    ) -> None:
        self.episode = episode
        self.attempts: list[Attempt] = []
        """The judged attempts, without their outcomes."""
        self._executor = executor
        self._placebo_sources = placebo_sources
        self._turn: Attempt | None = next_attempt(episode, (), None)

    @property
    def done(self) -> bool:
        """Whether the rollout is over: the last answer passed, or no repairs are left."""
        return self._turn is None

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation to which the next answer belongs; empty when the rollout is done."""
        return [] if self._turn is None else self._turn.messages

    async def answer(self, text: str, *, finish_reason: str | None = None) -> StepResult:
        """Judge an answer and prepare the next attempt.

        `finish_reason`: the provider's finish reason, such as "length". Raises ValueError when the rollout is done.
        Raises a `Fault` for an infrastructure error; the same answer can then be sent again.
        """
        if self._turn is None:
            raise ValueError("the rollout has ended: open a new rollout")
        turn = dataclasses.replace(self._turn, completion=Completion(text, finish_reason=finish_reason))
        ran, judged = await run_answer(self.episode, turn, self._executor)
        last = dataclasses.replace(ran, verdict=judged.verdict, outcome=None)
        attempts = [*self.attempts, last]
        feedback = None if is_over(self.episode, last) else feedback_for(self.episode, last, self._placebo_sources)
        following = None if feedback is None else next_attempt(self.episode, attempts, feedback)
        self.attempts, self._turn = attempts, following  # last, so that an error above changes nothing
        shown = None if feedback is None else feedback.text
        return StepResult(judged.verdict.kind, float(last.passed), shown, self.done)

    @property
    def solved(self) -> float:
        """The reward so far: 1 if the last answer passed, otherwise 0."""
        return float(bool(self.attempts) and self.attempts[-1].passed)

    @property
    def use_of_feedback(self) -> float:
        """The normalised area under the episode's repair curve.

        The repair curve is 1 at k if the episode is solved within k repairs, and 0 otherwise. The normalised area is
        the mean of the curve over k = 0..N.

        The area is 1 if the first answer passes, decreases with each further repair, and is 0 if no answer passes.
        Feedback utilisation (`analysis.feedback_use`) is computed from the mean of this area over all episodes. A model
        cannot increase the area under its repair curve by failing deliberately.
        """
        if not self.attempts:
            return 0.0
        repairs = self.episode.condition.max_attempts
        return area(Episode(tuple(self.attempts)), repairs) / (repairs + 1)


class Rollouts:
    """Opens rollouts for the tasks and conditions of an experiment.

    Raises UsageError if a setting of the experiment is not supported.
    """

    def __init__(
        self,
        experiment: Experiment,
        suites: Sequence[Suite],
        executor: Executor,
        placebo_sources: Sequence[PlaceboSource] = (),
    ) -> None:
        if experiment.rule in SAMPLED_RULES:
            raise UsageError(
                f"the rule {experiment.rule} uses random shots, but rewards must be deterministic: choose another rule"
            )
        for condition in experiment.conditions():
            unsupported = {
                "tools.python": condition.tools,
                "tools.ask": condition.ask,
                "repair.probe": condition.probe,
                f"the feedback policy {condition.feedback}, which needs a critic or tool": consults(condition.feedback),
                "first_answers": experiment.first_answers,
            }
            if name := next((name for name, used in unsupported.items() if used), None):
                raise UsageError(f"a rollout does not support {name}: remove this setting")
        training = experiment.model_copy(update={"models": (POLICY,), "samples": 1})
        self.episodes = training.episodes(suites)
        check_tasks(training, suites, self.episodes)
        self.max_attempts = experiment.max_attempts
        self._executor = executor
        self._placebo_sources = placebo_sources

    @classmethod
    @asynccontextmanager
    async def opened(
        cls, experiment: Experiment, *, data: Path | None = None, executor: ExecutorOptions | None = None
    ) -> AsyncIterator[Self]:
        """Load the suites and start the sandbox; the sandbox stops when the context ends.

        Raises UsageError if a run of the experiment would raise it.
        """
        check_settings(experiment)
        options = dataclasses.replace(executor or ExecutorOptions(), pythons=experiment.pythons)
        async with options.open(data) as opened:
            experiment = run_setup.with_recorded_suites(experiment)
            suites, _ = await run_setup.prepare(experiment, data, opened, {})
            needed = any(needs_placebo_source(policy) for policy in experiment.repair.feedback)
            placebo_sources = await run_setup.make_placebo_sources(experiment, suites, opened) if needed else ()
            yield cls(experiment, suites, opened, placebo_sources)

    @property
    def conditions(self) -> list[str]:
        """The names of the conditions; the first condition is the default."""
        return list(dict.fromkeys(episode.condition.name for episode in self.episodes))

    def tasks(self) -> list[dict[str, Any]]:
        """Return the tasks as JSON data. `sound`: whether verdicts are reliable. `sealed`: the isolation mode."""
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
        """Open a rollout, by default under the first condition. `sample` seeds the placebo. Raises UsageError."""
        wanted = {"task_id": task_id, "suite": suite, "framework": framework}
        wanted["condition"] = condition or self.conditions[0]
        given = {name: value for name, value in wanted.items() if value is not None}
        found = [episode for episode in self.episodes if given.items() <= _names(episode).items()]
        if not found:
            named = ", ".join(f"{name} {value!r}" for name, value in given.items())
            raise UsageError(f"there is no task with {named}: choose a task from the list")
        if len(found) > 1:
            choices = sorted({f"{episode.task.suite} in {episode.task.framework}" for episode in found})
            raise UsageError(f"task {task_id!r} is ambiguous: set suite and framework to one of {', '.join(choices)}")
        return Rollout(dataclasses.replace(found[0], sample=sample), self._executor, self._placebo_sources)


def _names(episode: PlannedEpisode) -> dict[str, str]:
    task = episode.task
    return {"task_id": task.id, "suite": task.suite, "framework": task.framework, "condition": episode.condition.name}
