"""Measure how much feedback reveals about a task's hidden hypothesis. To judge answers and to write feedback, this
module uses the same code as the grading of runs.

No program is executed: outcomes come from recorded attempts, or are computed with numpy from the circuits that are
correct under a hypothesis. The check judges each outcome several times, each time as if a different hypothesis were
true.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Any, cast

import numpy as np

from repair_bench import suites
from repair_bench.analysis.comparing.arms import policies
from repair_bench.analysis.feedback_use.best_play import BestPlay, Set
from repair_bench.analysis.feedback_use.counted_calls import CountPlay
from repair_bench.analysis.feedback_use.ideal_observer import PASS, Partition, Play, cells_of, consistent
from repair_bench.analysis.feedback_use.use import Observed, Reach, Seen, adjusted_curve
from repair_bench.analysis.rates.metrics import episodes
from repair_bench.analysis.runs.notices import repairs_of
from repair_bench.coroutines import run_to_end
from repair_bench.frameworks import USUAL
from repair_bench.grading.judge import verdict_on
from repair_bench.prompts import probe
from repair_bench.prompts.feedback import PlaceboSource, cases, consults, make_feedback, needs_placebo_source
from repair_bench.prompts.feedback.donors import form
from repair_bench.suites.checks import CircuitCheck, observation, order, questions
from repair_bench.suites.checks.judge import CaseResult
from repair_bench.suites.conventions.edition import NAME, Edition, Level, level_of
from repair_bench.suites.conventions.hypotheses import accepts, separates
from repair_bench.suites.conventions.loader import task_under
from repair_bench.suites.conventions.render import RENDERERS
from repair_bench.suites.task import Hypotheses, Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Attempt, Feedback, Outcome, Verdict
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_reader import Run

DIGITS = 12
"""Outcomes that agree to this number of decimals are treated as equal."""
_QUOTED = "the program goes here"
"""A placeholder for the program's code in cached feedback texts."""


@dataclass(frozen=True, eq=False)
class Hidden(ABC):
    """A task with a hidden hypothesis. `tasks`: one version of the task per hypothesis; in each version, that
    hypothesis is the true one. `truth`: the index of the true hypothesis. `calls`: the number of calls whose answers
    can follow different hypotheses. Feedback texts are cached.

    A *mixture* lists, for each of these calls, the index of the hypothesis that the answer to the call follows.
    """

    level: Level | Hypotheses
    tasks: tuple[Task, ...]

    @property
    def truth(self) -> int:
        return self.level.truth

    @property
    @abstractmethod
    def family(self) -> str: ...

    @property
    @abstractmethod
    def calls(self) -> int: ...

    @abstractmethod
    def outcome(self, mixture: Sequence[int]) -> Outcome:
        """Return the outcome of the program for a mixture."""

    @abstractmethod
    def program(self, mixture: Sequence[int]) -> str:
        """Return a program whose answer to each call follows the hypothesis that `mixture` lists for that call."""

    @property
    def everything(self) -> Set:
        return (1 << len(self.tasks)) - 1

    def hypothesis(self, h: int) -> tuple[int, ...]:
        return (h,) * self.calls

    @property
    def separated(self) -> bool:
        """Whether every answer to a call is correct under at most one hypothesis, as far as is known."""
        return False

    def verdicts(self, outcome: Outcome | None) -> list[Verdict]:
        return [verdict_on(task, outcome) for task in self.tasks]

    def mixes(self, outcome: Outcome | None) -> bool:  # noqa: ARG002 - a task without separate calls has no mixtures
        """Whether the answer to each call, considered individually, is correct under some hypothesis."""
        return False

    @cached_property
    def _texts(self) -> dict[tuple[str, Hashable], tuple[Feedback | None, ...]]:
        return {}

    def texts(self, policy: str, outcome: Outcome | None, code: str | None) -> tuple[str | None, ...]:
        """For each hypothesis, return the feedback that the policy would give if the hypothesis were true.

        The feedback is None for a hypothesis under which the answer would pass.
        """
        key = (policy, _key(outcome))
        feedback = self._texts.get(key)
        if feedback is None:
            feedback = self._texts[key] = self._feedback(policy, self.verdicts(outcome), _QUOTED)
        if any(one is not None and one.redacted for one in feedback):  # redaction also depends on the program
            feedback = self._feedback(policy, self.verdicts(outcome), code)
        return tuple(None if one is None else one.text.replace(_QUOTED, (code or "").rstrip()) for one in feedback)

    def _feedback(self, policy: str, verdicts: Sequence[Verdict], code: str | None) -> tuple[Feedback | None, ...]:
        """Return the feedback under each hypothesis.

        If a hypothesis gives the same verdict as the true hypothesis, both hypotheses also give the same feedback.
        """
        true, made = verdicts[self.truth], dict[int, Feedback | None]()
        for h in (self.truth, *range(len(self.tasks))):
            task, verdict = self.tasks[h], verdicts[h]
            if verdict.kind == "pass":
                made[h] = None
            elif h in made or (self.truth in made and verdict == true):
                made[h] = made[self.truth]
            else:
                # the text of another task does not depend on the hypothesis, so it is empty here
                empty = PlaceboSource("", "", task.framework, "", verdict.kind, form(task, verdict), "")
                source = empty if needs_placebo_source(policy) else None
                made[h] = make_feedback(policy, task, verdict, code=code, donor=source)
        return tuple(made[h] for h in range(len(self.tasks)))


