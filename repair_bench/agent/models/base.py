"""The interface of models, which answer requests."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from repair_bench.agent.models.retry import RetryPolicy
from repair_bench.suites.task import Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Attempt, Completion
from repair_bench.traces.record.spending import Spend
from repair_bench.traces.run.store import RunStore

Role = Literal["answer", "critic", "probe"]
"""The purposes of requests: an answer to the task, the analysis of a failure (critic), or a question about the
conventions that the model assumes (probe)."""
SEED_BITS = 31
"""The number of low bits of a seed that are sent to a provider; several providers reject larger seeds."""


@dataclass
class Tries:
    """Statistics on the requests for one completion, collected by the client."""

    sent: int = 0
    unreadable: int = 0
    """The number of requests whose answers could not be read."""
    seconds: float = 0.0
    """The total duration of the requests."""
    refused: set[str] = field(default_factory=set)
    """Parameters that the model refused."""


@dataclass(eq=False)
class RequestError(Exception):
    """A failed request to a provider."""

    error: Exception
    """The error to raise if the request is not retried."""
    again: Literal["never", "later", "now"] = "never"
    """When a retry may succeed: never, later, or immediately with changed parameters."""
    unbilled: bool = False
    """Whether it is certain that the request was not billed."""
    unreached: Exception | None = None
    """The error to raise if no server has ever answered at the address."""
    reason: str = ""
    """A short description of the failure."""
    retry_after: float | None = None
    """The time, in seconds, that the provider asks the client to wait."""
    kind: str = ""
    """The type of the provider's error, for the log."""
    status_code: int | None = None
    """The HTTP status, for the log."""


@dataclass(frozen=True)
class Request:
    """The input to a model; parameters that are None are not sent."""

    messages: list[dict[str, Any]]
    """The `role` and `content` of each message, and the reasoning of earlier answers for models that accept it."""
    temperature: float | None
    max_tokens: int | None
    seed: int
    """A 63-bit seed derived from the run seed, task, condition, sample and attempt. Providers get `SEED_BITS` of it."""
    task: Task
    """The task, which is never sent to a real model. Simulated models start from the task's reference."""
    sample: int
    attempt: int
    id: str = ""
    """The id of the attempt."""
    condition: str = ""
    """The name of the condition."""
    policy: str = "default"
    """The name of the feedback policy. This name is never sent to a real model."""
    attempts_left: int = 1
    """The number of attempts left in the episode, including the current attempt. This number is never sent."""
    questions_left: int = 0
    """The number of questions that the model may still ask before the current attempt. This number is never sent."""
    reasoning_effort: str | None = None
    """The reasoning effort, in the provider's terms."""
    thinking_budget: int | None = None
    """The maximum number of reasoning tokens."""
    step: int = 0
    """The number of earlier replies in this turn, which are all tool calls. This number is never sent."""
    tools: Sequence[Mapping[str, Any]] = ()
    """The available tools, defined in the chat completions format."""
    last: Attempt | None = None
    """The previous attempt, to which the feedback in `messages` refers. The attempt itself is never sent."""
    role: Role = "answer"
    """The purpose of the request. The request's purpose is not sent to the model."""
    key: str = ""
    """The key under which the answer is stored, which is the same in every session."""
    tries: Tries = field(default_factory=Tries)


class Model(Protocol):
    """Answers requests. Several requests may be in flight at once."""

    name: str
    """The model's name as the user wrote it, recorded as `model`."""
    simulated: bool
    """Whether the answers are simulated; all figures based on simulated answers must be labelled."""
    supports_prefill: bool
    """Whether the model can continue an assistant message at the end of the prompt."""
    supports_tools: bool = False
    """Whether the model can call tools. For a model without tool calls, the prompt explains in words how to run a
    program."""

    async def complete(self, request: Request) -> Completion:
        """Send one request and return the answer, whose text may be empty.

        Raises ModelError if there is no answer, ContextFull if the messages leave no room for an answer, and
        BudgetExhausted if the account has no credit. Raises UsageError for errors that the user must fix first (key,
        address, name or parameter). A `Paid` model raises RequestError instead.
        """
        ...

    async def close(self) -> None:
        """Close the model and all its connections; no request may be in flight."""
        return


