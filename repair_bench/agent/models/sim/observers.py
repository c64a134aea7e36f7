"""Simulated models that use feedback in a known way, for the tasks that hide a hypothesis.

Each answer is the program of one hypothesis. `sim/observer` follows the optimal policy for its feedback policy and the
attempts left. `sim/enumerator` tries the hypotheses one after the other in random order, regardless of the feedback.
`sim/forgetful` draws one at random each time. `sim/stubborn?ignore=P` follows the optimal policy, but ignores feedback
with probability P; then it only uses the fact that its attempt failed.

The models see the conversation and the names of a task, from which they derive its hypotheses, but not the true
hypothesis. Each answer lists the hypotheses that were still possible, so the models need no memory, and the history
shown to a repair has no effect. Without a conversation they use the number of the attempt. The arms of an experiment
share their first answer, which is optimal for the arm that made it.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from random import Random
from typing import Any, NamedTuple

from repair_bench.agent.models.base import Request
from repair_bench.agent.models.sim.mistakes import last_mark, stream
from repair_bench.analysis.feedback_use.ideal_observer import Play, Set, members
from repair_bench.grading.hypotheses import Hidden, hidden, play
from repair_bench.prompts.feedback import is_independent, needs_placebo_source
from repair_bench.traces.faults import UsageError

_MARK = "simulated model: tries hypothesis {tried} of {belief:x}"
_MARKED = re.compile(r"simulated model: tries hypothesis (?P<tried>\d+) of (?P<belief>[0-9a-f]+)\b")


class Observer(ABC):
    """Answers with a hypothesis that it considers possible."""

    def __init__(self, name: str) -> None:
        self._name = name

    def answer(self, request: Request) -> str:
        """Return an answer. Raises UsageError for a task that hides no hypothesis."""
        suite, id_, framework = request.task.suite, request.task.id, request.task.framework
        task = hidden(suite, id_, framework)
        if task is None:
            raise UsageError(f"'{self._name}' only answers tasks of the suite 'conventions', not of '{suite}'")
        if is_independent(request.policy):
            rng = Random(f"{self._name} {suite} {id_} {framework} {request.sample}")  # noqa: S311
            tried, belief = self._without_memory(task, request, rng)
        else:
            rng = stream(self._name, request)
            belief = self._believes(task, request, rng)
            tried = self.choose(task, belief, request, request.attempts_left, rng)
        return f"```{task.tasks[tried].language.tags[0]}\n{_program(task, tried, belief)}\n```\n"

    @abstractmethod
    def choose(self, task: Hidden, belief: Set, request: Request, left: int, rng: Random) -> int:
        """Return the hypothesis to try with `left` attempts."""

    def takes_in(self, rng: Random) -> bool:  # noqa: ARG002 - only some subclasses draw
        """Whether the model uses the feedback on an attempt."""
        return True

    def _believes(self, task: Hidden, request: Request, rng: Random) -> Set:
        last = _last(request.messages)
        if last is None:
            return task.everything
        belief = last.belief & ~(1 << last.tried)
        if self.takes_in(rng) and not needs_placebo_source(request.policy):
            code = _program(task, last.tried, last.belief)
            texts = task.texts(request.policy, task.outcome(task.hypothesis(last.tried)), code)
            belief &= sum(1 << h for h, text in enumerate(texts) if text and last.message.endswith(text)) or belief
        return belief or task.everything

    def _without_memory(self, task: Hidden, request: Request, rng: Random) -> tuple[int, Set]:
        """Return the hypothesis to try and the belief, given only that the earlier attempts failed."""
        belief, total = task.everything, request.attempt + request.attempts_left
        for number in range(request.attempt):
            belief &= ~(1 << self.choose(task, belief, request, total - number, rng))
            belief = belief or task.everything
        return self.choose(task, belief, request, request.attempts_left, rng), belief


class BestPlayer(Observer):
    """Follows the optimal policy."""

    def choose(self, task: Hidden, belief: Set, request: Request, left: int, rng: Random) -> int:  # noqa: ARG002
        return play(task, request.policy, request.attempt + request.attempts_left).next(belief, left)


class Stubborn(BestPlayer):
    """Follows the optimal policy, but ignores each feedback with probability `ignore`."""

    def __init__(self, name: str, ignore: float) -> None:
        super().__init__(name)
        self._ignore = ignore

    def takes_in(self, rng: Random) -> bool:
        return rng.random() >= self._ignore


class Enumerator(Observer):
    """Tries a random hypothesis that it has not tried yet."""

    def choose(self, task: Hidden, belief: Set, request: Request, left: int, rng: Random) -> int:  # noqa: ARG002
        return rng.choice(list(members(belief)))

    def takes_in(self, rng: Random) -> bool:  # noqa: ARG002
        return False


class Forgetful(Observer):
    """Tries a random hypothesis."""

    def choose(self, task: Hidden, belief: Set, request: Request, left: int, rng: Random) -> int:  # noqa: ARG002
        return rng.randrange(len(task.tasks))


RESPONDERS: dict[str, type[Observer]] = {"observer": BestPlayer, "enumerator": Enumerator, "forgetful": Forgetful}
"""The models without options."""


def expected_curve(best: Play, ignore: float) -> tuple[float, ...]:
    """Return FB@0, FB@1, ... of `sim/stubborn?ignore=P` on a task with equally likely hypotheses.

    The remaining hypotheses are always equally likely, because ignored feedback has no effect.
    """
    partition = best.partition
    memo: dict[tuple[Set, int], list[float]] = {}

    def found(belief: Set, left: int) -> list[float]:
        """Return the expected number of hypotheses that each of the `left` attempts identifies."""
        if not left or not belief:
            return [0.0] * left
        if (belief, left) not in memo:
            solved, cells = partition.rows[best.next(belief, left)]
            later = [0.0] * (left - 1)
            used = [(1 - ignore, belief & cell) for cell in cells.values()]
            for weight, part in [(ignore, belief & ~solved), *used]:
                if weight and part:
                    later = [sum_ + weight * more for sum_, more in zip(later, found(part, left - 1), strict=True)]
            memo[belief, left] = [float((belief & solved).bit_count()), *later]
        return memo[belief, left]

    by_attempt = found(partition.everything, best.attempts)
    return tuple(math.fsum(by_attempt[: k + 1]) / partition.hypotheses for k in range(best.attempts))


class _Last(NamedTuple):
    """The hypothesis of an answer, the belief before the answer, and the message that ends with the feedback."""

    tried: int
    belief: Set
    message: str


def _program(task: Hidden, tried: int, belief: Set) -> str:
    own = task.tasks[tried]
    return f"{(own.reference or '').rstrip()}\n\n{own.language.comment} {_MARK.format(tried=tried, belief=belief)}"


def _last(messages: list[dict[str, Any]]) -> _Last | None:
    """Return the last answer in the conversation. The last user message ends with the feedback on that answer."""
    last = last_mark(messages, _MARKED)
    if last is None:
        return None
    mark, (message, *later) = last
    replies = [one["content"] for one in later if one["role"] == "user"]
    return _Last(int(mark["tried"]), int(mark["belief"], 16), (replies or [message["content"]])[-1].rstrip())
