"""Progress of a long command on standard error: a bar on a terminal, periodic lines elsewhere."""

from __future__ import annotations

import math
import sys
import textwrap
import time
from collections import Counter as Counts
from collections.abc import Iterable, Mapping
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table

from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.record.spending import Spending

PLAIN_EVERY_SECONDS = 10.0
_BAR = 12
_REASON = 30  # characters


class Counter:
    """A counter with a progress bar, which is shown within a `with` block. `word`: the label of the count."""

    def __init__(self, word: str, console: Console) -> None:
        self.total = self.done = 0
        self.console = console
        self._word = word
        self._fresh = 0
        self._more: Mapping[str, int] = {}
        self._started = self._last_line = time.monotonic()
        self._live: Live | None = None

    def __enter__(self) -> Self:
        if self.console.is_terminal:
            self._live = Live(console=self.console, get_renderable=self._render, refresh_per_second=4, transient=True)
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def at(self, done: int, total: int, more: Mapping[str, int]) -> None:
        """Show that `done` of `total` items are finished, and show the counts in `more`.

        In the first call, `done` includes items from earlier sessions.
        """
        if not self.total:
            self._started, self.done = time.monotonic(), done
        self._fresh += done - self.done
        self.total, self._more = total, more
        self._count(done)

    def _count(self, done: int) -> None:
        moved, self.done = done != self.done, done
        now = time.monotonic()
        last = now - self._last_line >= PLAIN_EVERY_SECONDS or self.done == self.total
        if moved and last and not self.console.is_terminal:
            self._last_line = now
            self.say(self.line())

    def say(self, line: str) -> None:
        """Print a line above the bar."""
        self.console.print(line, highlight=False, soft_wrap=True, markup=False)

    def parts(self) -> list[tuple[str, int]]:
        """Return the parts of the progress line, each with a rank.

        If the line is too long, the parts with the highest rank are dropped first. Parts with rank 0 are always kept.
        """
        more = ((f"{name} {number}", 2) for name, number in self._more.items())
        return [(f"{self._word} {self.done:,}/{self.total:,}", 0), *more, (f"time left {self.left()}", 1)]

    def line(self, width: int | None = None) -> str:
        """Join the parts that fit into `width` columns, or all parts if `width` is None, into one line."""
        parts = self.parts()
        for rank in sorted({rank for _, rank in parts} - {0}, reverse=True):
            if width is None or len(_joined(parts)) <= width:
                break
            parts = [part for part in parts if part[1] < rank]
        return _joined(parts)

    def left(self) -> str:
        """Estimate the remaining time from the pace of this session."""
        if not self._fresh:
            return "-"
        seconds = (time.monotonic() - self._started) / self._fresh * (self.total - self.done)
        minutes, seconds = divmod(round(seconds), 60)
        hours, minutes = divmod(minutes, 60)
        return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"

    def _render(self) -> Table:
        table = Table.grid(padding=(0, 1), expand=False)
        table.add_column(width=_BAR)
        table.add_column(no_wrap=True)
        line = self.line(self.console.width - _BAR - 2)
        table.add_row(ProgressBar(total=max(self.total, 1), completed=self.done, width=_BAR), line)
        return table


class RunProgress(Counter):
    """An episode counter that also shows the current repair curve and the total spending of all sessions.

    Finished episodes are a biased sample, because episodes that pass finish first. All judged attempts count, even
    those of unfinished episodes: FB@k is a Kaplan-Meier estimate, as in `analysis.survival`.
    """

    def __init__(self, episodes: int, console: Console, *, repairs: int, spending: Spending) -> None:
        super().__init__("episodes", console)
        self.total = episodes
        self.faults = 0
        self._repairs = repairs
        self._spending = spending
        self._judged: Counts[int] = Counts()  # by number of attempt
        self._passed: Counts[int] = Counts()
        self._retry: str | None = None
        self._retry_shown_at = -PLAIN_EVERY_SECONDS

    def add(self, *, fresh: bool) -> None:
        """Count one more finished episode. `fresh`: whether any of the episode's attempts were made in this session."""
        self._fresh += fresh
        self._count(self.done + 1)

    def resumed(self, attempts: Iterable[Recorded]) -> None:
        """Count the attempts of earlier sessions, except attempts that failed with an infrastructure error and will be
        repeated.
        """
        for attempt in attempts:
            if attempt.fault is None:
                self.attempt_done(attempt)

    def waits(self, reason: str) -> None:
        """Tell the user that a failed request will be repeated. The message disappears when the next attempt is
        recorded.

        Without a terminal, print at most one line every `PLAIN_EVERY_SECONDS` seconds.
        """
        self._retry = reason
        now = time.monotonic()
        if not self.console.is_terminal and now - self._retry_shown_at >= PLAIN_EVERY_SECONDS:
            self._retry_shown_at = now
            self.say(f"waiting: {reason}")

    def stops(self, line: str) -> None:
        """Print a message about the end of the run, even in quiet mode."""
        if self.console.quiet:
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()
        else:
            self.say(line)

    def attempt_done(self, attempt: Recorded) -> None:
        self._retry = None
        self.faults += attempt.fault is not None
        if attempt.verdict is None:
            return
        self._judged[attempt.attempt] += 1
        self._passed[attempt.attempt] += attempt.passed
        if attempt.verdict.kind == "context":  # no further attempt is possible
            self._judged.update(range(attempt.attempt + 1, self._repairs + 1))

    def solved(self, repairs: int) -> float | None:
        """Estimate the share of episodes solved within `repairs` repairs; return None before the first verdict."""
        if not self._judged[0]:
            return None
        made = [number for number in range(repairs + 1) if self._judged[number]]
        return 1 - math.prod(1 - self._passed[number] / self._judged[number] for number in made)

    def parts(self) -> list[tuple[str, int]]:
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
            cost = (
                f"${spent.cost_usd:.4f}" + ("+" if self._spending.unknown else "") if spent.cost_usd else "cost unknown"
            )
            parts.append((cost, 4))
        if self._retry:
            parts.append((f"waiting: {textwrap.shorten(self._retry, _REASON, placeholder=' ...')}", 1))
        return [*parts, (f"time left {self.left()}", 2)]


def _joined(parts: list[tuple[str, int]]) -> str:
    return "  ".join(text for text, _ in parts)
