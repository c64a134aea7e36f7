"""Simulated models whose use of feedback is known: they answer the tasks that hide a hypothesis.

Each answer is the program of one hypothesis. `sim/observer` plays best for its feedback policy and the attempts that
are left. `sim/enumerator` tries one after the other, in an order that its seed draws, whatever it is told.
`sim/forgetful` draws one anew each time. `sim/stubborn?ignore=P` plays best, but with probability P it does not take in
a feedback: it then knows no more than that its attempt failed.

They see the names of a task, from which they know its hypotheses as the observer does, and the conversation; not which
of them is true. What they held possible stands in their last answer, so that they need no memory and it makes no
difference how much of the conversation a repair is shown. Where an attempt is shown nothing at all, they go by its
number. Arms of an experiment share their first answer: it is best for the arm that made it.
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
    """Answers with one hypothesis of those that it believes possible."""

    def __init__(self, name: str) -> None:
        self._name = name

    def answer(self, request: Request) -> str:
        """Raises UsageError for a task that hides no hypothesis."""
        asked = request.task
        task = hidden(asked.suite, asked.id, asked.framework)
        if task is None:
            raise UsageError(f"'{self._name}' answers tasks of the suite 'conventions', not of '{asked.suite}'")
        if is_independent(request.policy):
            rng = Random(f"{self._name} {asked.suite} {asked.id} {asked.framework} {request.sample}")  # noqa: S311
            tried, belief = self._without_memory(task, request, rng)
        else:
            rng = stream(self._name, request)
            belief = self._believes(task, request, rng)
            tried = self.choose(task, belief, request, request.attempts_left, rng)
        return f"```{task.tasks[tried].language.tags[0]}\n{_program(task, tried, belief)}\n```\n"

    @abstractmethod
    def choose(self, task: Hidden, belief: Set, request: Request, left: int, rng: Random) -> int:
        """The hypothesis to try, with so many attempts left."""

    def takes_in(self, rng: Random) -> bool:  # noqa: ARG002 - not all draw
        """Whether it makes use of a feedback."""
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
        """What it would have done at its attempts before, of which it only knows that they failed."""
        belief, total = task.everything, request.attempt + request.attempts_left
        for number in range(request.attempt):
            belief &= ~(1 << self.choose(task, belief, request, total - number, rng))
            belief = belief or task.everything
        return self.choose(task, belief, request, request.attempts_left, rng), belief


class BestPlayer(Observer):
    """Plays best."""

    def choose(self, task: Hidden, belief: Set, request: Request, left: int, rng: Random) -> int:  # noqa: ARG002
        return play(task, request.policy, request.attempt + request.attempts_left).next(belief, left)


class Stubborn(BestPlayer):
    """Plays best, and does not take in a feedback with probability `ignore`."""

    def __init__(self, name: str, ignore: float) -> None:
        super().__init__(name)
        self._ignore = ignore

    def takes_in(self, rng: Random) -> bool:
        return rng.random() >= self._ignore


class Enumerator(Observer):
    """Tries any that it has not tried yet."""

    def choose(self, task: Hidden, belief: Set, request: Request, left: int, rng: Random) -> int:  # noqa: ARG002
        return rng.choice(list(members(belief)))

    def takes_in(self, rng: Random) -> bool:  # noqa: ARG002
        return False


class Forgetful(Observer):
    """Tries any."""

    def choose(self, task: Hidden, belief: Set, request: Request, left: int, rng: Random) -> int:  # noqa: ARG002
        return rng.randrange(len(task.tasks))


RESPONDERS: dict[str, type[Observer]] = {"observer": BestPlayer, "enumerator": Enumerator, "forgetful": Forgetful}
"""Those that take no options."""


def expected_curve(best: Play, ignore: float) -> tuple[float, ...]:
    """FB@0, FB@1, ... of `sim/stubborn?ignore=P` on a task, each hypothesis as likely as any other.

    What it believes is true always, and each hypothesis that it has left is as likely as any other: what it was told
    and did not take in decides nothing of what it does.
    """
    partition = best.partition
    memo: dict[tuple[Set, int], list[float]] = {}

    def found(belief: Set, left: int) -> list[float]:
        """How many of the belief are found by each of the attempts left."""
        if not left or not belief:
            return [0.0] * left
        if (belief, left) not in memo:
            solved, cells = partition.rows[best.next(belief, left)]
            later = [0.0] * (left - 1)
            told = [(1 - ignore, belief & cell) for cell in cells.values()]
            for weight, part in [(ignore, belief & ~solved), *told]:
                if weight and part:
                    later = [sum_ + weight * more for sum_, more in zip(later, found(part, left - 1), strict=True)]
            memo[belief, left] = [float((belief & solved).bit_count()), *later]
        return memo[belief, left]

    by_attempt = found(partition.everything, best.attempts)
    return tuple(math.fsum(by_attempt[: k + 1]) / partition.hypotheses for k in range(best.attempts))


class _Last(NamedTuple):
    """The hypothesis of an answer, what was held possible before it, and the message that ends with what was told."""

    tried: int
    belief: Set
    message: str


def _program(task: Hidden, tried: int, belief: Set) -> str:
    own = task.tasks[tried]
    return f"{(own.reference or '').rstrip()}\n\n{own.language.comment} {_MARK.format(tried=tried, belief=belief)}"


def _last(messages: list[dict[str, Any]]) -> _Last | None:
    """Return the last answer in the conversation. The last message of the user ends with the feedback on it."""
    last = last_mark(messages, _MARKED)
    if last is None:
        return None
    mark, (message, *later) = last
    told = [one["content"] for one in later if one["role"] == "user"]
    return _Last(int(mark["tried"]), int(mark["belief"], 16), (told or [message["content"]])[-1].rstrip())
