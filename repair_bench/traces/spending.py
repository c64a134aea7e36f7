"""What the requests of a run cost, rebuilt from the events of `completions.jsonl` and kept up to date as they happen.

A request counts at its worst case from the moment it is about to be sent. An answer replaces that by what it really
cost; a refusal takes it back. A request that brought neither (a lost connection, a kill) may have been billed: its
worst case stays spent, and is called in doubt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Spend:
    """US dollars and tokens (of prompt and completion together). None where unknown."""

    cost_usd: float | None = 0.0
    tokens: int | None = 0


class Spending:
    """The sum over a run. Amounts that are unknown add nothing and are counted in `unknown`."""

    def __init__(self) -> None:
        self._open_by_key: dict[str, list[Spend]] = {}
        self.settled = Spend()
        """The requests that were answered."""
        self.open = Spend()
        """The worst case of those that were not: in flight, and the lost ones, which stay in doubt."""
        self.unknown = 0
        """Answers whose cost is known neither from the provider nor from a price table."""

    @property
    def total(self) -> Spend:
        """Everything spent, requests in flight and in doubt at their worst case."""
        return add(self.settled, self.open)

    def requested(self, key: str, at_most: Spend) -> None:
        """A request is about to be sent for the completion `key`."""
        self._open_by_key.setdefault(key, []).append(at_most)
        self.open = add(self.open, at_most)

    def refused(self, key: str) -> None:
        """The last request for `key` was turned down, or never sent, and costs nothing."""
        self._close(key)

    def answered(self, key: str, completion: Mapping[str, Any]) -> None:
        """The last request for `key` brought this completion (the fields of `Completion`).

        What it does not say counts at the worst case. A completion that nothing was sent for costs nothing.
        """
        at_most = self._close(key)
        if at_most is None:
            return
        cost, tokens = completion.get("cost_usd"), tokens_of(completion.get("usage"))
        spent = Spend(at_most.cost_usd if cost is None else cost, at_most.tokens if tokens is None else tokens)
        self.unknown += spent.cost_usd is None
        self.settled = add(self.settled, spent)

    def _close(self, key: str) -> Spend | None:
        amounts = self._open_by_key.get(key)
        if not amounts:
            return None
        last = amounts.pop()
        if not amounts:
            del self._open_by_key[key]
        self.open = subtract(self.open, last) if self._open_by_key else Spend()
        return last


def add(a: Spend, b: Spend) -> Spend:
    """The sum; what is unknown adds nothing."""
    return Spend((a.cost_usd or 0.0) + (b.cost_usd or 0.0), (a.tokens or 0) + (b.tokens or 0))


def subtract(a: Spend, b: Spend) -> Spend:
    """The difference; what is unknown takes nothing away."""
    return add(a, Spend(-(b.cost_usd or 0.0), -(b.tokens or 0)))


def tokens_of(usage: Mapping[str, Any] | None) -> int | None:
    """All tokens of a provider's counts, or None when it sent none."""
    if not usage:
        return None
    total = usage.get("total_tokens")
    if isinstance(total, int):
        return total
    return int(usage.get("prompt_tokens") or 0) + int(usage.get("completion_tokens") or 0)
