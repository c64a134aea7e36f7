"""What a person sees while a run goes on."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from repair_bench.grading.progress import Counter
from repair_bench.traces.records import Attempt
from repair_bench.traces.row import Recorded


class Progress(Counter):
    """Counts attempts as they are recorded. Unknown cost stays unknown: it is shown with a plus sign."""

    def __init__(self, episodes: int, console: Console) -> None:
        super().__init__(episodes, "episodes", console)
        self.passed = self.attempts = self.faults = self.tokens = 0
        self.cost = 0.0
        self.unpriced = 0

    def resumed(self, attempts: Sequence[Recorded]) -> None:
        """Count attempts that an earlier session recorded."""
        for attempt in attempts:
            self._count(attempt)

    def attempt_done(self, attempt: Attempt) -> None:
        """Count an attempt that was recorded just now."""
        self._count(attempt)

    def episode_done(self, attempts: Sequence[Attempt]) -> None:
        """Count an episode that came to its end, by a verdict or a fault."""
        self.passed += attempts[-1].passed
        self.add()

    def line(self) -> str:
        """The state of the run in one line."""
        parts = [
            f"episodes {self.done}/{self.total}",
            f"attempts {self.attempts}",
            f"solved {self.passed / self.done:.1%}" if self.done else "solved -",
            f"tokens {self.tokens:,}",
            f"cost {self._cost()}",
            f"time left {self.left()}",
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
