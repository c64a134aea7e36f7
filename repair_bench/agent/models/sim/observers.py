"""Simulated models that answer tasks with hypotheses, such as those of `conventions`, and use feedback in a known way.

The prompts of these tasks leave some conventions open. A hypothesis is one way to settle the open conventions; only the
true hypothesis passes. Each answer is a program that implements one hypothesis. A program can also be a *mixture*,
which implements different hypotheses in different calls of the program; the optimal policy sometimes requires a
mixture. `sim/observer` plays optimally, given the feedback policy and the number of attempts left. If questions are
allowed, `sim/asker` asks the best questions; otherwise, `sim/asker` plays like `sim/observer`. `sim/enumerator` tries
the hypotheses one after the other, in a random order, regardless of the feedback. `sim/consistent` draws a hypothesis
at random from those that the feedback has not excluded. `sim/forgetful` draws a hypothesis at random each time.
`sim/stubborn?ignore=P` follows the policy of `sim/observer`, but ignores each feedback message with probability P. If
`sim/stubborn` ignores a feedback message, the model knows only that its attempt failed.

`sim/critic?decode=P` is a critic that names, with probability P, the hypothesis that `sim/observer` would try next.
With probability 1 - P, the critic names a different hypothesis. The first answer of `sim/reader` is optimal. In each
repair, `sim/reader` tries the hypothesis that a critic named in the feedback. Without an analysis by a critic,
`sim/reader` ignores the feedback and plays like `sim/enumerator`.

The models in this module see the conversation, and derive the list of hypotheses from the task's id, suite and
framework. The models do not know which hypothesis is true. Each answer lists the hypotheses that were still possible
before the answer. The models therefore need no memory of their own, and the history in a repair prompt has no effect.
If the prompt contains no earlier messages, a model can tell only from the attempt's number how many attempts have
failed. For each sample of a task, all arms of an experiment share one first answer. This answer is optimal for the arm
that requested it, but not always for the other arms.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any, ClassVar, NamedTuple

from repair_bench.agent.models.base import Request, Role
from repair_bench.agent.models.sim.mistakes import last_mark, stream
from repair_bench.analysis.feedback_use.best_play import BestPlay, Set
from repair_bench.analysis.feedback_use.counted_calls import CountPlay
from repair_bench.analysis.feedback_use.ideal_observer import cells_of, members
from repair_bench.grading.hypotheses.hidden import Hidden
from repair_bench.grading.hypotheses.observer import answers, hidden, play
from repair_bench.grading.tiny_numbers import without_tiny_numbers
from repair_bench.prompts.feedback import is_independent, needs_placebo_source
from repair_bench.prompts.feedback.default import without_request
from repair_bench.traces.faults import UsageError

_MARK = "simulated model: tries hypothesis {tried} of {belief:x}"
_MARKED = re.compile(r"simulated model: tries hypothesis (?P<tried>\d+(,\d+)*) of (?P<belief>[0-9a-f]+)\b")
_ANALYSIS = "The cause is a wrong convention. To fix it, write the program for hypothesis {tried} of {belief:x}."
_ANALYSED = re.compile(r"write the program for hypothesis (?P<tried>\d+) of (?P<belief>[0-9a-f]+)\.")
Mixture = tuple[int, ...]
"""A hypothesis per call."""
_ASK = "```ask\n{question}\n```\n"
_ASKED = re.compile(r"```ask\n(?P<question>.*)\n```\n")


@dataclass(frozen=True)
class Observer(ABC):
    """A model that keeps a set of possible hypotheses (its belief) and implements some of them in each answer."""

    role: ClassVar[Role] = "answer"

    name: str

    def answer(self, request: Request) -> str:
        """Return an answer or a question. Raises UsageError for a task without hypotheses."""
        suite, id_, framework = request.task.suite, request.task.id, request.task.framework
        task = hidden(suite, id_, framework)
        if task is None:
            raise UsageError(
                f"'{self.name}' answers only tasks with hypotheses (suite 'conventions'), not tasks of '{suite}'"
            )
        alone = is_independent(request.policy)
        rng = stream(self.name, request)
        belief = task.everything if alone else self._believes(task, request, rng)
        for asked, reply in _asked(request.messages):
            explains = cells_of(f"```\n{answer}\n```" in reply for answer in answers(task, asked))
            belief = belief & explains.get(True, 0) or belief
        question = self.ask(task, belief, request, request.attempts_left + (request.attempt if alone else 0))
        if question is not None:
            return _ASK.format(question=question)
        if alone:
            rng = Random(f"{self.name} {suite} {id_} {framework} {request.sample}")  # noqa: S311
            h, belief = self._without_memory(task, belief, request, rng)
            return self.reply(task, task.hypothesis(h), belief)
        return self.reply(task, self.mixture(task, belief, request, request.attempts_left, rng), belief)

    def reply(self, task: Hidden, tried: Mixture, belief: Set) -> str:
        return f"```{task.tasks[0].language.tags[0]}\n{_program(task, tried, belief)}\n```\n"

    def ask(self, task: Hidden, belief: Set, request: Request, left: int) -> str | None:  # noqa: ARG002
        """Return a question to ask before the next attempt, or None to answer now.

        `left`: the number of attempts left.
        """
        return None

    def mixture(self, task: Hidden, belief: Set, request: Request, left: int, rng: Random) -> Mixture:
        """Return the hypothesis to try in each call. By default, all calls use the same hypothesis."""
        return task.hypothesis(self.choose(task, belief, request, left, rng))

    @abstractmethod
    def choose(self, task: Hidden, belief: Set, request: Request, left: int, rng: Random) -> int:
        """Return the hypothesis to try next. `left`: the number of attempts left."""

    def takes_in(self, rng: Random) -> bool:  # noqa: ARG002 - only some subclasses draw
        """Whether the model takes the feedback on an attempt into account in its next attempt."""
        return True

    def _believes(self, task: Hidden, request: Request, rng: Random) -> Set:
        last = _last(request.messages)
        if last is None:
            return task.everything
        belief = last.belief & ~(1 << last.tried[0]) if len(last.tried) == 1 else last.belief
        if self.takes_in(rng) and not needs_placebo_source(request.policy):
            belief = belief & _explaining(task, request.policy, last) or belief
        return belief or task.everything

    def _without_memory(self, task: Hidden, start: Set, request: Request, rng: Random) -> tuple[int, Set]:
        """Return the hypothesis to try next and the hypotheses that are still possible.

        Both are computed from the number of earlier attempts, as if the model knew only that these attempts failed.
        """
        belief, total = start, request.attempt + request.attempts_left
        for number in range(request.attempt):
            belief &= ~(1 << self.choose(task, belief, request, total - number, rng))
            belief = belief or start
        return self.choose(task, belief, request, request.attempts_left, rng), belief


class BestPlayer(Observer):
    """An observer that follows the optimal policy."""

    def mixture(self, task: Hidden, belief: Set, request: Request, left: int, rng: Random) -> Mixture:
        best = self.best(task, request)
        if isinstance(best, CountPlay):
            return best.assignment(belief, left)
        return super().mixture(task, belief, request, left, rng)

    def choose(self, task: Hidden, belief: Set, request: Request, left: int, rng: Random) -> int:  # noqa: ARG002
        return self.best(task, request).next(belief, left)

    def best(self, task: Hidden, request: Request) -> BestPlay:
        return play(task, request.policy, request.attempt + request.attempts_left)


class Asker(BestPlayer):
    """An observer that follows the optimal policy for a model that may ask questions."""

    def best(self, task: Hidden, request: Request) -> BestPlay:
        asks = request.questions_left + len(_asked(request.messages))
        return play(task, request.policy, request.attempt + request.attempts_left, asks)

    def ask(self, task: Hidden, belief: Set, request: Request, left: int) -> str | None:
        question = self.best(task, request).ask(belief, left, request.questions_left)
        return None if question is None else task.questions()[question]


@dataclass(frozen=True)
class Critic(BestPlayer):
    """A critic that names the optimal policy's next hypothesis with probability `decode`, and otherwise a different
    one.
    """

    role = "critic"

    decode: float

    def answer(self, request: Request) -> str:
        if request.role != self.role:
            raise UsageError(f"'{self.name}' only analyses failures: set it as critic.model")
        return super().answer(request)

    def choose(self, task: Hidden, belief: Set, request: Request, left: int, rng: Random) -> int:
        best = super().choose(task, belief, request, left, rng)
        others = [h for h in range(len(task.tasks)) if h != best]
        return best if not others or rng.random() < self.decode else rng.choice(others)

    def reply(self, task: Hidden, tried: Mixture, belief: Set) -> str:  # noqa: ARG002
        return _ANALYSIS.format(tried=tried[0], belief=belief)


@dataclass(frozen=True)
class Stubborn(BestPlayer):
    """Follows the optimal policy, but ignores the feedback on each attempt with probability `ignore`."""

    ignore: float

    def takes_in(self, rng: Random) -> bool:
        return rng.random() >= self.ignore


class Enumerator(Observer):
    """An observer that tries the hypotheses one after the other, in a random order."""

    def choose(self, task: Hidden, belief: Set, request: Request, left: int, rng: Random) -> int:  # noqa: ARG002
        return rng.choice(list(members(belief)))

    def takes_in(self, rng: Random) -> bool:  # noqa: ARG002
        return False


class Consistent(Observer):
    """An observer that tries a random hypothesis that the feedback has not excluded."""

    def choose(self, task: Hidden, belief: Set, request: Request, left: int, rng: Random) -> int:  # noqa: ARG002
        return rng.choice(list(members(belief)))


class Reader(Enumerator):
    """An observer that tries the hypothesis named in a critic's analysis."""

    def choose(self, task: Hidden, belief: Set, request: Request, left: int, rng: Random) -> int:
        if request.attempt == 0:
            return play(task, request.policy, left).next(belief, left)
        named = _analysis(task, request.messages)
        return super().choose(task, belief, request, left, rng) if named is None else named[0]

    def _believes(self, task: Hidden, request: Request, rng: Random) -> Set:
        named = _analysis(task, request.messages)
        return super()._believes(task, request, rng) if named is None else named[1]


