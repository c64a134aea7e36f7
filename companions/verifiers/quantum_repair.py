"""The repair loop of repair-bench as a multi-turn environment for `verifiers`.

Unsound tasks are omitted, and so are tasks whose test shares a process with the program, because a model would learn to
exploit such tasks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Self

import verifiers.v1 as vf
from pydantic import Field, model_validator

from repair_bench import suites
from repair_bench.agent.experiment import settings
from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.loop.steps import next_attempt
from repair_bench.agent.run_setup import with_recorded_suites
from repair_bench.agent.training.rollout import SEALED, Rollouts
from repair_bench.coroutines import run_to_end
from repair_bench.prompts.feedback import is_independent
from repair_bench.traces.faults import UsageError

__all__ = ["RepairEnv", "RepairTaskset"]


class RepairData(vf.TaskData):
    suite: str
    task_id: str
    framework: str


class RepairTask(vf.Task[RepairData, vf.State, vf.TaskConfig]):
    """A task for which the environment computes the reward."""


class RepairTasksetConfig(vf.TasksetConfig):
    """The experiment that defines the tasks and their prompts."""

    experiment: Path | None = None
    """An experiment file of `repair-bench run`. The experiment's models, samples and budget have no effect."""
    override: list[str] = Field(default_factory=list)
    """Fields of the experiment to override, each as PATH=VALUE."""
    data: Path | None = None
    """The folder with a suite's official files."""

    @model_validator(mode="after")
    def _with_drawn_suites(self) -> Self:
        """Draw the seeds of secret tasks once, because each process that serves episodes receives this config."""
        experiment = self.settled()
        drawn = with_recorded_suites(experiment).suites
        if drawn != experiment.suites:
            self.override = [*self.override, f"suites={json.dumps(drawn)}"]
        return self

    def settled(self) -> Experiment:
        """Return the experiment.

        Raises UsageError if the attempts of an episode would not form a single conversation.
        """
        experiment = settings.experiment(settings.collect(self.experiment, self.override, {}))
        conditions = experiment.conditions()
        if len(conditions) > 1:
            raise UsageError(
                f"a training environment must have exactly one condition, but the experiment has {len(conditions)}: "
                "set single values instead of lists"
            )
        (condition,) = conditions
        if condition.history != "whole" or is_independent(condition.feedback) or condition.assistant_prefill:
            raise UsageError(
                "in a training environment, each episode must be a single conversation: set history = whole, use no "
                "prefill, and choose a policy with feedback"
            )
        return experiment


class RepairTaskset(vf.Taskset[RepairTask, RepairTasksetConfig]):
    """The tasks of an experiment that are suitable for training."""

    def load(self) -> Iterator[RepairTask]:
        """Yield the tasks with the messages of their first attempts, without executing anything."""
        experiment, data = self.config.settled(), self.config.data
        loaded = [run_to_end(suites.load(name, data=data, rule=experiment.rule)) for name in experiment.suites]
        training = experiment.model_copy(update={"models": ("policy",), "samples": 1})
        for episode in training.episodes(loaded):
            task = episode.task
            if not task.sound or task.sealed not in SEALED:
                continue
            messages = next_attempt(episode, (), None).messages
            system = messages.pop(0)["content"] if messages[0]["role"] == "system" else None
            named = {"suite": task.suite, "task_id": task.id, "framework": task.framework}
            name = f"{task.suite}/{task.id} {task.framework}"
            shown = RepairData(name=name, prompt=messages, system_prompt=system, **named)
            yield RepairTask(shown, self.config.task)


class RepairEnvConfig(vf.EnvConfig):
    """The model being trained, and the weight of the second reward."""

    agent: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime=vf.SubprocessConfig())
    """The model being trained, without tools."""
    use_of_feedback: float = 0.5
    """The weight of the second reward (use of feedback) relative to the first."""


class RepairEnv(vf.Env[RepairEnvConfig]):
    """The environment, which runs one rollout of the loop per episode and gives the rewards `Rollout.solved` and
    `Rollout.use_of_feedback`.

    After an infrastructure error, the episode fails without a reward, and `verifiers` may repeat the episode.
    """

    async def start(self) -> None:
        self._opened = AsyncExitStack()
        taskset = self.taskset.config
        rollouts = Rollouts.opened(taskset.settled(), data=taskset.data)
        self._rollouts = await self._opened.enter_async_context(rollouts)

    async def stop(self) -> None:
        await self._opened.aclose()

    async def run(self, task: RepairTask, agents: vf.Agents) -> None:
        data = task.data
        rollout = self._rollouts.open(data.task_id, suite=data.suite, framework=data.framework)
        async with agents.agent.interaction(task) as interaction:
            segment = await interaction.turn()
            while not segment.terminated:
                finish_reason = "length" if interaction.trace.is_truncated else None
                result = await rollout.answer(_answer(segment), finish_reason=finish_reason)
                if result.done:
                    break
                segment = await interaction.turn(result.feedback)
        trace = interaction.trace
        trace.record_reward("solved", rollout.solved, 1.0)
        trace.record_reward("use_of_feedback", rollout.use_of_feedback, self.config.use_of_feedback)
        trace.record_metric("attempts", float(len(rollout.attempts)))


def _answer(segment: vf.Segment) -> str:
    texts = [message.content for message in segment.messages if isinstance(message, vf.AssistantMessage)]
    return texts[-1] or "" if texts else ""


def load_environment(**taskset: Any) -> RepairEnv:
    """Return the environment. `taskset`: values of `RepairTasksetConfig`."""
    return RepairEnv(RepairEnvConfig(taskset={"id": "quantum-repair", **taskset}))