@dataclass(frozen=True, eq=False)
class HiddenByPackage(Hidden):
    """A task of another package's suite, which states the hypotheses and the outcomes of their references."""

    level: Hypotheses

    @property
    def family(self) -> str:
        return self.level.family

    @property
    def calls(self) -> int:
        return 1

    def outcome(self, mixture: Sequence[int]) -> Outcome:
        return self.level.outcomes[mixture[0]]

    def program(self, mixture: Sequence[int]) -> str:
        return self.tasks[mixture[0]].reference or ""


@dataclass(frozen=True, eq=False)
class HiddenLevel(Hidden):
    """A task of the suite `conventions`. Results of calls are cached."""

    level: Level
    framework: str
    _findings: dict[tuple[int, Hashable], tuple[CaseResult, ...]] = field(default_factory=dict, repr=False)

    @property
    def family(self) -> str:
        return self.level.problem.family.name

    @property
    def calls(self) -> int:
        return len(self.level.problem.calls)

    @property
    def checks(self) -> tuple[CircuitCheck, ...]:
        return tuple(cast("CircuitCheck", task.check) for task in self.tasks)

    def outcome(self, mixture: Sequence[int]) -> Outcome:
        made = [self.level.hypotheses[h].answers[call] for call, h in enumerate(mixture)]
        kind = self.level.problem.family.kind
        return Outcome("returned", {"cases": [_observation(kind, answer, self.framework) for answer in made]})

    def program(self, mixture: Sequence[int]) -> str:
        circuits = [self.level.hypotheses[h].circuits[call] for call, h in enumerate(mixture)]
        calls = list(zip(self.level.problem.calls, circuits, strict=True))
        return RENDERERS[self.framework](self.level.problem.family, calls)

    @cached_property
    def separated(self) -> bool:
        kind = self.level.problem.family.kind
        answers = zip(*(hypothesis.answers for hypothesis in self.level.hypotheses), strict=True)
        return self.checks[0].rule == "exact" and all(separates(kind, under) for under in answers)

    def verdicts(self, outcome: Outcome | None) -> list[Verdict]:
        findings = self._results(outcome)
        if findings is None:
            return super().verdicts(outcome)
        return [check.verdict([call[h] for call in findings]) for h, check in enumerate(self.checks)]

    def mixes(self, outcome: Outcome | None) -> bool:
        findings = self._results(outcome)
        return findings is not None and all(any(found.problem is None for found in call) for call in findings)

    def _results(self, outcome: Outcome | None) -> list[tuple[CaseResult, ...]] | None:
        """Return the results of each call under each hypothesis, or None if the outcome contains no observations."""
        if outcome is None:
            return None
        try:
            seen = observation.observed(outcome, self.calls)
        except observation.Unreadable:
            return None
        made = []
        for call, case in enumerate(seen):
            key = (call, _digits(case))
            if key not in self._findings:
                self._findings[key] = tuple(check.judge_case(call, case, self.framework) for check in self.checks)
            made.append(self._findings[key])
        return made