class Forgetful(Observer):
    """Tries a random hypothesis."""

    def choose(self, task: Hidden, belief: Set, request: Request, left: int, rng: Random) -> int:  # noqa: ARG002
        return rng.randrange(len(task.tasks))


RESPONDERS: dict[str, type[Observer]] = {
    "observer": BestPlayer,
    "asker": Asker,
    "enumerator": Enumerator,
    "consistent": Consistent,
    "reader": Reader,
    "forgetful": Forgetful,
}
"""The models that take no options."""


class _Last(NamedTuple):
    """The last answer in a conversation.

    `tried`: the hypothesis that the answer implements, or the hypothesis that each call of the answer implements.
    `belief`: the hypotheses that were possible before the answer. `message`: the message with the feedback on the
    answer.
    """

    tried: tuple[int, ...]
    belief: Set
    message: str


def _program(task: Hidden, tried: Mixture, belief: Set) -> str:
    named = tried[:1] if len(set(tried)) == 1 else tried
    mark = _MARK.format(tried=",".join(map(str, named)), belief=belief)
    return f"{task.program(tried).rstrip()}\n\n{task.tasks[0].language.comment} {mark}"


def _last(messages: list[dict[str, Any]]) -> _Last | None:
    """Return the last answer in the conversation, with its feedback.

    If a user message quotes the answer, this message also contains the feedback. Otherwise, the feedback is in the
    first user message after the answer.
    """
    last = last_mark(messages, _MARKED)
    if last is None:
        return None
    mark, since = last
    feedback = next((one["content"] for one in since if one["role"] == "user"), "")
    tried = tuple(map(int, mark["tried"].split(",")))
    return _Last(tried, int(mark["belief"], 16), without_tiny_numbers(feedback))


