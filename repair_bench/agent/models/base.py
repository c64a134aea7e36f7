"""What the loop needs of a model: a name, and an answer to a request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from repair_bench.agent.models.retry import RetryPolicy
from repair_bench.suites.task import Task
from repair_bench.traces.record.records import Attempt, Completion
from repair_bench.traces.record.spending import Spend
from repair_bench.traces.run.store import RunStore


@dataclass
class Tries:
    """What came of the requests that were sent for one completion. The client keeps it up to date."""

    sent: int = 0
    """All of them."""
    unreadable: int = 0
    """Those whose answers nobody could read."""
    seconds: float = 0.0
    """How long they took."""
    refused: set[str] = field(default_factory=set)
    """Parameters that the model turned out to refuse."""


class RequestError(Exception):
    """One request brought no answer."""

    def __init__(
        self,
        error: Exception,
        *,
        again: Literal["never", "later", "now"] = "never",
        unbilled: bool = False,
        unreached: Exception | None = None,
        reason: str = "",
        retry_after: float | None = None,
        kind: str | None = None,
        status: int | None = None,
    ) -> None:
        """`error`: what to raise when the request is not repeated.

        `again`: whether it may succeed later, or now, because its parameters were changed. `unbilled`: whether it is
        sure that it costs nothing. `unreached`: what to raise where it is repeated in vain, because nothing ever
        answered at the address. `reason`: why it failed, in a few words. `retry_after`: seconds that the provider asks
        to wait. `kind`, `status`: the type of the provider's error and its HTTP status, for the log.
        """
        super().__init__(str(error))
        self.error = error
        self.again = again
        self.unbilled = unbilled
        self.unreached = unreached
        self.reason = reason
        self.retry_after = retry_after
        self.kind = kind or type(error).__name__
        self.status_code = status


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
    key: str = ""
    """Under which its answer is stored: the same in every session."""
    tries: Tries = field(default_factory=Tries)
    """Of this completion so far; never sent."""


class Model(Protocol):
    """Answers requests. Several may be in flight at once."""

    name: str
    """As the user wrote it; the record's `model`."""
    simulated: bool
    """Whether its answers are made up here, which every figure made from them must say."""
    supports_prefill: bool
    """Whether it goes on with an assistant message that ends the prompt."""
    supports_tools: bool = False
    """Whether it calls a tool that it is offered; one that does not is told of it in words."""

    async def complete(self, request: Request) -> Completion:
        """Send one request. Returns the model's answer, an empty one included.

        Raises ModelError when none came, ContextFull when the messages leave no room for one, UsageError for what the
        user must mend before any request can succeed (a key, the address, the model's name, a parameter),
        BudgetExhausted where the account may spend no more. A model that is `Paid` raises RequestError for them.
        """
        ...

    async def close(self) -> None:
        """End every connection. No request may be in flight."""
        return


class Quota(Protocol):
    """Lets requests through at a provider's pace."""

    @property
    def slots(self) -> AbstractAsyncContextManager[Any]:
        """Entered for one completion, repeats too."""
        ...

    def line(self, request: Request, /) -> AbstractContextManager[bool]:
        """Stand in line with one request, until its answer is on disk. True where an earlier session has sent it."""
        ...

    async def turn(self, request: Request, /) -> None:
        """Wait until the request may be sent. Raises RequestError where it cannot be."""
        ...


@runtime_checkable
class Paid(Model, Protocol):
    """A model behind a provider. Its requests may fail, and may be billed; the cost of the others is unknown."""

    retry: RetryPolicy
    timeout: float
    """Seconds that one request may take."""

    @property
    def quota(self) -> Quota:
        """What its requests wait for."""
        ...

    @property
    def reasons(self) -> bool:
        """Whether it is known to reason before it answers."""
        ...

    def worst_case(self, messages: list[dict[str, Any]], max_tokens: int | None) -> Spend:
        """What one request may cost at most; None where that cannot be known."""
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

    def alone(self) -> Model:
        """The same model, asked without batches; to be closed by the caller."""
        ...
