"""Simulated models, which start from the reference solution, insert realistic mistakes, and fix the mistakes that
feedback shows.

The programs of simulated models are executed and judged like all other programs. A repair depends on the evidence in
the feedback (see `feedback`). Simulated models are for testing the whole tool; their results say nothing about language
models.

`sim/novice`, `sim/journeyman` (the default, `sim`), `sim/expert`: see `profiles`. `sim/bernoulli?first=P&repair=Q` is
correct with probability P at first and Q at each repair, regardless of the feedback. The incorrect answers of
`sim/bernoulli` fail every check. With `&decay=D`, each repair succeeds with D times the probability of the previous
repair. `sim/tinkerer?tries=N&first=P&trial=T&repair=Q` runs its program before it answers. The program is correct with
probability P at first and Q at each repair. If the experiment lets models run programs, `sim/tinkerer` runs its program
until the program is correct, but at most N times. After each run of an incorrect program, the model fixes the program
with probability T. If the model may run its program n times, the first answer is correct with probability 1 - (1 - P)
(1 - T)^n. Some models answer only tasks that hide a hypothesis (see `observers`): `sim/observer`, `sim/asker`,
`sim/enumerator`, `sim/consistent`, `sim/reader`, `sim/forgetful` and `sim/stubborn?ignore=P`. `sim/critic?decode=P`
analyses failed answers to tasks that hide a hypothesis. `sim/solver?horizon=H&repair=R` has a known horizon on the
suite `horizon` (see `solver`).
"""

from __future__ import annotations

import hashlib
import json
import math
from abc import ABC, abstractmethod
from random import Random
from typing import Any
from urllib.parse import parse_qsl, urlencode

from repair_bench.agent.models.base import Model, Request, Role
from repair_bench.agent.models.sim import mistakes as sim_mistakes
from repair_bench.agent.models.sim import observers
from repair_bench.agent.models.sim.feedback import Cue, read_feedback
from repair_bench.agent.models.sim.mistakes import Label
from repair_bench.agent.models.sim.profiles import PROFILES, Profile
from repair_bench.agent.models.sim.solver import Solver
from repair_bench.prompts.tools import TOOLS
from repair_bench.suites.mutations.mistakes import CERTAIN
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


class SimulatedModel(Model):
    """Answers immediately. Identical requests receive identical answers."""

    simulated = True
    supports_prefill = True

    def __init__(self, name: str, responder: BugInjector | observers.Observer | Solver) -> None:
        self.name = name
        self.responder = responder

    async def complete(self, request: Request) -> Completion:
        """Return the answer to a request. The cost and latency of the answer are left empty."""
        text = self.responder.answer(request) if request.role in ("answer", self.responder.role) else ""
        sent = {"temperature": request.temperature, "max_tokens": request.max_tokens, "seed": request.seed}
        params = {name: value for name, value in sent.items() if value is not None}
        return Completion(text, usage=_usage(request, text), params=params)


class Tinkerer(Model):
    """A simulated model that runs its program up to `tries` times before it answers.

    `first`, `trial`, `repair`: the probabilities that the first program is correct, that a run of an incorrect program
    leads to a fix, and that a repair is correct.
    """

    simulated = True
    supports_prefill = False
    supports_tools = True

    def __init__(self, name: str, tries: int, first: float, trial: float, repair: float) -> None:
        self.name = name
        self._tries, self._first, self._trial, self._repair = tries, first, trial, repair

    async def complete(self, request: Request) -> Completion:
        """Return a tool call or the answer, with unknown cost and latency."""
        last = max(number for number, message in enumerate(request.messages) if message["role"] == "user")
        ran = sum(message["role"] == "tool" for message in request.messages[last:])
        mistakes = self._mistakes(request, ran)
        source = sim_mistakes.planted_source(request.task, mistakes).rstrip()
        usage = _usage(request, source)
        if request.tools and mistakes and ran < self._tries:
            function = {"name": TOOLS["python"].function, "arguments": json.dumps({"code": source})}
            call = {"id": f"call_{ran}", "type": "function", "function": function}
            return Completion("", usage=usage, parts={"tool_calls": [call]}, reply="tool_calls")
        return Completion(f"```python\n{source}\n```\n", usage=usage, reply="text")

    def _mistakes(self, request: Request, ran: int) -> list[Label]:
        rng = sim_mistakes.stream(self.name, request)
        if rng.random() < (self._first if request.attempt == 0 else self._repair):
            return []
        mistake = sim_mistakes.draw_raising(rng, CERTAIN)
        fixed = any(rng.random() < self._trial for _ in range(ran))
        return [] if fixed else [mistake]


class BugInjector(ABC):
    """A model whose answer is the reference solution with the mistakes that `decide` returns."""

    role: Role = "answer"

    def __init__(self, name: str) -> None:
        self._name = name

    def answer(self, request: Request) -> str:
        rng = _stream(self._name, request)
        solvable = sim_mistakes.is_solvable(request.task)
        planted = self.decide(request) if solvable else [sim_mistakes.draw_unsolved(rng)]
        return _answer(request.task, planted, rng)

    @abstractmethod
    def decide(self, request: Request) -> list[Label]:
        """Return the mistakes to insert into the answer; identical requests lead to identical mistakes."""