def _explaining(task: Hidden, policy: str, last: _Last) -> Set:
    """Return the hypotheses under which the last answer would receive exactly the feedback in the conversation.

    One feedback text may be a prefix of another. Therefore, the longest text found in the message is used. Further text
    may follow the feedback in the message.
    """
    tried = task.hypothesis(last.tried[0]) if len(last.tried) == 1 else last.tried
    texts = task.texts(policy, task.outcome(tried), _program(task, tried, last.belief))
    shown = [without_request(task.tasks[0], text) if text else "" for text in texts]
    longest = max((text for text in shown if text and text in last.message), key=len, default=None)
    return cells_of(shown).get(longest, 0)


def _asked(messages: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return the questions asked since the last answer, each with its reply."""
    last = last_mark(messages, _MARKED)
    since = messages if last is None else last[1]
    asked = ((_ASKED.fullmatch(one["content"]), other["content"]) for one, other in pairwise(since))
    return [(found["question"], reply) for found, reply in asked if found]


def _analysis(task: Hidden, messages: list[dict[str, Any]]) -> tuple[int, Set] | None:
    """Return the hypothesis that a critic named in the last feedback, and the hypotheses that the critic found
    possible.
    """
    last = _last(messages)
    found = last and _ANALYSED.search(last.message)
    if not found or int(found["tried"]) >= len(task.tasks):
        return None
    return int(found["tried"]), int(found["belief"], 16) & task.everything
