"""Detect a model that refuses every request, for example because of a misspelt name, before all episodes fail.

Some servers return 404 for an unknown model name, which stops the run. Other servers return 400 both for an unknown
name and for a refused prompt. If a model name is unknown, a server of the second kind refuses every request to this
model with the same message, even a trivial request.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Mapping

from repair_bench.agent.loop.ask import Asker
from repair_bench.agent.models.base import Batched, Model, Paid, Request
from repair_bench.agent.models.network.errors import ParameterRefusedError
from repair_bench.suites.task import Task
from repair_bench.traces.faults import BudgetExhausted, ContextFull, ModelError, UsageError

FIRST_REFUSALS = 3
"""The run stops if this many requests are refused with the same message before the model has given any answer. If the
run requests fewer than `FIRST_REFUSALS` first answers from a model, it stops when the model refuses all of them with
the same message."""
PREFLIGHT = "preflight-"
"""The start of the keys of preflight requests, whose answers belong to no attempt."""
_MAX_WAIT = 60.0  # seconds for the answer to a preflight request; a server may have to load the model
_MESSAGES = [{"role": "user", "content": "Reply with the word OK."}]
_HINT = "check the model's name and the settings of its provider"


class FirstRefusals:
    """A counter of the requests that a model refused in this session before the model first answered a request.

    `requests`: the number of first answers that will be requested from the model.
    """

    def __init__(self, requests: int = FIRST_REFUSALS) -> None:
        self._limit = min(requests, FIRST_REFUSALS)
        self._refusals: Counter[str] = Counter()
        self._answered = False

    def answered(self) -> None:
        """Record that the model answered a request, or that the request was too long or was filtered."""
        self._answered = True

    def refused(self, name: str, error: ModelError) -> None:
        """Record a failed request. Raises UsageError if the model refuses every request with the same message."""
        if self._answered or error.refusal is None:
            return
        self._refusals[error.refusal] += 1
        if self._refusals[error.refusal] >= self._limit:
            refused = "the provider refused the first request"
            if self._limit > 1:
                refused = f"the provider refused the first {self._limit} requests for the same reason"
            raise UsageError(f"{name}: {refused}: {_HINT}. {_detail(error)}")


async def preflight(models: Mapping[str, Model], tasks: Mapping[str, tuple[Task, int | None]], asker: Asker) -> None:
    """Request one token from each model behind a provider, concurrently, before the first episode.

    `tasks`: for each model, one of the model's tasks, and the limit `max_tokens` for the model's answers. Some models
    reject a limit of one token. A refused request is therefore repeated with `max_tokens`, the token limit that the run
    sets for each answer. A second refusal raises UsageError. The run handles other errors.
    """
    requests = [_refusal(model, *tasks[name], asker) for name, model in models.items() if name in tasks]
    refusals = [str(refusal) for refusal in await asyncio.gather(*requests) if refusal is not None]
    if refusals:
        raise UsageError("; ".join(refusals))


async def _refusal(model: Model, task: Task, max_tokens: int | None, asker: Asker) -> UsageError | None:
    if isinstance(model, Batched):  # a batch may take a day to report an unknown model
        alone = model.alone()
        try:
            return await _refusal(alone, task, max_tokens, asker)
        finally:
            await alone.close()
    if not isinstance(model, Paid):
        return None
    refusal: UsageError | None = None
    for tokens in dict.fromkeys((1, max_tokens)):
        key = f"{PREFLIGHT}{secrets.token_hex(8)}"
        request = Request(_MESSAGES, None, tokens, 0, task, 0, 0, key=key)
        try:
            async with asyncio.timeout(_MAX_WAIT):
                await asker.ask(model, request, once=True)
        except ParameterRefusedError as error:
            refusal = error
            continue
        except ModelError as error:
            if error.refusal is not None:
                hint = f"{_HINT}, or pass --no-preflight to skip this request"
                refused = "the provider refused a short test request"
                refusal = UsageError(f"{model.name}: {refused}: {hint}. {_detail(error)}")
                continue
        except UsageError as error:
            return error
        except (ContextFull, BudgetExhausted, TimeoutError):
            pass
        return None
    return refusal


def _detail(error: ModelError) -> str:
    return str(error).partition(". ")[2]
