"""What the loop needs of a model: a name, and an answer to a request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from repair_bench.suites.task import Task
from repair_bench.traces.records import Completion


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


class Model(Protocol):
    """Answers requests. Several may be in flight at once."""

    name: str
    """As the user wrote it; the record's `model`."""
    simulated: bool
    """Whether its answers are made up here, which every figure made from them must say."""

    async def complete(self, request: Request) -> Completion:
        """The model's answer, an empty one included.

        Raises ModelError when none came, retries exhausted, and UsageError for what the user must mend before any
        request can succeed (a key, credit, the model's name).
        """
        ...

    async def close(self) -> None:
        """End every connection. No request may be in flight."""
        ...
