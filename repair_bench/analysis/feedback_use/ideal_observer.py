"""The ideal observer: how fast a task can be solved by whoever makes the most of each feedback.

A task hides one of n hypotheses, each as likely as any other. An attempt realises a hypothesis g and is told a text,
which depends on g and on the true one t. The observer knows all texts; it keeps the hypotheses under which it would
have been told what it was told, and chooses the next attempt by what it has kept. Its best play has the largest area
under the repair curve: as many (k, t) as possible with t found within k repairs.

Sets of hypotheses are whole numbers, bit h for hypothesis h.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

Set = int

PASS = 0
"""The text of an attempt that passed: there is none."""
MAX_SETS = 20_000
"""Sets of hypotheses up to which the player that tries any hypothesis not yet excluded is worked out."""
MAX_LOOKS = 200_000
"""Attempts that are looked at, over all sets of hypotheses, for the play that is exactly best: some seconds. A greedy
one takes its place where there are more."""


@dataclass(frozen=True)
class Partition:
    """What attempts are told. `told[g][t]`: the number of the text on attempt g when t is true, `PASS` where it passes.

    One column a hypothesis. Row g of the first n realises hypothesis g, so that it passes under g alone; further rows
    answer each call of a task as another hypothesis does. Raises ValueError for anything else.
    """

    told: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        n = len(self.told[0]) if self.told else 0
        if not 0 < n <= len(self.told) or any(len(row) != n for row in self.told):
            raise ValueError("a partition has a column for each hypothesis, and a row for each and maybe more")
        for g, row in enumerate(self.told):
            passes = [t for t, text in enumerate(row) if text == PASS]
            if passes != [g] if g < n else len(passes) > 1:
                raise ValueError(f"attempt {g} passes under {passes}")

    @property
    def hypotheses(self) -> int:
        """n, how many hypotheses there are."""
        return len(self.told[0])

    @property
    def everything(self) -> Set:
        """All hypotheses: what is known at first."""
        return (1 << self.hypotheses) - 1

    def posterior_after(self, posterior: Set, g: int, text: int) -> Set:
        """Those of a set under which attempt g is told that text."""
        solved, cells = self.rows[g]
        return posterior & (solved if text == PASS else cells.get(text, 0))

    @cached_property
    def rows(self) -> tuple[tuple[Set, dict[int, Set]], ...]:
        """For each attempt where it passes, and where it is told each other text."""
        made = []
        for row in self.told:
            cells: dict[int, Set] = {}
            for t, text in enumerate(row):
                cells[text] = cells.get(text, 0) | 1 << t
            made.append((cells.pop(PASS, 0), cells))
        return tuple(made)


def members(hypotheses: Set) -> Iterator[int]:
    """The hypotheses of a set, in their order."""
    while hypotheses:
        lowest = hypotheses & -hypotheses
        yield lowest.bit_length() - 1
        hypotheses ^= lowest


def bits_left(kept: Set) -> float:
    """log2 of how many hypotheses a set holds. Raises ValueError for none."""
    return math.log2(kept.bit_count())


def enumeration(hypotheses: int, attempts: int) -> tuple[float, ...]:
    """FB@0, FB@1, ... of trying one hypothesis after the other, whatever is told."""
    return tuple(min(k + 1, hypotheses) / hypotheses for k in range(attempts))


def consistent(partition: Partition, attempts: int) -> tuple[float, ...] | None:
    """Return FB@0, FB@1, ... of a player that tries any hypothesis not yet excluded, each with the same probability.

    Exact, by recursion over the sets that it can reach; None where these are more than `MAX_SETS`.
    """
    n = partition.hypotheses
    if all(len(cells) <= 1 for _, cells in partition.rows):
        return enumeration(n, attempts)  # failures tell nothing but that they are failures
    known: dict[tuple[Set, int], list[float]] = {}

    def found(posterior: Set, left: int) -> list[float]:
        """Return how many of a set are found by each of the attempts left."""
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
        return _cumulated(found(partition.everything, attempts), n)
    except _TooManyError:
        return None


class Play:
    """The way to choose attempts with the largest area under its curve, ties to the first attempt.

    It is the same on every machine: by dynamic programming over the sets that can be reached. Where that takes more
    than `MAX_LOOKS` it is greedy, its curve a lower bound of the best, and `exact` is False.
    """

    def __init__(self, partition: Partition, attempts: int) -> None:
        self.partition = partition
        self.attempts = attempts
        self.exact = True
        self._choices: dict[Set, _Choices] = {}
        self._values: dict[tuple[Set, int], int] = {}
        self._most = MAX_LOOKS / len(partition.rows)
        self._found: dict[tuple[Set, int], tuple[int, ...]] = {}
        try:
            self.found(partition.everything, attempts)
        except _TooManyError:
            self.exact = False
            self._found.clear()
        self._most = math.inf  # what else it may be asked is no more than what was looked at

    @property
    def solved(self) -> tuple[int, ...]:
        """How many of the hypotheses are found within 0, 1, ... repairs."""
        return tuple(accumulate(self.found(self.partition.everything, self.attempts)))

    @property
    def curve(self) -> tuple[float, ...]:
        """FB@0, FB@1, ..., each hypothesis as likely as any other."""
        return self.curve_from(self.partition.everything, self.attempts)

    def next(self, posterior: Set, attempts_left: int) -> int:
        """The next attempt: of the best ones the first. Raises ValueError where nothing is possible any more."""
        if not posterior or attempts_left < 1:
            raise ValueError("nothing is left to try")
        choices = self._of(posterior)
        if not self.exact:
            return max(choices.options, key=lambda o: (choices.at_most(o, attempts_left), -o.attempt)).attempt
        value = self._value(posterior, attempts_left)
        return next(o.attempt for o in choices.options if self._worth(choices, o, attempts_left, value - 1) == value)

    def found(self, posterior: Set, left: int) -> tuple[int, ...]:
        """Return how many hypotheses of a set the play finds by each of the attempts left."""
        if not left or not posterior:
            return (0,) * left
        known = self._found.get((posterior, left))
        if known is None:
            solved, cells = self.partition.rows[self.next(posterior, left)]
            known = self._found[posterior, left] = self.found_after(posterior, solved, cells.values(), left)
        return known

    def found_after(self, posterior: Set, solved: Set, cells: Iterable[Set], left: int) -> tuple[int, ...]:
        """Return the same where the first of the attempts left is another than the play's.

        `solved`: where that attempt passes; `cells`: where it is told each other text.
        """
        later = [self.found(posterior & cell, left - 1) for cell in cells]
        return (posterior & solved).bit_count(), *map(sum, zip((0,) * (left - 1), *later, strict=True))

    def curve_from(self, posterior: Set, left: int) -> tuple[float, ...]:
        """Return the share of a set that the play finds within 1, 2, ... of the attempts left."""
        return _cumulated(self.found(posterior, left), posterior.bit_count())

    def lost(self, posterior: Set, solved: Set, cells: Iterable[Set], left: int) -> tuple[float, ...]:
        """Return how much lower that curve is in expectation where the first attempt is another than the play's.

        Each hypothesis of the set is as likely as any other; the feedback that the attempt received plays no part.
        """
        instead = _cumulated(self.found_after(posterior, solved, cells, left), posterior.bit_count())
        return tuple(best - one for best, one in zip(self.curve_from(posterior, left), instead, strict=True))

    def _of(self, posterior: Set) -> _Choices:
        """The attempts that tell anything, each way to divide the posterior once, by the first that does."""
        known = self._choices.get(posterior)
        if known is None:
            if self.exact and len(self._choices) >= self._most:
                raise _TooManyError
            made: dict[tuple[bool, tuple[Set, ...]], _Option] = {}
            for g, (solved, cells) in enumerate(self.partition.rows):
                parts = tuple(sorted(part for cell in cells.values() if (part := posterior & cell)))
                if parts != (posterior,):
                    key = (bool(posterior & solved), parts)
                    made.setdefault(key, _Option(g, *key))
            options = tuple(made.values())
            known = self._choices[posterior] = _Choices(options, max(len(option.parts) for option in options))
        return known

    def _value(self, posterior: Set, left: int) -> int:
        """How many (k, t) with t of the posterior solved within k the best play has, over the attempts left."""
        n = posterior.bit_count()
        if left <= 1 or n <= 2:
            return _most(n, 1, left)
        known = self._values.get((posterior, left))
        if known is None:
            choices, best = self._of(posterior), 0
            ranked = [(choices.at_most(option, left), option) for option in choices.options]
            for at_most, option in sorted(ranked, key=lambda pair: (-pair[0], pair[1].attempt)):
                if at_most <= best:
                    break
                best = max(best, self._worth(choices, option, left, best))
            known = self._values[posterior, left] = best
        return known

    def _worth(self, choices: _Choices, option: _Option, left: int, beaten: int) -> int:
        """What an attempt is worth with best play after it; where that is not more than `beaten`, that or less."""
        worth = choices.at_most(option, left)
        for part in sorted(option.parts, key=Set.bit_count):
            if worth <= beaten:
                break
            worth += self._value(part, left - 1) - _most(part.bit_count(), choices.texts, left - 1)
        return worth


@dataclass(frozen=True, slots=True)
class _Option:
    """An attempt, and how it divides a set: whether it solves one of it, and the parts that failures leave."""

    attempt: int
    solves: bool
    parts: tuple[Set, ...]


@dataclass(frozen=True, slots=True)
class _Choices:
    """What can be done with a set. `texts`: the most parts that the failures of an attempt divide it into."""

    options: tuple[_Option, ...]
    texts: int

    def at_most(self, option: _Option, left: int) -> int:
        """What an attempt can be worth at most, by how many texts can follow it."""
        return option.solves * left + sum(_most(part.bit_count(), self.texts, left - 1) for part in option.parts)


class _TooManyError(Exception):
    """More sets are reached than are looked into."""


def _cumulated(found: Iterable[float], hypotheses: int) -> tuple[float, ...]:
    return tuple(total / hypotheses for total in accumulate(found))


def _most(n: int, texts: int, left: int) -> int:
    """The most (k, t) of n hypotheses where an attempt finds one and tells failures apart by so many texts."""
    total, conversations = 0, 1
    while n > 0 and left > 0:
        found = min(n, conversations)
        total += found * left
        n -= found
        left -= 1
        conversations *= texts
    return total
