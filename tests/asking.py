"""Requests to a model, sent as a run sends them."""

import asyncio
import dataclasses
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from server.scripted import Script, ScriptedServer

from repair_bench.agent.experiment.spending_limits import SpendingLimits
from repair_bench.agent.loop.ask import Asker
from repair_bench.agent.models.base import Model, Request
from repair_bench.agent.models.network.client import LiteLLMModel
from repair_bench.agent.models.network.providers import ProviderSettings
from repair_bench.agent.models.retry import RetryPolicy
from repair_bench.coroutines import run_to_end
from repair_bench.suites.task import Task
from repair_bench.traces.record.records import Completion
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.store import RunStore

KEY = "sk-canary-0123456789abcdef"
TASK = Task("suite", "01", "qiskit", "f", "words", "def f():", check=None, category="algorithm")  # type: ignore[arg-type]
REQUEST = Request([{"role": "user", "content": "Prepare a Bell state."}], 0.0, 64, 5, TASK, 0, 0)


async def answer_of(model: Model, request: Request, told: Callable[[str], None] = lambda _: None) -> Completion:
    """Return the answer, in a separate run without limits. `told`: collects the reasons for repeats."""
    with tempfile.TemporaryDirectory() as folder:
        store = RunStore.create(Path(folder, "run"), Manifest.from_json({"experiment": {}}))
        try:
            return await answer_in(store, SpendingLimits(None, None, store.spending), model, request, "k", told)
        finally:
            await store.close()


async def answer_in(
    store: RunStore,
    budget: SpendingLimits,
    model: Model,
    request: Request,
    key: str,
    told: Callable[[str], None] = lambda _: None,
) -> Completion:
    """Return the answer, stored under `key` and within `budget`."""
    return await Asker(store, budget, told).ask(model, dataclasses.replace(request, key=key))


def ask_at(
    url: str,
    request: Request = REQUEST,
    *,
    name: str = "openai/gpt-4.1",
    times: int = 1,
    retry: RetryPolicy | None = None,
    told: Callable[[str], None] = lambda _: None,
    **settings: Any,
) -> list[Any]:
    """Return the results of equal requests, sent one after the other: completions or exceptions."""

    async def main() -> list[Completion | BaseException]:
        given = {"timeout_seconds": 60, **settings, "api_base": url}
        model = LiteLLMModel(name, ProviderSettings(**given), retry=retry)
        try:
            return [
                (await asyncio.gather(answer_of(model, request, told), return_exceptions=True))[0] for _ in range(times)
            ]
        finally:
            await model.close()

    return run_to_end(main())


def ask(script: Script, request: Request = REQUEST, **options: Any) -> tuple[Any, ScriptedServer]:
    """Return the result of one request to a scripted server, and the server. `options`: see `ask_at`."""
    results, server = ask_often(script, request, **options)
    return results[0], server


def ask_often(script: Script, request: Request = REQUEST, **options: Any) -> tuple[list[Any], ScriptedServer]:
    """Return the results of `times` requests, and the server; see `ask`."""
    with ScriptedServer(script) as server:
        return ask_at(server.url, request, **options), server