@lru_cache(maxsize=1024)
def hidden(suite: str, task_id: str, framework: str, rule: str = "exact") -> Hidden | None:
    """Return the task with its hypotheses, or None if the suite states no hypotheses."""
    level = level_of(suite, task_id, framework)
    if level is not None:
        return hidden_at(level, framework, suite=suite, say=Edition.of(suite).say, rule=rule)
    stated = suites.hypotheses_of(suite, task_id, framework)
    return None if stated is None else HiddenByPackage(stated, stated.tasks)


def hidden_at(level: Level, framework: str, *, suite: str, say: str = "listed", rule: str = "exact") -> HiddenLevel:
    family, calls = level.problem.family, level.problem.calls
    # the prompt is the same under all hypotheses, and takes the most time
    first = task_under(level, level.hypotheses[0], framework, suite=suite, say=say, rule=rule)
    tasks = [
        replace(
            first,
            check=replace(cast("CircuitCheck", first.check), cases=hypothesis.cases(calls)),
            reference=RENDERERS[framework](family, list(zip(calls, hypothesis.circuits, strict=True))),
            reference_on=None,  # that of the first hypothesis
        )
        for hypothesis in level.hypotheses
    ]
    return HiddenLevel(level, tuple(tasks), framework)


@lru_cache(maxsize=1024)
def partition(task: Hidden, policy: str) -> Partition:
    """Return the feedback on each program, for each hypothesis that may be true. There is one program per hypothesis.

    All placebo texts count as the same feedback.
    """
    numbers: dict[str | None, int] = {None: PASS}
    attempts = [task.hypothesis(h) for h in range(len(task.tasks))]
    texts = [task.texts(policy, task.outcome(each), task.program(each)) for each in attempts]
    return Partition(tuple(tuple(numbers.setdefault(text, len(numbers)) for text in row) for row in texts))


@lru_cache(maxsize=4096)
def answers(task: Hidden, question: str) -> tuple[str | None, ...]:
    """Return the answer to a question under each hypothesis, or None where the question has no answer.

    Only tasks of the suite `conventions` have answers.
    """
    if not isinstance(task, HiddenLevel):
        return (None,) * len(task.tasks)
    problem, kind, args = task.level.problem, task.level.problem.family.kind, questions.arguments(question)
    if args is None:
        return (None,) * len(task.tasks)
    made: list[str | None] = []
    for hypothesis, under in zip(task.level.hypotheses, task.tasks, strict=True):
        try:
            seen = _observation(kind, getattr(problem.circuit(hypothesis.choice, args), kind)(), task.framework)
            made.append(cases.show(questions.answer(under, Outcome("returned", {"cases": [seen]}))))
        except Exception:  # noqa: BLE001 - a family draws a circuit for any input of a model
            made.append(None)
    return tuple(made)


def questions_on(task: Hidden) -> list[str]:
    """Return the questions that the ideal observer may ask: one question about each call in the task's check."""
    return [questions.written(args) for args in task.level.problem.calls] if isinstance(task, HiddenLevel) else []


