"""The environment for `verifiers`, driven by verifiers itself: a real conversation, our feedback, our rewards."""

import asyncio
import importlib
import json
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from repair_bench import suites
from repair_bench.suites.task import Task
from repair_bench.traces.faults import UsageError

vf = pytest.importorskip("verifiers.v1", reason="verifiers is not installed: pip install 'repair-bench[verifiers]'")
from repair_bench.agent.training.environment import RepairEnvConfig, RepairTasksetConfig  # noqa: E402

PLUGIN = """
from repair_bench.agent.training.environment import RepairEnv, RepairTaskset

__all__ = ["RepairEnv", "RepairTaskset"]
"""
HARNESS = """
import httpx
import verifiers.v1 as vf

__all__ = ["Direct"]


class Config(vf.HarnessConfig):
    pass


class Direct(vf.Harness[Config]):
    '''Asks in this process, so that no program need be installed.'''

    APPENDS_SYSTEM_PROMPT = SUPPORTS_RESUME = True
    EXECUTES_CODE = NEEDS_CONTAINER = False

    async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data):
        system, prompt = self.resolve_prompt(data)
        messages = [{"role": m.role, "content": m.content} for m in prompt]
        if system is not None:
            messages.insert(0, {"role": "system", "content": system})
        async with httpx.AsyncClient(timeout=60) as client:
            headers = {"Authorization": f"Bearer {secret}"}
            reply = await client.post(
                f"{endpoint}/chat/completions", json={"model": ctx.model, "messages": messages}, headers=headers
            )
            reply.raise_for_status()
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")
"""
RAISES = "```python\ndef Bell_State():\n    return missing\n```"


class Provider:
    """An OpenAI-compatible server that says what it is told to, and keeps what it was asked."""

    def __init__(self, answers: list[str]) -> None:
        self.answers, self.asked = answers, list[list[dict[str, Any]]]()

    async def complete(self, request: web.Request) -> web.Response:
        self.asked.append((await request.json())["messages"])
        message = {"role": "assistant", "content": self.answers[len(self.asked) - 1]}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        return web.json_response(
            {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": usage}
        )


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "quantum_repair.py").write_text(PLUGIN)
    (tmp_path / "direct_harness.py").write_text(HARNESS)
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    return "quantum_repair"


OVERRIDE = ["suites=['aligned']", "frameworks=['qiskit']", "limit=20", "max_attempts=2"]


def played(plugin: str, answers: list[str]) -> tuple[Any, list[list[dict[str, Any]]]]:
    provider = Provider(answers)

    async def go() -> Any:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", provider.complete)
        async with TestServer(app) as server:
            config = RepairEnvConfig(
                taskset={"id": plugin, "override": OVERRIDE},
                agent={"harness": {"id": "direct-harness"}, "runtime": {"type": "subprocess"}},
            )
            env = vf.load_environment(config)
            (task,) = (task for task in env.taskset if task.data.task_id == "16")
            client = vf.EvalClientConfig(base_url=str(server.make_url("/v1")), api_key_var="NO_KEY")
            async with env.serving():
                return await env.run_episode(task, vf.ModelContext(model="m", client=client))

    return asyncio.run(go()), provider.asked


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_an_episode_is_told_and_rewarded_as_the_loop_does(
    plugin: str, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_KEY", "none")
    right = f"```python\n{task.reference}```"
    episode, asked = played(plugin, [RAISES, right])
    assert episode.errors == []
    (trace,) = episode.traces
    rewards = {name: (reward.score, reward.weight) for name, reward in trace.rewards.items()}
    assert rewards == {"solved": (1.0, 1.0), "use_of_feedback": (pytest.approx(2 / 3), 0.5)}
    assert "NameError" in asked[1][-1]["content"]
    assert [message["role"] for message in asked[1]] == ["system", "user", "assistant", "user"]
    episode, asked = played(plugin, ["no"] * 3)
    assert [reward.score for reward in episode.traces[0].rewards.values()] == [0.0, 0.0]
    assert len(asked) == 3


def test_a_task_is_data_that_a_trace_can_keep(plugin: str) -> None:
    taskset = vf.load_taskset(RepairTasksetConfig(id=plugin, override=["limit=3", "frameworks=['cirq']"]))
    tasks = list(taskset)
    assert [task.data.framework for task in tasks] == ["cirq"] * 3
    assert json.dumps(tasks[0].data.model_dump(mode="json"))


@pytest.mark.slow
def test_it_asks_for_what_may_be_learned_from_alone(plugin: str, datasets: Path) -> None:
    override = ["suites=['qiskit-humaneval']", "frameworks=['qiskit']"]
    taskset = vf.load_taskset(RepairTasksetConfig(id=plugin, override=override, data=datasets))
    suite = asyncio.run(suites.load("qiskit-humaneval", data=datasets))
    sound = [task for task in suite.tasks if task.sound]
    assert {task.data.task_id for task in taskset} == {task.id for task in sound if task.sealed == "stub"}
    assert {task.sealed for task in sound} == {"stub", "guarded"}


@pytest.mark.parametrize(
    "field", ["repair.history=last", "repair.feedback=none", "repair.feedback=['default','verdict']"]
)
def test_what_is_no_conversation_is_refused(field: str) -> None:
    with pytest.raises(UsageError, match=r"conversation|one condition"):
        RepairTasksetConfig(override=[field]).settled()
