"""A model without a model: it starts from the reference solution, plants real mistakes and mends them when it is told.

Its programs are executed and judged like any other. What it mends depends on what the feedback shows of its own last
attempt: see `sim_feedback`. It shows the whole instrument at work and tests it; its figures say nothing about any
language model.

`sim/novice`, `sim/journeyman` (the default, `sim`), `sim/expert`: see `sim_profiles`. `sim/bernoulli?first=P&repair=Q`
is right with probability P at the first answer and Q at each repair, whatever it is told; when it is wrong no check can
accept it. With `&decay=D` each repair is right with D times the probability of the one before.
`sim/observer`, `sim/enumerator`, `sim/forgetful` and `sim/stubborn?ignore=P` answer the tasks that hide a hypothesis,
with one hypothesis each time: see `sim_observers`.
"""

from __future__ import annotations

import hashlib
import json
import math
from abc import ABC, abstractmethod
from random import Random
from typing import Any, Protocol
from urllib.parse import parse_qsl, urlencode

from repair_bench.agent.models.base import Model, Request
from repair_bench.agent.models.sim import mistakes as sim_mistakes
from repair_bench.agent.models.sim import observers
from repair_bench.agent.models.sim.feedback import FeedbackContent, read_feedback
from repair_bench.agent.models.sim.mistakes import Label
from repair_bench.agent.models.sim.profiles import PROFILES, Profile
from repair_bench.agent.models.sim.tinkerer import Tinkerer
from repair_bench.suites.task import Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Completion

_MAX_MISTAKES = 3

_OPENINGS = (
    "",
    "",
    "Here is the program.\n\n",
    "This should do it:\n\n",
    "The circuit below follows the statement step by step.\n\n",
)


class Responder(Protocol):
    """Writes the answers."""

    def answer(self, request: Request) -> str:
        """The answer to a request; always the same for the same request."""
        ...


class SimulatedModel:
    """Answers at once. The same request brings the same answer."""

    simulated = True
    supports_prefill = True
    supports_tools = False

    def __init__(self, name: str, mind: Responder) -> None:
        self.name = name
        self._mind = mind

    async def complete(self, request: Request) -> Completion:
        """The answer. Tokens are counted as four characters each; cost and latency are unknown."""
        text = self._mind.answer(request)
        asked = {"temperature": request.temperature, "max_tokens": request.max_tokens, "seed": request.seed}
        read = _tokens("".join(message["content"] for message in request.messages))
        usage = {"prompt_tokens": read, "completion_tokens": _tokens(text), "total_tokens": read + _tokens(text)}
        return Completion(text, usage=usage, params={name: value for name, value in asked.items() if value is not None})

    async def close(self) -> None:
        """Nothing was started."""


class BugInjector(ABC):
    """Answers with the reference and the mistakes that it decides upon."""

    def __init__(self, name: str) -> None:
        self._name = name

    def answer(self, request: Request) -> str:
        rng = _stream(self._name, request)
        solvable = sim_mistakes.is_solvable(request.task)
        planted = self.decide(request) if solvable else [sim_mistakes.draw_unsolved(rng)]
        return _answer(request.task, planted, rng)

    @abstractmethod
    def decide(self, request: Request) -> list[Label]:
        """The mistakes of the answer to a request; always the same for the same request."""


class ProfileModel(BugInjector):
    """Plants and mends by a profile. At temperature 0 the seed plays no part."""

    def __init__(self, name: str, profile: Profile) -> None:
        super().__init__(name)
        self._profile = profile

    def decide(self, request: Request) -> list[Label]:
        rng = _stream(self._name, request)
        last = _last_answer(request.messages)
        if last is None:
            return self._begin(request.task, rng)
        planted, feedback = last
        verdict = request.last.verdict if request.last is not None else None
        cues = read_feedback(feedback, verdict, request.task.entry_point)
        return self._mend(planted, cues, request.task, rng)

    def _begin(self, task: Task, rng: Random) -> list[Label]:
        if rng.random() < self._profile.first(task.difficulty):
            return []
        planted: list[Label] = []
        if rng.random() < self._profile.raising:
            planted.append(sim_mistakes.draw_raising(rng))
        while len(planted) < _MAX_MISTAKES:
            wrong = sim_mistakes.draw_wrong(rng, task)
            if wrong is not None and (not planted or rng.random() < self._profile.another):
                planted += [wrong] if wrong not in planted else []
            else:
                break
        return planted or [sim_mistakes.draw_raising(rng)]

    def _mend(self, planted: list[Label], cues: FeedbackContent, task: Task, rng: Random) -> list[Label]:
        raising = any(sim_mistakes.is_raising(label) for label in planted)
        kept: list[Label] = []
        for label in planted:
            hidden = raising and not sim_mistakes.is_raising(label)
            if rng.random() >= self._profile.mends(cues, hidden=hidden):
                kept.append(label)
        if rng.random() < self._profile.slip:
            fails = rng.random() < self._profile.raising and not any(map(sim_mistakes.is_raising, kept))
            new = sim_mistakes.draw_raising(rng) if fails else sim_mistakes.draw_wrong(rng, task)
            kept += [new] if new is not None and new not in kept else []
        return kept