@lru_cache(maxsize=1024)
def play(task: Hidden, policy: str, attempts: int, asks: int = 0) -> BestPlay:
    """Return the optimal policy for a task and a number of attempts. The policy may ask `asks` questions before each
    attempt.

    Each attempt of the policy implements one hypothesis, with one exception. An attempt may be any program if the
    feedback policy is `count`, no questions are allowed, and no answer to a call is correct under more than one
    hypothesis.
    """
    if policy == "count" and not asks and task.separated:
        return CountPlay(len(task.tasks), task.calls, attempts)
    asked = [tuple(cells_of(answers(task, question)).values()) for question in questions_on(task)] if asks else []
    return Play(partition(task, policy), attempts, asked, asks)


@lru_cache(maxsize=4096)
def reach(task: Hidden, policy: str, attempts: int, asks: int = 0) -> Reach:
    """Return the best achievable curves for `attempts` attempts, each preceded by at most `asks` questions."""
    best = play(task, policy, attempts, asks)
    return Reach(len(task.tasks), best.curve, best.exact, consistent(partition(task, policy), attempts))


def posterior(task: Hidden, policy: str, attempts: Sequence[Attempt]) -> tuple[Seen, ...]:
    """Return the recorded attempts of an episode as the ideal observer interprets them.

    An attempt excludes all hypotheses except those that explain its feedback and the answers to its questions. If the
    feedback was not recorded, the feedback that the policy gives for the true hypothesis is used. Additional evidence
    that a policy obtains, such as a critic's analysis, is assumed not to depend on the hypothesis. The first attempt
    that has no verdict, or whose feedback is not explained by any hypothesis, is omitted together with all later
    attempts.
    """
    kept, seen = task.everything, []
    for number, attempt in enumerate(attempts):
        unanswered = attempt.verdict is None or attempt.completion is None
        if unanswered or (attempt.outcome is None and attempt.code is not None):
            break
        texts = task.texts(policy, attempt.outcome, attempt.code)
        feedback: str | None = None
        if not attempt.passed:
            following = attempts[number + 1].feedback if number + 1 < len(attempts) else None
            recorded = following is not None and following.policy == policy and not consults(policy)
            feedback = following.text if following is not None and recorded else texts[task.truth]
            if needs_placebo_source(policy):
                texts = tuple(None if text is None else feedback for text in texts)
        sets = cells_of(texts)
        asked = tuple(tuple(cells_of(row).values()) for row in _answers_before(task, attempt))
        for cells in asked:
            kept &= next(cell for cell in cells if cell >> task.truth & 1)
        kept &= sets.get(feedback, 0)
        if not kept:
            break
        realises = texts.index(None) if None in texts else None
        mixed = realises is None and task.mixes(attempt.outcome)
        seen.append(Seen(realises, mixed, kept, sets.pop(None, 0), tuple(sets.values()), asked))
    return tuple(seen)


def _answers_before(task: Hidden, attempt: Attempt) -> list[tuple[str | None, ...]]:
    """Return, for each question that the model asked before an attempt, the answer under each hypothesis.

    Answers to a refused question are None.
    """
    asked = [run for step in attempt.steps for run in step["runs"] if run.get("tool") == "ask"]
    return [
        answers(task, run["code"]) if (run["outcome"] or {}).get("status") == "returned" else (None,) * len(task.tasks)
        for run in asked[: attempt.questions]
    ]


def observed(run: Run) -> list[Observed]:
    """Return a run's episodes on tasks with a hidden hypothesis. Tasks of `changed_suites` are excluded.

    The episodes are sorted by id. All texts are read from the run's files, one episode at a time.
    """
    repairs, unknown = repairs_of(run.rows, run.manifest), changed_suites(run.manifest)
    recorded = episodes(run.rows)
    by_condition, made = policies(recorded, run.manifest), []
    for episode in recorded:
        first = episode.first
        rule = next((a.verdict.rule for a in episode.attempts if a.verdict is not None), "exact")
        task = None if first.suite in unknown else hidden(first.suite, first.task_id, first.framework, rule)
        if task is not None:
            policy = by_condition[first.condition]
            asks = run.manifest.conditions.get(first.condition, {}).get("ask", 0)
            attempts = [attempt.with_texts() for attempt in episode.attempts]
            seen, reached = posterior(task, policy, attempts), reach(task, policy, repairs + 1, asks)
            fair = adjusted_curve(play(task, policy, repairs + 1, asks), episode, seen)
            more = task.level.names, tuple(understood(task, one) for one in attempts)
            made.append(Observed(episode, task.family, task.level.bits, reached, seen, fair, *more))
    return made


