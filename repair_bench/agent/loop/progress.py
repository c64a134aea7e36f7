"""What a person sees while a run goes on."""

from __future__ import annotations

import math
import sys
import textwrap
import time
from collections import Counter as Counts
from collections.abc import Iterable

from rich.console import Console

from repair_bench.grading.progress import PLAIN_EVERY_SECONDS, Counter
from repair_bench.traces.row import Recorded
from repair_bench.traces.spending import Spending

_REASON = 30  # characters of a reason that the line has room for


class Progress(Counter):
    """Counts attempts as they are recorded, and shows the curve so far and what was spent.

    The episodes that have ended are no fair sample, since those that pass end first. So every attempt counts as soon as
    it is judged, that of an unfinished episode too: FB@k is Kaplan and Meier's estimate, as `analysis.survival` has it.
    """

    def __init__(self, episodes: int, console: Console, *, repairs: int, spending: Spending) -> None:
        """`repairs`: N, the repair attempts. `spending`: of the run, over all sessions; each request counts once."""
        super().__init__(episodes, "episodes", console)
        self.faults = 0
        self._repairs = repairs
        self._spending = spending
        self._judged: Counts[int] = Counts()  # by number of attempt
        self._passed: Counts[int] = Counts()
        self._retry: str | None = None
        self._retry_told = -PLAIN_EVERY_SECONDS

    def resumed(self, attempts: Iterable[Recorded]) -> None:
        """Count attempts that an earlier session recorded; its faults are tried again."""
        for attempt in attempts:
            if attempt.fault is None:
                self.attempt_done(attempt)

    def waits(self, reason: str) -> None:
        """A request failed and will be repeated. Shown until an attempt is recorded; without a terminal, a line at once
        and then every now and then.
        """
        self._retry = reason
        now = time.monotonic()
        if not self.console.is_terminal and now - self._retry_told >= PLAIN_EVERY_SECONDS:
            self._retry_told = now
            self.console.print(f"waiting: {reason}", highlight=False, soft_wrap=True)

    def stops(self, line: str) -> None:
        """Print why a run that is being stopped waits, also where progress is not shown."""
        if self.console.quiet:
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()
        else:
            self.console.print(line, highlight=False, soft_wrap=True, markup=False)

    def attempt_done(self, attempt: Recorded) -> None:
        """Count an attempt that is on disk."""
        self._retry = None
        self.faults += attempt.fault is not None
        if attempt.verdict is None:
            return
        self._judged[attempt.attempt] += 1
        self._passed[attempt.attempt] += attempt.passed
        if attempt.verdict.kind == "context":  # none can follow: it stays unsolved
            self._judged.update(range(attempt.attempt + 1, self._repairs + 1))

    def solved(self, repairs: int) -> float | None:
        """The estimated share of episodes that are solved within so many repairs; None before any first answer."""
        if not self._judged[0]:
            return None
        made = [number for number in range(repairs + 1) if self._judged[number]]
        return 1 - math.prod(1 - self._passed[number] / self._judged[number] for number in made)

    def parts(self) -> list[tuple[str, int]]:
        """See `Counter.parts`."""
        parts = [(f"episodes {self.done:,}/{self.total:,}", 0)]
        if self.faults:
            parts.append((f"faults {self.faults:,}", 1))
        first, last = self.solved(0), max(self._judged, default=0)
        if first is not None:
            parts += [(f"Pass@1 {first:.1%}", 5), (f"FB@{last} {self.solved(last):.1%} so far", 3)][: 1 + bool(last)]
        spent = self._spending.settled
        if spent.tokens:
            parts.append((f"tokens {spent.tokens:,}", 6))
        if spent.cost_usd or self._spending.unknown:
            parts.append((self._cost(), 4))
        if self._retry:
            parts.append((f"waiting: {textwrap.shorten(self._retry, _REASON, placeholder=' ...')}", 1))
        return [*parts, (f"time left {self.left()}", 2)]

    def _cost(self) -> str:
        cost = self._spending.settled.cost_usd
        if not cost:
            return "cost unknown"
        return f"${cost:.4f}" + ("+" if self._spending.unknown else "")
