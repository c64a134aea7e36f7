"""What the loop needs of a model: a name, and an answer to a request."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from repair_bench.suites.task import Task
from repair_bench.traces.records import Attempt, Completion
from repair_bench.traces.spending import Spend
from repair_bench.traces.store import RunStore


@asynccontextmanager
async def unlimited(_: Spend, turn: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
    """The context of a request that nobody counts."""
    await turn()
    yield


@asynccontextmanager
async def uncounted(_: Spend) -> AsyncIterator[None]:
    """The context of an answer that is awaited and nobody counts."""
    yield


@dataclass(frozen=True)
class Request:
    """Everything that a model may use to answer. `temperature` and `max_tokens` are not sent when they are None."""

    messages: list[dict[str, Any]]
    """`role` and `content` of each, and where it is handed back the reasoning of an answer."""
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
    reasoning_effort: str | None = None
    """How long to reason, in the provider's word; not sent when None, like the next."""
    thinking_budget: int | None = None
    """Tokens to reason for."""
    step: int = 0
    """How many replies of this turn came before, which asked to run programs; never sent."""
    tools: Sequence[Mapping[str, Any]] = ()
    """Definitions of the tools that it may call, as chat completions have them."""
    last: Attempt | None = None
    """The attempt before, which the feedback in `messages` is about; never sent. None at attempt 0."""
    sending: Callable[[Spend, Callable[[], Awaitable[None]]], AbstractAsyncContextManager[None]] = unlimited
    """To be entered around each request that is really sent, repeats too, with what it may cost at most and a function
    that waits for the provider's turn. Entering waits until there is room in the budget, waits for the turn, and makes
    the request durable; leaving by an exception says what became of it. Raises BudgetExhausted."""
    awaiting: Callable[[Spend], AbstractAsyncContextManager[None]] = uncounted
    """To be entered in place of `sending` while the answer is awaited to a request that an earlier session has sent."""
    key: str = ""
    """Under which its answer is stored: the same in every session."""
    on_retry: Callable[[str], None] = lambda _: None
    """Told in a few words why a request failed that will be repeated."""


class Model(Protocol):
    """Answers requests. Several may be in flight at once."""

    name: str
    """As the user wrote it; the record's `model`."""
    simulated: bool
    """Whether its answers are made up here, which every figure made from them must say."""
    supports_prefill: bool
    """Whether it goes on with an assistant message that ends the prompt."""
    supports_tools: bool
    """Whether it calls a tool that it is offered; one that does not is told of it in words."""

    async def complete(self, request: Request) -> Completion:
        """The model's answer, an empty one included.

        Raises ModelError when none came, retries exhausted, ContextFull when the messages leave no room for one,
        UsageError for what the user must mend before any request can succeed (a key, the address, the model's name, a
        parameter), BudgetExhausted where the account may spend no more, and what `Request.sending` raises.
        """
        ...

    async def close(self) -> None:
        """End every connection. No request may be in flight."""
        ...


@runtime_checkable
class AskedFirst(Protocol):
    """A model behind a provider, which a short request finds out about before a run begins."""

    async def ask_once(self, request: Request) -> Completion:
        """As `complete`, but sent outside of any batch, and not repeated after a transient error."""
        ...


@runtime_checkable
class Batched(Protocol):
    """A model that gathers requests, and hands them to its provider together."""

    async def open(self, store: RunStore) -> None:
        """Go on with the batches that earlier sessions of the run handed in, and record those of this one."""
        ...

    def taking_part(self) -> AbstractContextManager[None]:
        """Around an episode that asks the model: when all of them wait, nothing more is to come."""
        ...
