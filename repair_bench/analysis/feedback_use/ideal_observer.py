"""The ideal observer: the best possible repair curve for a given feedback policy.

A task hides one of n equally likely hypotheses. An attempt implements a hypothesis g; the feedback on the attempt
depends on g and on the true hypothesis t. The observer knows all possible feedback texts. After each feedback text, the
observer discards the hypotheses that are inconsistent with it, and chooses the next attempt. The optimal policy
maximises the area under the repair curve. The area is the sum, over all k, of the number of hypotheses that the
observer finds within k repairs.

Before each attempt, the observer may ask a limited number of questions. The answer to a question depends only on the
true hypothesis.

A set of hypotheses is stored as an integer, in which bit h represents hypothesis h.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from repair_bench.analysis.feedback_use.best_play import BestPlay, Set, cumulated

PASS = 0
"""The index that represents a passed attempt, which receives no feedback text."""
MAX_SETS = 20_000
"""The maximum number of sets of hypotheses that the function `consistent` examines before it gives up."""
MAX_LOOKS = 200_000
"""The maximum total number of attempts that an exact search examines. A search that would have to examine more attempts
than this maximum is replaced by a greedy search."""


@dataclass(frozen=True)
class Partition:
    """The feedback on each attempt under each hypothesis.

    `texts[g][t]`: the index of the feedback text that attempt g receives if hypothesis t is true, or `PASS` if the
    attempt passes. Each of the first n rows is an attempt that implements one hypothesis and passes only if that
    hypothesis is true. Each further row is a mixed attempt: the results of its calls are correct under different
    hypotheses. A mixed attempt passes under at most one hypothesis. Any other table raises ValueError.
    """

    texts: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        n = len(self.texts[0]) if self.texts else 0
        if not 0 < n <= len(self.texts) or any(len(row) != n for row in self.texts):
            raise ValueError("a partition must have one column per hypothesis, and at least as many rows as columns")
        for g, row in enumerate(self.texts):
            passes = [t for t, text in enumerate(row) if text == PASS]
            if passes != [g] if g < n else len(passes) > 1:
                raise ValueError(f"attempt {g} passes under hypotheses {passes}")

    @property
    def hypotheses(self) -> int:
        return len(self.texts[0])

    @property
    def everything(self) -> Set:
        return (1 << self.hypotheses) - 1

    @cached_property
    def rows(self) -> tuple[tuple[Set, dict[int, Set]], ...]:
        """For each attempt, a set of hypotheses and a mapping from feedback texts to hypotheses.

        The set contains the hypotheses under which the attempt passes. The mapping gives, for each feedback text on the
        attempt, the hypotheses that lead to this text.
        """
        made = [cells_of(row) for row in self.texts]
        return tuple((cells.pop(PASS, 0), cells) for cells in made)


def cells_of(row: Iterable[Hashable]) -> dict[Any, Set]:
    """Return the set of hypotheses that lead to each feedback text.

    `row`: for each hypothesis, the feedback text that is given if the hypothesis is true.
    """
    cells: dict[Any, Set] = {}
    for t, text in enumerate(row):
        cells[text] = cells.get(text, 0) | 1 << t
    return cells


def members(hypotheses: Set) -> Iterator[int]:
    """Yield the numbers of the hypotheses in a set, in ascending order."""
    while hypotheses:
        lowest = hypotheses & -hypotheses
        yield lowest.bit_length() - 1
        hypotheses ^= lowest


def bits_left(kept: Set) -> float:
    """Return log2 of the size of a set. Raises ValueError for the empty set."""
    return math.log2(kept.bit_count())


def enumeration(hypotheses: int, attempts: int) -> tuple[float, ...]:
    """Return FB@0, FB@1, ... for exhaustive search, which ignores the content of feedback."""
    return tuple(min(k + 1, hypotheses) / hypotheses for k in range(attempts))


def consistent(partition: Partition, attempts: int) -> tuple[float, ...] | None:
    """Return FB@0, FB@1, ... for a policy that chooses uniformly among the hypotheses that are not yet excluded.

    The curve is computed exactly, by recursion over the reachable sets of hypotheses. Return None if more than
    `MAX_SETS` sets are reachable.
    """
    n = partition.hypotheses
    if all(len(cells) <= 1 for _, cells in partition.rows):
        return enumeration(n, attempts)  # a failure excludes only the tested hypothesis
    known: dict[tuple[Set, int], list[float]] = {}

    def found(posterior: Set, left: int) -> list[float]:
        """Return, for each remaining attempt, the number of hypotheses under which this attempt is the first to pass.

        The number is a mean over the random choices of the policy.
        """
        if posterior.bit_count() <= 1 or left == 0:
            return [float(posterior.bit_count()), *[0.0] * left][:left]
        if (posterior, left) not in known:
            if len(known) >= MAX_SETS:
                raise _TooManyError
            size, later = posterior.bit_count(), [0.0] * (left - 1)
            for g in members(posterior):
                for cell in partition.rows[g][1].values():
                    if part := posterior & cell:
                        later = [total + more for total, more in zip(later, found(part, left - 1), strict=True)]
            known[posterior, left] = [1.0, *(total / size for total in later)]
        return known[posterior, left]

    try:
        return cumulated(found(partition.everything, attempts), n)
    except _TooManyError:
        return None


class Play(BestPlay):
    """The optimal policy for a given table of feedback. Among equally good attempts, the policy chooses the first.

    The policy is found by dynamic programming over the reachable sets of hypotheses, and is the same on every machine.
    If the search would exceed `MAX_LOOKS`, the policy is greedy: `exact` is False, and the curve is a lower bound.

    `partition`: the table, which contains the feedback on each attempt under each hypothesis. `questions`: for each
    question and each possible answer, the hypotheses that lead to this answer. `asks`: the number of questions before
    each attempt. The policy asks a question only if asking is better than making an attempt.
    """

    def __init__(
        self, partition: Partition, attempts: int, questions: Sequence[Sequence[Set]] = (), asks: int = 0
    ) -> None:
        super().__init__(partition.hypotheses, attempts, asks if questions else 0)
        self.partition = partition
        self._questions = questions
        self._max_answers = math.prod(sorted(map(len, questions))[::-1][: self.asks])
        self._choices: dict[Set, _Choices] = {}
        self._values: dict[tuple[Set, int, int], int] = {}
        self._max_sets = MAX_LOOKS / len(partition.rows)
        self._found: dict[tuple[Set, int, int], tuple[int, ...]] = {}
        try:
            self.found(partition.everything, attempts)
        except _TooManyError:
            self.exact = False
            self._found.clear()
        self._max_sets = math.inf  # later calls only evaluate sets that the search has reached

    def ask(self, posterior: Set, attempts_left: int, asks_left: int) -> int | None:
        """Return the best next question (the first one in a tie); None if making an attempt is at least as good as
        asking.
        """
        asked = [
            (question, parts)
            for question, cells in enumerate(self._questions if asks_left > 0 else ())
            if len(parts := _parts(posterior, cells)) > 1
        ]
        if not asked or attempts_left < 1:
            return None
        if not self.exact:
            return max(asked, key=lambda one: sum(_max_pairs(s.bit_count(), 1, attempts_left) for s in one[1]))[0]
        value = self._value(posterior, attempts_left, asks_left)
        if value == self._value(posterior, attempts_left, 0):
            return None
        return next(q for q, parts in asked if self._sum(parts, attempts_left, asks_left - 1) == value)

    def next(self, posterior: Set, attempts_left: int) -> int:
        """Return the best next attempt (the first one in a tie). Raises ValueError if no attempts are left."""
        if not posterior or attempts_left < 1:
            raise ValueError("no hypotheses or attempts are left")
        choices = self._of(posterior)
        if not self.exact:
            return max(choices.options, key=lambda o: (choices.at_most(o, attempts_left), -o.attempt)).attempt
        value = self._value(posterior, attempts_left, 0)
        return next(o.attempt for o in choices.options if self._value_of(choices, o, attempts_left, value - 1) == value)

    def found(self, posterior: Set, left: int, asks: int | None = None) -> tuple[int, ...]:
        asks = self.asks if asks is None else asks
        if not left or not posterior:
            return (0,) * left
        known = self._found.get((posterior, left, asks))
        if known is None:
            question = self.ask(posterior, left, asks)
            if question is None:
                solved, cells = self.partition.rows[self.next(posterior, left)]
                known = self.found_after(posterior, solved, cells.values(), left)
            else:
                known = self.found_after_asking(posterior, self._questions[question], left, asks)
            self._found[posterior, left, asks] = known
        return known

    def _of(self, posterior: Set) -> _Choices:
        """Return the attempts worth making if the true hypothesis is in `posterior`.

        Attempts that provide no information are excluded. If the feedback on several attempts distinguishes the same
        hypotheses, only the first of these attempts is included.
        """
        known = self._choices.get(posterior)
        if known is None:
            if self.exact and len(self._choices) >= self._max_sets:
                raise _TooManyError
            made: dict[tuple[bool, tuple[Set, ...]], _Option] = {}
            for g, (solved, cells) in enumerate(self.partition.rows):
                parts = _parts(posterior, cells.values())
                if parts != (posterior,):
                    key = (bool(posterior & solved), parts)
                    made.setdefault(key, _Option(g, *key))
            options = tuple(made.values())
            texts = max(len(option.parts) for option in options)
            known = self._choices[posterior] = _Choices(options, texts, self._max_answers)
        return known

    def _value(self, posterior: Set, left: int, asks: int) -> int:
        """Return the maximum area under the repair curve if the true hypothesis is in `posterior`.

        The area is the number of pairs (k, t) for which one of the first k remaining attempts finds hypothesis t.
        `asks`: the number of questions left before the next attempt.
        """
        n = posterior.bit_count()
        if not (asks and left) and (left <= 1 or n <= 2):
            return _max_pairs(n, 1, left)
        known = self._values.get((posterior, left, asks))
        if known is None:
            best = self._value_with_questions(posterior, left, asks) if asks else self._value_of_best(posterior, left)
            known = self._values[posterior, left, asks] = best
        return known

    def _value_with_questions(self, posterior: Set, left: int, asks: int) -> int:
        """Return the result of `_value` for the case that a question may be asked before the next attempt.

        Asking a question costs nothing, so questions never make the maximum area under the repair curve smaller.
        """
        if self.exact and len(self._values) >= self._max_sets:
            raise _TooManyError
        splits = {parts for cells in self._questions if len(parts := _parts(posterior, cells)) > 1}
        return max((self._sum(parts, left, asks - 1) for parts in splits), default=self._value(posterior, left, 0))

    def _sum(self, parts: Iterable[Set], left: int, asks: int) -> int:
        return sum(self._value(part, left, asks) for part in parts)

    def _value_of_best(self, posterior: Set, left: int) -> int:
        choices, best = self._of(posterior), 0
        ranked = [(choices.at_most(option, left), option) for option in choices.options]
        for at_most, option in sorted(ranked, key=lambda pair: (-pair[0], pair[1].attempt)):
            if at_most <= best:
                break
            best = max(best, self._value_of(choices, option, left, best))
        return best

    def _value_of(self, choices: _Choices, option: _Option, left: int, beaten: int) -> int:
        """Return the area under the repair curve if a given attempt comes next and all later choices are optimal. If an
        upper bound shows that the area is at most `beaten`, return the upper bound.
        """
        value = choices.at_most(option, left)
        for part in sorted(option.parts, key=Set.bit_count):
            if value <= beaten:
                break
            value += self._value(part, left - 1, self.asks) - choices.at_most_of(part, left - 1)
        return value


@dataclass(frozen=True, slots=True)
class _Option:
    """An attempt. `parts`: the sets into which the feedback on the attempt divides the possible hypotheses.

    `solves`: whether the attempt passes under one of the possible hypotheses.
    """

    attempt: int
    solves: bool
    parts: tuple[Set, ...]


@dataclass(frozen=True, slots=True)
class _Choices:
    """The attempts worth making, given the set of possible hypotheses.

    `texts`: the maximum number of distinct feedback texts that one attempt can receive under the possible hypotheses.
    `answers`: an upper bound on the number of ways in which all questions before one attempt can be answered.
    """

    options: tuple[_Option, ...]
    texts: int
    answers: int

    def at_most(self, option: _Option, left: int) -> int:
        """Return an upper bound on the area under the repair curve if a given attempt comes next. The bound is based on
        the number of distinct feedback texts.
        """
        return option.solves * left + sum(self.at_most_of(part, left - 1) for part in option.parts)

    def at_most_of(self, part: Set, left: int) -> int:
        """Return an upper bound on the area under the repair curve for a subset of the possible hypotheses."""
        return _max_pairs(part.bit_count(), self.texts, left, self.answers)


class _TooManyError(Exception):
    """Raised when the number of reachable sets exceeds the limit."""


def _parts(posterior: Set, cells: Iterable[Set]) -> tuple[Set, ...]:
    return tuple(sorted(part for cell in cells if (part := posterior & cell)))


def _max_pairs(n: int, texts: int, left: int, answers: int = 1) -> int:
    """Return the maximum area under the repair curve for n hypotheses if each attempt tests one hypothesis.

    `texts`: the number of distinct feedback texts. `answers`: the number of different combinations of answers to the
    questions before one attempt.
    """
    total, conversations = 0, answers
    while n > 0 and left > 0:
        found = min(n, conversations)
        total += found * left
        n -= found
        left -= 1
        conversations *= texts * answers
    return total
