"""The environment, driven by `verifiers`: real conversations with a server on loopback as the model."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import math
import os
import random
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import quantum_repair
import verifiers.v1 as vf
from aiohttp import web
from aiohttp.test_utils import TestServer
from quantum_repair import RepairEnv, RepairEnvConfig, RepairTasksetConfig

import repair_bench
from repair_bench.traces.faults import UsageError

__all__ = ["Direct"]
HARNESS = "direct_harness"
ANSWERS = int(os.environ.get("REPAIR_BENCH_EPISODES", "40"))
"""The number of answers whose rewards are compared with `grade`."""
RAISES = "```python\ndef Bell_State():\n    return missing\n```"
RIGHT = """```python
from qiskit import QuantumCircuit
def Bell_State():
    qc = QuantumCircuit(2)
    qc.h(0)
    qc.cx(0, 1)
    return qc
```"""
BELL = ("aligned", "16", "qiskit")
OVERRIDE = ["suites=['aligned']", "frameworks=['qiskit']", "limit=20", "max_attempts=2"]


class HarnessConfig(vf.HarnessConfig):
    pass


class Direct(vf.Harness[HarnessConfig]):
    """A harness in this process, which sends one request per turn."""

    APPENDS_SYSTEM_PROMPT = SUPPORTS_RESUME = True
    EXECUTES_CODE = NEEDS_CONTAINER = False

    async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data):
        system, prompt = self.resolve_prompt(data)
        messages = [{"role": m.role, "content": m.content} for m in prompt]
        if system is not None:
            messages.insert(0, {"role": "system", "content": system})
        async with httpx.AsyncClient(timeout=600) as client:
            reply = await client.post(
                f"{endpoint}/chat/completions",
                json={"model": ctx.model, "messages": messages},
                headers={"Authorization": f"Bearer {secret}"},
            )
            reply.raise_for_status()
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")


class Provider:
    """An OpenAI-compatible server. The model "3" gives the answers of `scripts[3]` in order.

    `cut_off`: the answers that the server reports as truncated.
    """

    def __init__(self, scripts: Sequence[Sequence[str]], cut_off: Sequence[str] = ()) -> None:
        self.scripts, self.cut_off = scripts, cut_off
        self.asked: list[list[list[dict[str, Any]]]] = [[] for _ in scripts]

    async def complete(self, request: web.Request) -> web.Response:
        sent = await request.json()
        asked = self.asked[int(sent["model"])]
        asked.append(sent["messages"])
        text = self.scripts[int(sent["model"])][len(asked) - 1]
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "length" if text in self.cut_off else "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        reply = {"id": "1", "object": "chat.completion", "created": 0, "model": sent["model"], "usage": usage}
        return web.json_response({**reply, "choices": [choice]})

    @asynccontextmanager
    async def served(self) -> AsyncIterator[str]:
        app = web.Application(client_max_size=1 << 26)
        app.router.add_post("/v1/chat/completions", self.complete)
        async with TestServer(app) as server:
            yield str(server.make_url("/v1"))


@pytest.fixture(autouse=True)
def plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, HARNESS, sys.modules[__name__])
    monkeypatch.setattr(importlib.util, "find_spec", _find_spec(importlib.util.find_spec))
    monkeypatch.setenv("REPAIR_BENCH_NO_KEY", "none")


def _find_spec(found: Any) -> Any:
    return lambda name, package=None: None if HARNESS in name else found(name, package)


def play(provider: Provider, tasks: Sequence[tuple[str, str, str]], override: list[str]) -> list[Any]:
    """Run one episode per script. `tasks`: suite, id and framework of each, in the same order."""

    async def go() -> list[Any]:
        agent = {"harness": {"id": HARNESS.replace("_", "-")}, "runtime": {"type": "subprocess"}}
        taskset = {"id": "quantum-repair", "override": override}
        env = vf.load_environment(RepairEnvConfig(taskset=taskset, agent=agent))
        known = {(task.data.suite, task.data.task_id, task.data.framework): task for task in env.taskset}
        free = asyncio.Semaphore(16)
        async with provider.served() as address, env.serving():
            client = vf.EvalClientConfig(base_url=address, api_key_var="REPAIR_BENCH_NO_KEY")

            async def one(number: int) -> Any:
                async with free:
                    context = vf.ModelContext(model=str(number), client=client)
                    return await env.run_episode(known[tasks[number]], context)

            return await asyncio.gather(*map(one, range(len(tasks))))

    return asyncio.run(go())


def test_episodes_have_the_feedback_and_rewards_of_the_loop() -> None:
    half = "```python\ndef Bell_S"
    provider = Provider([[RAISES, RIGHT], ["no"] * 3, [half, RAISES, RIGHT]], cut_off=[half])
    episodes = play(provider, [BELL] * 3, OVERRIDE)
    assert [episode.errors for episode in episodes] == [[]] * 3
    rewards = [{name: reward.score for name, reward in episode.traces[0].rewards.items()} for episode in episodes]
    assert rewards == [
        {"solved": 1.0, "use_of_feedback": pytest.approx(2 / 3)},
        {"solved": 0.0, "use_of_feedback": 0.0},
        {"solved": 1.0, "use_of_feedback": pytest.approx(1 / 3)},
    ]
    assert [reward.weight for reward in episodes[0].traces[0].rewards.values()] == [1.0, 0.5]
    repaired, _, truncated = provider.asked
    assert [message["role"] for message in repaired[1]] == ["system", "user", "assistant", "user"]
    assert "NameError" in repaired[1][-1]["content"]
    assert ["truncated" in messages[-1]["content"] for messages in truncated[1:]] == [True, False]


def test_rewards_agree_with_grade(tmp_path: Path) -> None:
    frameworks, problems = ["qiskit", "pennylane", "cirq"], min(40, ANSWERS // 4)
    settings = {"models": ["sim/journeyman"], "suites": ["aligned"], "frameworks": frameworks, "limit": problems}
    settings |= {"samples": math.ceil(ANSWERS / problems / 3), "max_attempts": 1, "temperature": {"first": 0.8}}
    run = repair_bench.run(settings, out=tmp_path / "run", preflight=False)
    answers = [attempt.with_texts() for attempt in random.Random(0).sample(run.rows, ANSWERS)]
    lines = [{"task_id": a.task_id, "framework": a.framework, "completion": a.completion.text} for a in answers]
    graded = repair_bench.grade(lines, "aligned")
    tasks = [("aligned", answer.task_id, answer.framework) for answer in answers]
    override = ["suites=['aligned']", f"frameworks={frameworks}", "max_attempts=0"]
    episodes = play(Provider([[line["completion"]] for line in lines]), tasks, override)
    assert [episode.errors for episode in episodes] == [[]] * ANSWERS
    rewards = [episode.traces[0].rewards["solved"].score for episode in episodes]
    assert rewards == [float(line["verdict"] == "pass") for line in graded]
    print(f"{len(rewards):,} answers, {sum(rewards):,.0f} with reward 1")
    assert set(rewards) == {0.0, 1.0}


def test_environment_loads_tasks_as_json() -> None:
    env = quantum_repair.load_environment(override=["limit=3", "frameworks=['cirq']"])
    tasks = list(env.taskset)
    assert [task.data.framework for task in tasks] == ["cirq"] * 3
    assert json.dumps(tasks[0].data.model_dump(mode="json"))


@pytest.mark.parametrize("suite", ["conventions", "horizon"])
def test_secret_tasks_are_the_same_in_every_process(suite: str) -> None:
    env = quantum_repair.load_environment(override=[f"suites=['{suite}']", "frameworks=['qiskit']", "limit=2"])
    tasks = list(env.taskset)
    assert len(tasks) > 0

    async def served() -> list[Any]:
        other = RepairEnv(RepairEnvConfig.model_validate(env.config.model_dump(mode="json")))
        await other.start()
        try:
            found = [(one.data.task_id, one.data.suite, one.data.framework) for one in tasks]
            return [other._rollouts.open(t, suite=s, framework=f).messages for t, s, f in found]
        finally:
            await other.stop()

    shown = [[{"role": m.role, "content": m.content} for m in one.data.prompt] for one in tasks]
    systems = [[{"role": "system", "content": one.data.system_prompt}] for one in tasks]
    assert [system + prompt for system, prompt in zip(systems, shown, strict=True)] == asyncio.run(served())


@pytest.mark.parametrize(
    "field", ["repair.history=last", "repair.feedback=none", "repair.feedback=['default','verdict']"]
)
def test_experiment_without_a_conversation_is_refused(field: str) -> None:
    with pytest.raises(UsageError, match=r"conversation|one condition"):
        RepairTasksetConfig(override=[field]).settled()
