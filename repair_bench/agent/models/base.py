"""What the loop needs of a model: a name, and an answer to a request."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from repair_bench.suites.task import Task
from repair_bench.traces.records import Attempt, Completion
from repair_bench.traces.spending import Spend


@asynccontextmanager
async def unlimited(_: Spend, turn: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
    """The context of a request that nobody counts."""
    await turn()
    yield


@dataclass(frozen=True)
class Request:
    """Everything that a model may use to answer. `temperature` and `max_tokens` are not sent when they are None."""

    messages: list[dict[str, str]]
    temperature: float | None
    max_tokens: int | None
    seed: int
    """63 bits, from run seed, task, condition, sample and attempt."""
    task: Task
    """Never sent to a real model; the simulated one starts from its reference."""
    sample: int
    attempt: int
    id: str = ""
    """Of the attempt in the making."""
    condition: str = ""
    """Name of its condition."""
    policy: str = "default"
    """Name of the condition's feedback policy; never sent."""
    attempts_left: int = 1
    """How many attempts the episode may still make, this one included; never sent."""
    last: Attempt | None = None
    """The attempt before, which the feedback in `messages` is about; never sent. None at attempt 0."""
    sending: Callable[[Spend, Callable[[], Awaitable[None]]], AbstractAsyncContextManager[None]] = unlimited
    """To be entered around each request that is really sent, repeats too, with what it may cost at most and a function
    that waits for the provider's turn. Entering waits until there is room in the budget, waits for the turn, and makes
    the request durable; leaving by an exception says what became of it. Raises BudgetExhausted."""


class Model(Protocol):
    """Answers requests. Several may be in flight at once."""

    name: str
    """As the user wrote it; the record's `model`."""
    simulated: bool
    """Whether its answers are made up here, which every figure made from them must say."""
    supports_prefill: bool
    """Whether it goes on with an assistant message that ends the prompt."""

    async def complete(self, request: Request) -> Completion:
        """The model's answer, an empty one included.

        Raises ModelError when none came, retries exhausted, ContextFull when the messages leave no room for one,
        UsageError for what the user must mend before any request can succeed (a key, credit, the model's name), and
        what `Request.sending` raises.
        """
        ...

    async def close(self) -> None:
        """End every connection. No request may be in flight."""
        ...