class Bernoulli(BugInjector):
    """Right with one probability at first and another at each repair, independent of everything but the seed.

    `decay`: what the probability of a repair is multiplied by from one to the next.
    """

    def __init__(self, name: str, first: float, repair: float, decay: float = 1.0) -> None:
        super().__init__(name)
        self._first = first
        self._repair = repair
        self._decay = decay

    def decide(self, request: Request) -> list[Label]:
        rng = Random(f"{self._name} {request.seed} {request.attempt}")  # noqa: S311 - a simulation, not a secret
        repair = self._repair * self._decay ** (request.attempt - 1) if request.attempt else self._first
        return [] if rng.random() < repair else [sim_mistakes.draw_certain(rng)]


def create(name: str) -> Model:
    """The simulated model of a name. Raises UsageError for an unknown profile or option, or a bad probability."""
    profile, _, options = name.removeprefix("sim").removeprefix("/").partition("?")
    profile = profile or "journeyman"
    if profile == "bernoulli":
        decay = {"decay": "D"} if "decay=" in options else {}
        return SimulatedModel(name, Bernoulli(name, **_probabilities(name, options, first="P", repair="Q", **decay)))
    if profile == "stubborn":
        return SimulatedModel(name, observers.Stubborn(name, **_probabilities(name, options, ignore="P")))
    if profile == "tinkerer":
        return _tinkerer(name, options)
    if profile not in PROFILES and profile not in observers.RESPONDERS:
        known = ", ".join(f"sim/{profile}" for profile in (*PROFILES, *observers.RESPONDERS))
        more = "sim/bernoulli?first=P&repair=Q, sim/stubborn?ignore=P, sim/tinkerer?tries=N"
        raise UsageError(f"unknown simulated model '{name}'; choose from {known}, {more}")
    if options:
        raise UsageError(f"'{name}': sim/{profile} takes no options")
    if profile in observers.RESPONDERS:
        return SimulatedModel(name, observers.RESPONDERS[profile](name))
    return SimulatedModel(name, ProfileModel(name, PROFILES[profile]))


def _tinkerer(name: str, options: str) -> Model:
    """Of its options only `tries` must be given."""
    pairs = dict(parse_qsl(options, keep_blank_values=True))
    tries = pairs.pop("tries", "")
    if not (tries.isascii() and tries.isdecimal() and len(tries) < 4):
        raise UsageError(f"'{name}': write sim/tinkerer?tries=N with N from 0 to 999, and first, trial, repair")
    given = urlencode({"first": 0.3, "trial": 0.3, "repair": 0.3, **pairs})
    return Tinkerer(name, int(tries), **_probabilities(name, given, first="P", trial="T", repair="Q"))


def _probabilities(name: str, options: str, **asked: str) -> dict[str, float]:
    """The probabilities that a name gives. `asked`: the letter of each, for a sentence on how to write them."""
    written = "&".join(f"{option}={letter}" for option, letter in asked.items())
    usage = f"'{name}': write {name.partition('?')[0]}?{written} with {' and '.join(asked.values())} between 0 and 1"
    try:
        pairs = parse_qsl(options, strict_parsing=True, keep_blank_values=True)
        values = {key: float(value) for key, value in pairs}
    except ValueError:
        raise UsageError(usage) from None
    known = len(pairs) == len(asked) and set(values) == set(asked)
    if not known or not all(0 <= value <= 1 for value in values.values()):
        raise UsageError(usage)
    return values


def _last_answer(messages: list[dict[str, Any]]) -> tuple[list[Label], str] | None:
    """The mistakes of the last answer in the conversation and the feedback on it; None where there is no answer.

    The last answer stands in a message of its own, or is quoted before the feedback in the last message of the user. A
    message after that which begins the next answer says nothing.
    """
    for index in range(len(messages) - 1, -1, -1):
        text = messages[index]["content"]
        marked = sim_mistakes.read_mark(text)
        if marked is None:
            continue
        planted, end = marked
        quoted = [text[end:]] if messages[index]["role"] == "user" else []
        later = [message["content"] for message in messages[index + 1 :] if message["role"] == "user"]
        return planted, "\n".join(quoted + later)
    return None


def _stream(name: str, request: Request) -> Random:
    """The random numbers of a request. At temperature 0 they follow from the conversation alone."""
    task = request.task
    source = request.messages if request.temperature == 0 else [request.seed, request.sample]
    key = json.dumps([name, task.suite, task.id, task.framework, request.attempt, source])
    return Random(hashlib.sha256(key.encode()).digest())  # noqa: S311 - a simulation, not a secret


def _answer(task: Task, planted: list[Label], rng: Random) -> str:
    source = sim_mistakes.planted_source(task, planted).rstrip()
    mark = sim_mistakes.mark(planted)
    if any(label.startswith("prose:") for label in planted):
        return f"{source}\n\n({mark})\n"
    opening = rng.choice(_OPENINGS)
    if not sim_mistakes.is_solvable(task):
        opening = f"No reference solution in {task.framework}: the simulated model cannot solve this task.\n\n"
    # the mark comes last, so that the code begins as a model's would
    language = task.language
    return f"{opening}```{language.tags[0]}\n{source}\n\n{language.comment} {mark}\n```\n"


def _tokens(text: str) -> int:
    return math.ceil(len(text) / 4)
