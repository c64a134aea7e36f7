"""Detect a model that refuses every request, such as one with a wrong name, before each episode ends in a fault.

A server may answer 404 to a name that it does not know, which stops a run. Others answer 400, as they do to a prompt
that they refuse. Such a model refuses a trivial request too, and all its first requests in the same words.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Mapping

from repair_bench.agent.experiment.episodes import digest
from repair_bench.agent.loop.ask import Asker
from repair_bench.agent.models.base import Batched, Model, Paid, Request
from repair_bench.agent.models.network.errors import ParameterRefusedError
from repair_bench.suites.task import Task
from repair_bench.traces.faults import BudgetExhausted, ContextFull, ModelError, UsageError

FIRST_REFUSALS = 3
"""The number of first requests refused in the same words that stops a run; fewer if the run has fewer."""
_MAX_WAIT = 60.0  # seconds for the answer to a preflight request; a server may have to load the model
_MESSAGES = [{"role": "user", "content": "Reply with the word OK."}]
_HINT = "check the model's name and the settings of its provider"


class FirstRefusals:
    """The refusals of one model, as long as it has answered nothing in this session."""

    def __init__(self, requests: int = FIRST_REFUSALS) -> None:
        """`requests`: how many first requests there are."""
        self._enough = min(requests, FIRST_REFUSALS)
        self._alike: Counter[str] = Counter()
        self._answered = False

    def answered(self) -> None:
        """The model answered a request, or took it for what it is: too long, or filtered."""
        self._answered = True

    def refused(self, name: str, error: ModelError) -> None:
        """A request failed. Raises UsageError where the model refuses every request in the same words."""
        if self._answered or error.refusal is None:
            return
        self._alike[error.refusal] += 1
        if self._alike[error.refusal] >= self._enough:
            first = "the first request" if self._enough == 1 else f"the first {self._enough} requests in the same words"
            raise UsageError(f"{name}: the provider refused {first}: {_HINT}. {_detail(error)}")


async def preflight(models: Mapping[str, Model], tasks: Mapping[str, tuple[Task, int | None]], asker: Asker) -> None:
    """Ask each model that is behind a provider for one token, all at once, before the first episode.

    `tasks`: by model, one of its tasks and the longest completion that it is allowed. Raises UsageError for models that
    refuse one token and also that many, since some models require more than one. The run itself finds other trouble.
    """
    requests = [_refusal(model, *tasks[name], asker) for name, model in models.items() if name in tasks]
    refusals = [str(refusal) for refusal in await asyncio.gather(*requests) if refusal is not None]
    if refusals:
        raise UsageError("; ".join(refusals))


async def _refusal(model: Model, task: Task, longest: int | None, asker: Asker) -> UsageError | None:
    if isinstance(model, Batched):  # a batch may take a day to say that there is no such model
        alone = model.alone()
        try:
            return await _refusal(alone, task, longest, asker)
        finally:
            await alone.close()
    if not isinstance(model, Paid):
        return None
    refusal: UsageError | None = None
    for max_tokens in dict.fromkeys((1, longest)):
        key = digest("preflight", model.name, secrets.token_hex(8))
        request = Request(_MESSAGES, None, max_tokens, 0, task, 0, 0, key=key)
        try:
            async with asyncio.timeout(_MAX_WAIT):
                await asker.ask(model, request, once=True)
        except ParameterRefusedError as error:
            refusal = error
        except ModelError as error:
            if error.refusal is None:
                return None
            hint = f"{_HINT}, or pass --no-preflight to run without that request"
            refusal = UsageError(f"{model.name}: the provider refused a short request: {hint}. {_detail(error)}")
        except UsageError as error:
            return error
        except (ContextFull, BudgetExhausted, TimeoutError):
            return None
        else:
            return None
    return refusal


def _detail(error: ModelError) -> str:
    """Return the provider's message, without our own sentence."""
    return str(error).partition(". ")[2]