class Quota(Protocol):
    """Limits the rate of requests to a provider."""

    @property
    def slots(self) -> AbstractAsyncContextManager[Any]:
        """Return a context manager that spans one completion, including retries."""
        ...

    def line(self, request: Request, /) -> AbstractContextManager[bool]:
        """Return a context manager that spans one request.

        The caller enters the context manager before sending the request, and exits when the answer is on disk. The
        context manager yields True if an earlier session sent the request, and False otherwise.
        """
        ...

    async def turn(self, request: Request, /) -> None:
        """Wait until the request may be sent. Raises RequestError for a request that can never be sent."""
        ...


@runtime_checkable
class Paid(Model, Protocol):
    """A model that is queried through a provider. A request may fail, and a failed request may still be billed."""

    retry: RetryPolicy
    timeout: float
    """Time limit for one request, in seconds."""

    @property
    def quota(self) -> Quota: ...

    @property
    def reasons(self) -> bool:
        """Whether the model is known to reason before it answers."""
        ...

    def worst_case(self, messages: list[dict[str, Any]], max_tokens: int | None) -> Spend:
        """Return the maximum cost of one request; unknown amounts are None."""
        ...


class BatchRound:
    """Counts episodes that use batches, and requests that wait for a batch, across all models of a run.

    While an episode waits for an answer from one model, the episode sends no request to any other model. When every
    episode is waiting for an answer from some model, no further request can join a batch. The batches can then be
    submitted.
    """

    def __init__(self) -> None:
        self.changes: list[asyncio.Event] = []
        """One event per model, set after each change."""
        self._episodes = self._waiting = self._without_room = 0

    @property
    def is_complete(self) -> bool:
        """Whether to submit the queued requests as batches now.

        Requests are submitted once all episodes wait for an answer, because no further request can then arrive. The
        queued requests are also submitted if the remaining budget is too low for a request outside the batches. When a
        batch is answered, part of the reserved budget is released, because a request usually costs less than the
        reserved maximum.
        """
        return self._waiting >= self._episodes or self._without_room > 0

    def change(self, *, episodes: int = 0, waiting: int = 0, without_room: int = 0) -> None:
        """Add to the counts. `without_room`: requests outside batches for which the remaining budget is too low."""
        self._episodes += episodes
        self._waiting += waiting
        self._without_room += without_room
        for event in self.changes:
            event.set()

    @contextmanager
    def taking_part(self) -> Iterator[None]:
        """Return a context manager. While it is active, one more episode counts as using batches."""
        self.change(episodes=1)
        try:
            yield
        finally:
            self.change(episodes=-1)


@runtime_checkable
class Batched(Protocol):
    """A model that submits its requests in batches."""

    async def open(self, store: RunStore, batch_round: BatchRound) -> None:
        """Continue batches from the run's earlier sessions, and record this session's batches."""
        ...

    def alone(self) -> Model:
        """Return the same model with batching disabled. The caller must close the returned model."""
        ...


@runtime_checkable
class Keyed(Protocol):
    """A language model whose API keys come from environment variables."""

    name: str

    def needed_keys(self) -> list[str]:
        """Return the required environment variables that are unset or empty."""
        ...


def check_keys(models: Iterable[object]) -> None:
    """Raise UsageError, listing every missing key and the models that need it."""
    missing: dict[str, list[str]] = {}
    for model in models:
        if isinstance(model, Keyed):
            for variable in model.needed_keys():
                missing.setdefault(variable, []).append(model.name)
    if missing:
        needs = [f"{' and '.join(names)} needs {variable}" for variable, names in missing.items()]
        raise UsageError(f"{', '.join(needs)}: set {'it' if len(missing) == 1 else 'them'} in the environment or .env")
