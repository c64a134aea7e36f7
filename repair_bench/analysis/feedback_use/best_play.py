"""The interface of optimal policies.

A policy chooses attempts and questions. For each attempt, the policy computes the number of hypotheses under which this
attempt is the first to pass. An attempt *finds* a hypothesis if it is the first attempt to pass under this hypothesis.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from itertools import accumulate

Set = int
"""A set of hypotheses as an integer; bit h represents hypothesis h."""


class BestPlay(ABC):
    """An optimal policy for n equally likely hypotheses.

    `asks`: the number of questions before each attempt. `exact`: whether the policy is optimal; otherwise its curve is
    a lower bound.
    """

    exact = True

    def __init__(self, hypotheses: int, attempts: int, asks: int = 0) -> None:
        self.everything = (1 << hypotheses) - 1
        self.attempts = attempts
        self.asks = asks

    @abstractmethod
    def found(self, posterior: Set, left: int, asks: int | None = None) -> tuple[int, ...]:
        """Return, for each remaining attempt, the number of hypotheses under which this attempt is the first to pass.

        `posterior`: the possible hypotheses. `left`: the number of remaining attempts. `asks`: the number of questions
        left before the next attempt, by default `self.asks`.
        """

    @abstractmethod
    def next(self, posterior: Set, attempts_left: int) -> int:
        """Return the hypothesis to implement in the best next attempt.

        If the attempt implements different hypotheses in different calls, return the hypothesis of the first call.
        Raises ValueError if no hypothesis or no attempt is left.
        """

    def ask(self, posterior: Set, attempts_left: int, asks_left: int) -> int | None:  # noqa: ARG002
        """Return the best next question; None if making an attempt is at least as good as asking."""
        return None

    @property
    def solved(self) -> tuple[int, ...]:
        """The number of hypotheses found within 0, 1, ... repairs."""
        return tuple(accumulate(self.found(self.everything, self.attempts)))

    @property
    def curve(self) -> tuple[float, ...]:
        return self.curve_from(self.everything, self.attempts)

    def found_after(self, posterior: Set, solved: Set, cells: Iterable[Set], left: int) -> tuple[int, ...]:
        """Return, for each remaining attempt, the number of hypotheses under which this attempt is the first to pass.

        The caller chooses the next attempt, and the policy chooses the attempts after it. `solved`: the hypotheses
        under which the next attempt passes. `cells`: for each feedback text on the next attempt, the hypotheses that
        lead to this text.
        """
        later = [self.found(posterior & cell, left - 1) for cell in cells]
        return (posterior & solved).bit_count(), *map(sum, zip((0,) * (left - 1), *later, strict=True))

    def found_after_asking(self, posterior: Set, cells: Iterable[Set], left: int, asks: int) -> tuple[int, ...]:
        """Return, for each remaining attempt, the number of hypotheses under which this attempt is the first to pass.

        The caller chooses the next question, and the policy chooses the questions and attempts after it. `cells`: for
        each answer to the next question, the hypotheses that lead to this answer. `asks`: the number of questions left,
        including the next question.
        """
        later = [self.found(posterior & cell, left, max(0, asks - 1)) for cell in cells]
        return tuple(map(sum, zip(*later, strict=True)))

    def curve_from(self, posterior: Set, left: int, asks: int | None = None) -> tuple[float, ...]:
        """Return the share of the hypotheses in a set that the policy finds within 1, 2, ... further attempts."""
        return cumulated(self.found(posterior, left, asks), posterior.bit_count())

    def lost(self, posterior: Set, instead: Iterable[int], left: int, asks: int) -> tuple[float, ...]:
        """Return the expected loss if the caller, instead of the policy, chooses the next attempt or question.

        The result has one loss for each number 1, 2, ... of further attempts. A loss is the share of hypotheses found
        if the policy makes all choices, minus the share found if the caller makes the next choice. All hypotheses in
        the set are equally likely. `instead`: the result of `found_after` if the caller chooses an attempt, or the
        result of `found_after_asking` if the caller chooses a question.
        """
        other = cumulated(instead, posterior.bit_count())
        return tuple(best - one for best, one in zip(self.curve_from(posterior, left, asks), other, strict=True))


def cumulated(found: Iterable[float], hypotheses: int) -> tuple[float, ...]:
    return tuple(total / hypotheses for total in accumulate(found))
