"""Episodes driven by `verifiers`, with a test server as the model and a harness in this process."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import verifiers.v1 as vf
from aiohttp import web
from aiohttp.test_utils import TestServer

from repair_bench.agent.training.environment import RepairEnvConfig

PLUGIN, HARNESS = "quantum_repair", "direct_harness"
SOURCES = {
    PLUGIN: """
from repair_bench.agent.training.environment import RepairEnv, RepairTaskset

__all__ = ["RepairEnv", "RepairTaskset"]
""",
    HARNESS: """
import httpx
import verifiers.v1 as vf

__all__ = ["Direct"]


class Config(vf.HarnessConfig):
    pass


class Direct(vf.Harness[Config]):
    APPENDS_SYSTEM_PROMPT = SUPPORTS_RESUME = True
    EXECUTES_CODE = NEEDS_CONTAINER = False

    async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data):
        system, prompt = self.resolve_prompt(data)
        messages = [{"role": m.role, "content": m.content} for m in prompt]
        if system is not None:
            messages.insert(0, {"role": "system", "content": system})
        async with httpx.AsyncClient(timeout=600) as client:
            headers = {"Authorization": f"Bearer {secret}"}
            reply = await client.post(
                f"{endpoint}/chat/completions", json={"model": ctx.model, "messages": messages}, headers=headers
            )
            reply.raise_for_status()
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")
""",
}
"""The plug-ins of `verifiers`: top-level modules."""
KEY = "REPAIR_BENCH_NO_KEY"


@dataclass
class Provider:
    """An OpenAI-compatible server.

    The model "3" gives the answers of `scripts[3]` in order. `cut_off`: the answers that it reports as truncated.
    `asked`: the messages that each model received.
    """

    scripts: Sequence[Sequence[str]]
    cut_off: frozenset[str] = frozenset()
    asked: list[list[list[dict[str, Any]]]] = field(init=False)

    def __post_init__(self) -> None:
        self.asked = [[] for _ in self.scripts]

    async def complete(self, request: web.Request) -> web.Response:
        sent = await request.json()
        asked = self.asked[int(sent["model"])]
        asked.append(sent["messages"])
        text = self.scripts[int(sent["model"])][len(asked) - 1]
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "length" if text in self.cut_off else "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        told = {"id": "1", "object": "chat.completion", "created": 0, "model": sent["model"], "usage": usage}
        return web.json_response({**told, "choices": [choice]})

    @asynccontextmanager
    async def served(self) -> AsyncIterator[str]:
        """Serve it within the context, and yield its address."""
        app = web.Application(client_max_size=1 << 26)
        app.router.add_post("/v1/chat/completions", self.complete)
        async with TestServer(app) as server:
            yield str(server.make_url("/v1"))


async def play(
    provider: Provider, tasks: Sequence[tuple[str, str, str]], taskset: dict[str, Any], at_once: int = 16
) -> list[Any]:
    """Run one episode of `verifiers` per script of the provider. `tasks`: suite, id and framework of each, in the same
    order. `taskset`: options of `RepairTasksetConfig`.
    """
    os.environ[KEY] = "none"
    agent = {"harness": {"id": HARNESS.replace("_", "-")}, "runtime": {"type": "subprocess"}}
    env = vf.load_environment(RepairEnvConfig(taskset={"id": PLUGIN, **taskset}, agent=agent))
    asked = {(task.data.suite, task.data.task_id, task.data.framework): task for task in env.taskset}
    free = asyncio.Semaphore(at_once)
    async with provider.served() as address, env.serving():
        client = vf.EvalClientConfig(base_url=address, api_key_var=KEY)

        async def one(number: int) -> Any:
            async with free:
                return await env.run_episode(asked[tasks[number]], vf.ModelContext(model=str(number), client=client))

        return await asyncio.gather(*map(one, range(len(tasks))))
