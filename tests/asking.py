"""One answer of a model, asked for as a run asks."""

import dataclasses
import tempfile
from collections.abc import Callable
from pathlib import Path

from repair_bench.agent.experiment.spending_limits import SpendingLimits
from repair_bench.agent.loop.ask import Asker
from repair_bench.agent.models.base import Model, Request
from repair_bench.traces.record.records import Completion
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.store import RunStore


async def answer_of(model: Model, request: Request, told: Callable[[str], None] = lambda _: None) -> Completion:
    """Return the answer, in a run of its own without a limit. `told`: why a request is repeated."""
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
