"""The loop as an environment for `verifiers` (extra `repair-bench[verifiers]`): many turns, our feedback, our verdict.

A plug-in of `verifiers` is a module at the top level: a file of yours that imports `RepairTaskset` and `RepairEnv` and
lists them in its `__all__` is one. Tasks that are not sound, or whose test runs beside the program, are left out: a
model would learn what passes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

from pydantic import Field

from repair_bench import suites
from repair_bench.agent.experiment import settings
from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.loop.steps import next_attempt
from repair_bench.agent.training.rollout import SEALED, Rollouts
from repair_bench.coroutines import run_to_end
from repair_bench.prompts.feedback import is_independent
from repair_bench.traces.faults import UsageError

try:
    import verifiers.v1 as vf
except ImportError:
    raise UsageError("the environment needs verifiers: pip install 'repair-bench[verifiers]'") from None

__all__ = ["RepairEnv", "RepairTaskset"]


class RepairData(vf.TaskData):  # type: ignore[misc]
    """A task as its trace keeps it."""

    suite: str
    task_id: str
    framework: str


class RepairTask(vf.Task[RepairData, vf.State, vf.TaskConfig]):  # type: ignore[misc]
    """A task; the environment rewards it."""


class RepairTasksetConfig(vf.TasksetConfig):  # type: ignore[misc]
    """Which tasks, and how they are put."""

    experiment: Path | None = None
    """An experiment file, as `repair-bench run` takes it. Its models, samples and budget play no part."""
    override: list[str] = Field(default_factory=list)
    """Fields of the experiment, each as PATH=VALUE."""
    data: Path | None = None
    """The folder with a suite's official files."""

    def settled(self) -> Experiment:
        """The experiment. Raises UsageError for one that no conversation can follow."""
        experiment = settings.experiment(settings.collect(self.experiment, self.override, {}))
        conditions = experiment.conditions()
        if len(conditions) > 1:
            raise UsageError(f"an environment has one condition, and these are {len(conditions)}: leave the lists out")
        (condition,) = conditions
        if condition.history != "whole" or is_independent(condition.feedback) or condition.assistant_prefill:
            raise UsageError(
                "an environment goes on with a conversation: history = whole, no prefill, and no new samples"
            )
        return experiment


class RepairTaskset(vf.Taskset[RepairTask, RepairTasksetConfig]):  # type: ignore[misc]
    """The tasks of an experiment that may be learned from."""

    def load(self) -> Iterator[RepairTask]:
        """One task for each, with the messages of its first attempt. Nothing is executed."""
        experiment, data = self.config.settled(), self.config.data
        loaded = [run_to_end(suites.load(name, data=data, rule=experiment.rule)) for name in experiment.suites]
        asked = experiment.model_copy(update={"models": ("policy",), "samples": 1})
        for episode in asked.episodes(loaded):
            task = episode.task
            if not task.sound or task.sealed not in SEALED:
                continue
            messages = next_attempt(episode, (), None).messages
            system = messages.pop(0)["content"] if messages[0]["role"] == "system" else None
            named = {"suite": task.suite, "task_id": task.id, "framework": task.framework}
            name = f"{task.suite}/{task.id} {task.framework}"
            shown = RepairData(name=name, prompt=messages, system_prompt=system, **named)
            yield RepairTask(shown, self.config.task)


class RepairEnvConfig(vf.EnvConfig):  # type: ignore[misc]
    """Who answers, and what counts."""

    agent: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime=vf.SubprocessConfig())
    """The model under training: a conversation without tools."""
    use_of_feedback: float = 0.5
    """What the second reward weighs beside the first."""


class RepairEnv(vf.Env[RepairEnvConfig]):  # type: ignore[misc]
    """A rollout of the loop for each episode. Two rewards: `Rollout.solved` and `Rollout.use_of_feedback`.

    A fault on our side fails the episode, which `verifiers` may repeat; it is never a reward of 0.
    """

    async def start(self) -> None:
        """Load the suites and start the sandbox, for all episodes."""
        self._opened = AsyncExitStack()
        taskset = self.taskset.config
        opening = Rollouts.opened(taskset.settled(), data=taskset.data)
        self._rollouts = await self._opened.enter_async_context(opening)

    async def stop(self) -> None:
        """Put both away."""
        await self._opened.aclose()

    async def run(self, task: RepairTask, agents: vf.Agents) -> None:
        """One episode: answers and feedback in turn, until one passes or no repair is left."""
        data = task.data
        rollout = self._rollouts.open(data.task_id, suite=data.suite, framework=data.framework)
        async with agents.agent.interaction(task) as interaction:
            segment = await interaction.turn()
            while not segment.terminated:
                finish_reason = "length" if interaction.trace.is_truncated else None
                answered = await rollout.answer(_answer(segment), finish_reason=finish_reason)
                if answered.done:
                    break
                segment = await interaction.turn(answered.feedback)
        trace = interaction.trace
        trace.record_reward("solved", rollout.solved, 1.0)
        trace.record_reward("use_of_feedback", rollout.use_of_feedback, self.config.use_of_feedback)
        trace.record_metric("attempts", float(len(rollout.attempts)))


def _answer(segment: vf.Segment) -> str:
    """Return the model's last message with its white space, which may begin the body of a function."""
    texts = [message.content for message in segment.messages if isinstance(message, vf.AssistantMessage)]
    return texts[-1] or "" if texts else ""
