"""A model that says what it is told to say: for tests and benchmarks of the loop, with nothing random in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from repair_bench.agent.models.base import Request
from repair_bench.traces.record.records import Completion

Answer = str | BaseException


class ScriptedModel:
    """Gives `answers[attempt]`, the last one from then on, or what `answers(request)` returns; an exception is raised.

    `requests` keeps every request it was sent, in order.
    """

    simulated = True
    supports_prefill = True
    supports_tools = False

    def __init__(self, answers: Sequence[Answer] | Callable[[Request], Answer], name: str = "scripted/test") -> None:
        self.name = name
        self.requests: list[Request] = []
        self._answers = answers

    async def complete(self, request: Request) -> Completion:
        """The scripted answer; no tokens, no cost."""
        self.requests.append(request)
        if callable(self._answers):
            answer = self._answers(request)
        else:
            answer = self._answers[min(request.attempt, len(self._answers) - 1)]
        if isinstance(answer, BaseException):
            raise answer
        return Completion(text=answer, params={"temperature": request.temperature})

    async def close(self) -> None:
        """Nothing was started."""