def understood(task: Hidden, attempt: Attempt) -> bool | None:
    """Whether the model's reply to the decoding probe names the true options or equivalent options.

    The probe was sent before the attempt. The result is None if there is no reply.
    """
    if attempt.probe is None or attempt.probe.completion is None or not isinstance(task, HiddenLevel):
        return None
    level = task.level
    problem, truth = level.problem, level.hypotheses[level.truth]
    named = probe.choice(task.tasks[task.truth], attempt.probe.completion.text)
    if len(named) < level.opened:
        return False
    chosen = next(one for one in problem.every if one.choice == {**problem.hidden, **named})
    answers = zip(chosen.answers, truth.answers, strict=True)
    return all(accepts(problem.family.kind, one, other) for one, other in answers)


def changed_suites(manifest: Manifest) -> list[str]:
    """Return the names of a run's suites that have changed since the run or that no longer exist.

    The hypotheses of a changed or missing suite are unknown.
    """
    changed = []
    for name, (_, pinned) in manifest.suite_contents.items():
        if name.partition("?")[0] == NAME or suites.states_hypotheses(name):
            try:
                if _contents(name, tuple(manifest.experiment.get("frameworks", USUAL))) != pinned:
                    changed.append(name)
            except UsageError:
                changed.append(name)
    return changed


@lru_cache(maxsize=64)
def _contents(suite: str, frameworks: tuple[str, ...]) -> str:
    return run_to_end(suites.load(suite, frameworks=frameworks)).contents(frameworks)


def _observation(kind: str, answer: Any, framework: str) -> dict[str, Any]:
    """Convert an answer, in which qubit 0 or bit 0 comes first, to the form that a framework's adapter reports."""
    if kind == "distribution":
        own = order.keys(answer, framework)
        return {"kind": kind, "bits": len(next(iter(own))), "probabilities": own, "shots": None, "gates": {}}
    array = order.state(answer, framework) if kind == "state" else order.unitary(answer, framework)
    name = "amplitudes" if kind == "state" else "matrix"
    pairs = np.stack([array.real, array.imag], axis=-1).tolist()
    return {"kind": kind, "qubits": len(array).bit_length() - 1, name: pairs, "gates": {}}


def _key(outcome: Outcome | None) -> Hashable:
    """Return a cache key for an outcome; the key ignores unjudged parts and the last digits of numbers."""
    return None if outcome is None else (outcome.status, outcome.exception, _digits(outcome.value))


def _digits(value: Any) -> Hashable:
    match value:
        case None | str() | bool() | int():
            return type(value), value
        case float():
            return round(value, DIGITS) + 0.0
        case dict():
            # the check depends on the presence of gates, and on registers if there are several
            some = {name: part is None if name == "gates" else part for name, part in value.items()}
            registers = some.get("registers")
            some["registers"] = registers if isinstance(registers, list) and len(registers) > 1 else None
            return tuple((name, _digits(part)) for name, part in sorted(some.items()))
        case [dict(), *_]:
            return tuple(map(_digits, value))
        case list():
            with suppress(ValueError, OverflowError):
                if (array := np.asarray(value)).dtype.kind == "f":
                    return array.shape, blake2b((array.round(DIGITS) + 0.0).tobytes()).digest()
    return json.dumps(value)
