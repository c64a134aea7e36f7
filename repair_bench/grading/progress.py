"""How far something long is: a bar on a terminal, a line every now and then elsewhere."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table

PLAIN_EVERY_SECONDS = 10.0


_BAR = 12


class Counter:
    """Counts to `total`, and shows it while it is entered. What has more to say of it overrides `parts`."""

    def __init__(self, total: int, word: str, console: Console) -> None:
        """`word`: what is counted, or what is said of each."""
        self.total = total
        self.done = 0
        self.console = console
        self._word = word
        self._fresh = 0
        self._started = self._last_line = time.monotonic()
        self._live: Live | None = None

    def __enter__(self) -> Self:
        if self.console.is_terminal:
            self._live = Live(console=self.console, get_renderable=self._render, refresh_per_second=4, transient=True)
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()

    def earlier(self, number: int) -> None:
        """So many were done before this session: they say nothing of the time that is left."""
        self.done += number

    def add(self, *, fresh: bool = True) -> None:
        """One more is done; `fresh`: it took some of this session's time."""
        self.done += 1
        self._fresh += fresh
        now = time.monotonic()
        if not self.console.is_terminal and (now - self._last_line >= PLAIN_EVERY_SECONDS or self.done == self.total):
            self._last_line = now
            self.console.print(self.line(), highlight=False, soft_wrap=True)

    def parts(self) -> list[tuple[str, int]]:
        """How far it is: what to say, in its order, and how dispensable that is; what has 0 is always said."""
        return [(f"{self._word} {self.done:,}/{self.total:,}", 0), (f"time left {self.left()}", 1)]

    def line(self, width: int | None = None) -> str:
        """The parts that fit into so many columns; None for all of them."""
        parts = self.parts()
        for rank in sorted({rank for _, rank in parts} - {0}, reverse=True):
            if width is None or len(_joined(parts)) <= width:
                break
            parts = [part for part in parts if part[1] < rank]
        return _joined(parts)

    def left(self) -> str:
        """The time that is left, at the pace of this session."""
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


def _joined(parts: list[tuple[str, int]]) -> str:
    return "  ".join(text for text, _ in parts)
