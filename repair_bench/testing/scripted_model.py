"""A deterministic model with scripted answers, for tests and benchmarks of the loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from repair_bench.agent.models.base import Request
from repair_bench.traces.record.records import Completion

Answer = str | BaseException


class ScriptedModel:
    """A model that returns prepared answers.

    If `answers` is a list, the model returns one answer per attempt, and then repeats the last answer. If `answers` is
    a function, the model returns `answers(request)`. If an answer is an exception, the model raises it. `requests`
    contains all requests in order.
    """

    simulated = True
    supports_prefill = True
    supports_tools = False

    def __init__(self, answers: Sequence[Answer] | Callable[[Request], Answer], name: str = "scripted/test") -> None:
        self.name = name
        self.requests: list[Request] = []
        self._answers = answers

    async def complete(self, request: Request) -> Completion:
        """Return the scripted answer, with no tokens and no cost."""
        self.requests.append(request)
        if callable(self._answers):
            answer = self._answers(request)
        else:
            answer = self._answers[min(request.attempt, len(self._answers) - 1)]
        if isinstance(answer, BaseException):
            raise answer
        return Completion(text=answer, params={"temperature": request.temperature})

    async def close(self) -> None:
        """Do nothing."""
