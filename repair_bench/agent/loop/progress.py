"""What a person sees while a run goes on: a live display on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table

from repair_bench.grading.progress import PLAIN_EVERY_SECONDS
from repair_bench.traces.records import Attempt
from repair_bench.traces.row import Recorded


class Progress:
    """Counts attempts as they are recorded. Unknown cost stays unknown: it is shown with a plus sign."""

    def __init__(self, episodes: int, console: Console) -> None:
        self.episodes = episodes
        self.console = console
        self.done = self.passed = self.attempts = self.faults = self.tokens = 0
        self.cost = 0.0
        self.unpriced = 0
        self.started = time.monotonic()
        self._fresh = 0
        self._live = Live(console=console, get_renderable=self._render, refresh_per_second=4, transient=True)
        self._last_line = self.started

    def __enter__(self) -> Self:
        if self.console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self.console.is_terminal:
            self._live.stop()

    def resumed(self, attempts: Sequence[Recorded]) -> None:
        """Count attempts that an earlier session recorded."""
        for attempt in attempts:
            self._count(attempt)

    def attempt_done(self, attempt: Attempt) -> None:
        """Count an attempt that was recorded just now."""
        self._count(attempt)

    def episode_done(self, attempts: Sequence[Attempt]) -> None:
        """Count an episode that came to its end, by a verdict or a fault."""
        self.done += 1
        self._fresh += 1
        self.passed += attempts[-1].passed
        now = time.monotonic()
        if not self.console.is_terminal and (
            now - self._last_line >= PLAIN_EVERY_SECONDS or self.done == self.episodes
        ):
            self._last_line = now
            self.console.print(self.line(), highlight=False, soft_wrap=True)

    def line(self) -> str:
        """The state of the run in one line."""
        parts = [
            f"episodes {self.done}/{self.episodes}",
            f"attempts {self.attempts}",
            f"solved {self.passed / self.done:.1%}" if self.done else "solved -",
            f"tokens {self.tokens:,}",
            f"cost {self._cost()}",
            f"time left {self._left()}",
        ]
        if self.faults:
            parts.insert(2, f"faults {self.faults}")
        return "  ".join(parts)

    def _count(self, attempt: Recorded) -> None:
        self.attempts += 1
        self.faults += attempt.fault is not None
        if attempt.completion is None:
            return
        usage = attempt.completion.usage or {}
        self.tokens += (usage.get("prompt_tokens") or 0) + (usage.get("completion_tokens") or 0)
        if attempt.completion.cost_usd is None:
            self.unpriced += 1
        else:
            self.cost += attempt.completion.cost_usd

    def _cost(self) -> str:
        if self.unpriced == self.attempts - self.faults and self.unpriced:
            return "unknown"
        return f"${self.cost:.4f}" + ("+" if self.unpriced else "")

    def _left(self) -> str:
        if not self._fresh:
            return "-"
        seconds = (time.monotonic() - self.started) / self._fresh * (self.episodes - self.done)
        minutes, seconds = divmod(round(seconds), 60)
        hours, minutes = divmod(minutes, 60)
        return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"

    def _render(self) -> Table:
        table = Table.grid(padding=(0, 1), expand=False)
        table.add_row(ProgressBar(total=max(self.episodes, 1), completed=self.done, width=24), self.line())
        return table