class ProfileModel(BugInjector):
    """Inserts and fixes mistakes according to a profile. At temperature 0 the seed has no effect."""

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
        return self._repair(planted, read_feedback(feedback, verdict, request.task.entry_point), request.task, rng)

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

    def _repair(self, planted: list[Label], cues: set[Cue], task: Task, rng: Random) -> list[Label]:
        raising = any(map(sim_mistakes.is_raising, planted))
        kept: list[Label] = []
        for label in planted:
            hidden = raising and not sim_mistakes.is_raising(label)
            if rng.random() >= self._profile.fixes(cues, hidden=hidden):
                kept.append(label)
        if rng.random() < self._profile.slip:
            fails = rng.random() < self._profile.raising and not any(map(sim_mistakes.is_raising, kept))
            new = sim_mistakes.draw_raising(rng) if fails else sim_mistakes.draw_wrong(rng, task)
            kept += [new] if new is not None and new not in kept else []
        return kept


class Bernoulli(BugInjector):
    """A simulated model whose answers are correct with known probabilities. `first`: the probability that the first
    answer is correct. `repair`: the probability that a repair is correct.

    `decay`: the factor by which the probability of a correct repair is multiplied after each repair.
    """

    def __init__(self, name: str, first: float, repair: float, decay: float = 1.0) -> None:
        super().__init__(name)
        self._first, self._repair, self._decay = first, repair, decay

    def decide(self, request: Request) -> list[Label]:
        rng = sim_mistakes.stream(self._name, request)
        repair = self._repair * self._decay ** (request.attempt - 1) if request.attempt else self._first
        return [] if rng.random() < repair else [sim_mistakes.draw_raising(rng, CERTAIN)]


def create(name: str) -> Model:
    """Return the simulated model with this name. Raises UsageError for an unknown profile or an invalid option."""
    profile, _, options = name.removeprefix("sim").removeprefix("/").partition("?")
    profile = profile or "journeyman"
    if profile == "bernoulli":
        decay = {"decay": "D"} if "decay=" in options else {}
        return SimulatedModel(name, Bernoulli(name, **_probabilities(name, options, first="P", repair="Q", **decay)))
    if profile == "stubborn":
        return SimulatedModel(name, observers.Stubborn(name, **_probabilities(name, options, ignore="P")))
    if profile == "critic":
        return SimulatedModel(name, observers.Critic(name, **_probabilities(name, options, decode="P")))
    if profile == "tinkerer":
        return _tinkerer(name, options)
    if profile == "solver":
        return SimulatedModel(name, Solver.of(name, options))
    if profile not in PROFILES and profile not in observers.RESPONDERS:
        known = ", ".join(f"sim/{profile}" for profile in (*PROFILES, *observers.RESPONDERS))
        more = "sim/bernoulli?first=P&repair=Q, sim/stubborn?ignore=P, sim/critic?decode=P, sim/tinkerer?tries=N"
        more += ", sim/solver?horizon=H"
        raise UsageError(f"unknown simulated model '{name}'; choose from {known}, {more}")
    if options:
        raise UsageError(f"'{name}': sim/{profile} takes no options")
    if profile in observers.RESPONDERS:
        return SimulatedModel(name, observers.RESPONDERS[profile](name))
    return SimulatedModel(name, ProfileModel(name, PROFILES[profile]))


def _tinkerer(name: str, options: str) -> Model:
    pairs = dict(parse_qsl(options, keep_blank_values=True))
    tries = pairs.pop("tries", "")
    if not (tries.isascii() and tries.isdecimal() and len(tries) < 4):
        raise UsageError(
            f"'{name}': use sim/tinkerer?tries=N with N from 0 to 999 (first, trial and repair are optional)"
        )
    given = urlencode({"first": 0.3, "trial": 0.3, "repair": 0.3, **pairs})
    return Tinkerer(name, int(tries), **_probabilities(name, given, first="P", trial="T", repair="Q"))


def _probabilities(name: str, options: str, **letters: str) -> dict[str, float]:
    """Return the probabilities given as options in a model's name.

    `letters`: for each option, the letter that represents its value in the error message.
    """
    written = "&".join(f"{option}={letter}" for option, letter in letters.items())
    usage = f"'{name}': use {name.partition('?')[0]}?{written} with {' and '.join(letters.values())} from 0 to 1"
    try:
        pairs = parse_qsl(options, strict_parsing=True, keep_blank_values=True)
        values = {key: float(value) for key, value in pairs}
    except ValueError:
        raise UsageError(usage) from None
    known = len(pairs) == len(letters) and set(values) == set(letters)
    if not known or not all(0 <= value <= 1 for value in values.values()):
        raise UsageError(usage)
    return values


def _last_answer(messages: list[dict[str, Any]]) -> tuple[list[Label], str] | None:
    """Return the mistakes in the last answer of a conversation, and the feedback on it; None if there is no answer."""
    last = sim_mistakes.last_mark(messages, sim_mistakes.MARKED)
    if last is None:
        return None
    mark, (message, *later) = last
    quoted = [message["content"][mark.end() :]] if message["role"] == "user" else []
    feedback = [message["content"] for message in later if message["role"] == "user"]
    return sim_mistakes.labels(mark), "\n".join(quoted + feedback)


def _stream(name: str, request: Request) -> Random:
    """Return the random number generator for a request; at temperature 0, it depends only on the conversation."""
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
    # the mark comes last, so that the code begins like that of a real model
    language = task.language
    return f"{opening}```{language.tags[0]}\n{source}\n\n{language.comment} {mark}\n```\n"


def _usage(request: Request, text: str) -> dict[str, Any]:
    read = math.ceil(sum(len(message["content"]) for message in request.messages) / 4)
    written = math.ceil(len(text) / 4)
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
