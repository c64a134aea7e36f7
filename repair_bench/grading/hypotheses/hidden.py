"""A task with a hidden hypothesis: verdicts and feedback under each hypothesis that may be the true one."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np

from repair_bench.analysis.feedback_use.best_play import Set
from repair_bench.grading.judge import verdict_on
from repair_bench.grading.tiny_numbers import without_tiny_numbers
from repair_bench.prompts.feedback import PlaceboSource, make_feedback, needs_placebo_source
from repair_bench.prompts.feedback.donors import form
from repair_bench.suites.conventions.edition import Level
from repair_bench.suites.task import Hypotheses, Task
from repair_bench.traces.record.records import Feedback, Outcome, Verdict

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

    def questions(self) -> list[str]:
        """Return the questions that the ideal observer may ask."""
        return []

    def answers(self, question: str) -> tuple[str | None, ...]:  # noqa: ARG002
        """Return the answer to a question under each hypothesis, or None where the question has no answer."""
        return (None,) * len(self.tasks)

    def understood(self, reply: str) -> bool | None:  # noqa: ARG002
        """Whether a reply to the decoding probe names the true options or equivalent options, or None if unknown."""
        return None

    @cached_property
    def _texts(self) -> dict[tuple[str, Hashable], tuple[Feedback | None, ...]]:
        return {}

    def texts(self, policy: str, outcome: Outcome | None, code: str | None) -> tuple[str | None, ...]:
        """For each hypothesis, return the feedback that the policy would give if the hypothesis were true.

        The feedback is None for a hypothesis under which the answer would pass. Tiny numbers are replaced by 0.
        """
        key = (policy, _key(outcome))
        feedback = self._texts.get(key)
        if feedback is None:
            feedback = self._texts[key] = self._feedback(policy, self.verdicts(outcome), _QUOTED)
        if any(one is not None and one.redacted for one in feedback):  # redaction also depends on the program
            feedback = self._feedback(policy, self.verdicts(outcome), code)
        texts = (None if one is None else one.text.replace(_QUOTED, (code or "").rstrip()) for one in feedback)
        return tuple(None if text is None else without_tiny_numbers(text) for text in texts)

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


def _key(outcome: Outcome | None) -> Hashable:
    """Return a cache key for an outcome; the key ignores unjudged parts and the last digits of numbers."""
    return None if outcome is None else (outcome.status, outcome.exception, digits(outcome.value))


def digits(value: Any) -> Hashable:
    """Return a key that is equal for values that differ only in the last digits of numbers."""
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
            return tuple((name, digits(part)) for name, part in sorted(some.items()))
        case [dict(), *_]:
            return tuple(map(digits, value))
        case list():
            with suppress(ValueError, OverflowError):
                if (array := np.asarray(value)).dtype.kind == "f":
                    return array.shape, blake2b((array.round(DIGITS) + 0.0).tobytes()).digest()
    return json.dumps(value)
