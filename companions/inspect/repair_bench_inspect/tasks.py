"""The suites of repair-bench as a task of Inspect.

Inspect queries the model; prompts, feedback, sandbox and verdicts are those of repair-bench.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.hooks import Hooks, RunEnd, hooks
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageTool, ChatMessageUser
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from repair_bench.agent.experiment import settings
from repair_bench.agent.run_setup import with_recorded_suites
from repair_bench.agent.training.rollout import Rollout, Rollouts
from repair_bench.coroutines import run_to_end

_ROLES = (ChatMessageSystem, ChatMessageUser, ChatMessageAssistant, ChatMessageTool)
MESSAGES = dict(zip(("system", "user", "assistant", "tool"), _ROLES, strict=True))
_CUT = ("max_tokens", "model_length")
_open: dict[asyncio.AbstractEventLoop, tuple[AsyncExitStack, dict[str, asyncio.Task[Rollouts]]]] = {}
"""The sandboxes of a run of Inspect. Samples with the same settings share one."""


@task
def repair(
    suite: str = "aligned",
    framework: str | list[str] = "qiskit",
    feedback: str = "default",
    repairs: int = 4,
    data: str | None = None,
) -> Task:
    """Answer the tasks of a suite, and repair each failed answer.

    `framework`: one or several frameworks. `feedback`: the policy. `repairs`: the maximum number of repairs after the
    first answer. `data`: the folder with the official files of the suite.
    """
    frameworks = [framework] if isinstance(framework, str) else framework
    given = {"suites": [suite], "frameworks": frameworks, "max_attempts": repairs, "repair": {"feedback": [feedback]}}
    given["suites"] = list(with_recorded_suites(settings.experiment(given)).suites)  # draws secret conventions once
    samples = run_to_end(_samples(given, data))
    return Task(dataset=samples, solver=repair_loop(given, data), scorer=graded(given, data), name=suite)


async def _samples(given: dict[str, Any], data: str | None) -> list[Sample]:
    names, samples = ("task_id", "suite", "framework"), []
    async with _opened(given, data) as rollouts:
        for entry in rollouts.tasks():
            messages = _messages(rollouts.open(**{name: entry[name] for name in names}))
            metadata = {name: entry[name] for name in (*names, "category", "difficulty")}
            samples.append(Sample(id=f"{entry['task_id']} {entry['framework']}", input=messages, metadata=metadata))
    return samples


@solver
def repair_loop(given: dict[str, Any], data: str | None = None) -> Solver:
    """Generate an answer, and repair the answer until it passes or no repair is left."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        rollout = await _rollout(given, data, state)
        while not rollout.done:
            state.messages = _messages(rollout)
            state = await generate(state)
            cut = "length" if state.output.stop_reason in _CUT else None
            result = await rollout.answer(state.output.completion, finish_reason=cut)
            transcript().info({"verdict": result.verdict, "feedback": result.feedback}, source="repair-bench")
            state.store.set("attempts", len(rollout.attempts))
        return state

    return solve


@scorer(metrics={"*": [mean(), stderr(cluster="task_id")]})
def graded(given: dict[str, Any], data: str | None = None) -> Scorer:
    """Grade the last answer. `first_answer`: solved without a repair; `repaired`: solved within all repairs."""

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - the task has its own check
        rollout = await _rollout(given, data, state)
        result = await rollout.answer(state.output.completion)
        first = result.reward if state.store.get("attempts") == 1 else 0.0
        value = {"first_answer": first, "repaired": result.reward}
        return Score(value=value, answer=rollout.attempts[0].code, explanation=result.verdict)

    return score


def _messages(rollout: Rollout) -> list[ChatMessage]:
    return [MESSAGES[message["role"]](content=message["content"]) for message in rollout.messages]


async def _rollout(given: dict[str, Any], data: str | None, state: TaskState) -> Rollout:
    stack, opened = _open.setdefault(asyncio.get_running_loop(), (AsyncExitStack(), {}))
    key = json.dumps([given, data])
    if key not in opened:
        opened[key] = asyncio.ensure_future(stack.enter_async_context(_opened(given, data)))
    rollouts = await asyncio.shield(opened[key])
    return rollouts.open(**{name: state.metadata[name] for name in ("task_id", "suite", "framework")})


def _opened(given: dict[str, Any], data: str | None) -> Any:
    return Rollouts.opened(settings.experiment(given), data=None if data is None else Path(data))


@hooks(name="repair_bench", description="Stops the sandboxes of repair-bench at the end of a run.")
class StopSandboxes(Hooks):
    async def on_run_end(self, data: RunEnd) -> None:  # noqa: ARG002
        stack, _ = _open.pop(asyncio.get_running_loop(), (AsyncExitStack(), {}))
        await stack.aclose()
