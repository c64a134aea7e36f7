"""How far a long command is, a line every now and then."""

from __future__ import annotations

import time

from rich.console import Console

PLAIN_EVERY_SECONDS = 10.0


class Counter:
    """Something long that is counted, a line every now and then."""

    def __init__(self, total: int, done: str, console: Console) -> None:
        """`done`: what is said of each, in one word."""
        self.total = total
        self.count = 0
        self._word = done
        self._console = console
        self._started = self._last_line = time.monotonic()

    def add(self) -> None:
        """One more is done."""
        self.count += 1
        now = time.monotonic()
        if now - self._last_line >= PLAIN_EVERY_SECONDS or self.count == self.total:
            self._last_line = now
            seconds = round(now - self._started)
            self._console.print(f"{self._word} {self.count}/{self.total}, {seconds} s", highlight=False)
