"""What the requests of a run cost, rebuilt from the events of `completions.jsonl` and kept up to date as they happen.

A request counts at its worst case from the moment it is about to be sent. An answer replaces that by its measured cost;
a refusal takes it back. A request that brought neither (a lost connection, a kill) may have been billed, so its bound
stays in doubt. Once the same prompt was counted in an answer, the bound of each lost request holds that count in place
of the prompt's worst case. So what was billed is never less than `settled` and never more than `total`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

DEAREST_USD = 10_000.0
"""No answer costs more: a reported cost beyond it is unknown."""
MAX_TOKENS = 10**10
"""No answer takes more: a count beyond it is unknown."""
_USAGE_DEPTH = 3  # counts, their details, and the details of these
_USAGE_NAMES = 64  # in one object
_NAME_LENGTH = 64


@dataclass(frozen=True)
class Spend:
    """US dollars and tokens (of prompt and completion together). None where unknown."""

    cost_usd: float | None = 0.0
    tokens: int | None = 0


@dataclass(frozen=True)
class Bound(Spend):
    """The most that a request may take, and the parts of it that are for the prompt. None where unknown."""

    prompt_usd: float | None = None
    prompt_tokens: int | None = None

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Bound:
        """Return a bound as `dataclasses.asdict` wrote it. What is no amount is unknown."""
        dollars: list[Any] = [stored.get(name) for name in ("cost_usd", "prompt_usd")]
        cost, prompt_usd = (float(usd) if _is_number(usd) and usd >= 0 else None for usd in dollars)
        tokens, prompt_tokens = (_known_count(stored.get(name)) for name in ("tokens", "prompt_tokens"))
        return cls(cost, tokens, prompt_usd, prompt_tokens)

    def with_prompt(self, tokens: int) -> Spend:
        """Return the bound for a prompt of so many tokens, if that is less. Each costs its share at most."""
        if self.tokens is None or not self.prompt_tokens or tokens >= self.prompt_tokens:
            return self
        cost = self.cost_usd
        if cost is not None and self.prompt_usd is not None:
            cost -= self.prompt_usd * (1 - tokens / self.prompt_tokens)
        return Spend(cost, self.tokens - self.prompt_tokens + tokens)


class Spending:
    """The sum over a run. Unknown amounts add nothing; they are counted separately."""

    def __init__(self) -> None:
        self._open_by_key: dict[str, list[Spend]] = {}
        self._open = Spend()
        self._closed = Spend()  # bounds that no later event takes back
        self.settled = Spend()
        """The measured cost and tokens of answers; of an answer without a request, only the tokens."""
        self.unknown = 0
        """Answers whose cost is known neither from the provider nor from a price table."""
        self.unbounded = 0
        """Requests in flight or lost whose worst case has no known cost."""
        self.priced = False
        """Whether the cost of anything is known."""

    @property
    def open(self) -> Spend:
        """The bounds of what was not measured: requests in flight, lost ones, and answers without a cost or counts."""
        return add(self._open, self._closed)

    @property
    def total(self) -> Spend:
        """Everything spent, requests in flight and in doubt at their bounds."""
        return add(self.settled, self.open)

    @property
    def known(self) -> Spend:
        """The total, its cost None where nothing of it is known."""
        return self.total if self.priced else Spend(None, self.total.tokens)

    def requested(self, key: str, at_most: Spend) -> None:
        """A request is about to be sent for the completion `key`."""
        self._open_by_key.setdefault(key, []).append(at_most)
        self._open = add(self._open, at_most)
        self.unbounded += at_most.cost_usd is None
        self.priced |= at_most.cost_usd is not None

    def refused(self, key: str) -> None:
        """The last request for `key` was turned down, or never sent, and costs nothing."""
        self._close(key)

    def answered(self, key: str, completion: Mapping[str, Any]) -> None:
        """The last request for `key` brought this completion (the fields of `Completion`).

        What it does not say, or says as no provider can mean it, stays in doubt at the worst case. The cost of an
        answer without a request is not counted: it was not billed.
        """
        cost, tokens = known_cost(completion.get("cost_usd")), tokens_of(completion.get("usage"))
        at_most = self._close(key)
        if at_most is None:
            self.settled = add(self.settled, Spend(0.0, tokens))
            return
        self.settled = add(self.settled, Spend(cost, tokens))
        unmeasured = Spend(at_most.cost_usd if cost is None else 0.0, at_most.tokens if tokens is None else 0)
        self._closed = add(self._closed, unmeasured)
        self.unknown += cost is None
        self.priced |= cost is not None
        prompt = (known_usage(completion.get("usage")) or {}).get("prompt_tokens")
        while prompt and (lost := self._close(key)) is not None:
            self._closed = add(self._closed, lost.with_prompt(prompt) if isinstance(lost, Bound) else lost)
            self.unbounded += lost.cost_usd is None  # as before: it is still in doubt

    def _close(self, key: str) -> Spend | None:
        amounts = self._open_by_key.get(key)
        if not amounts:
            return None
        last = amounts.pop()
        if not amounts:
            del self._open_by_key[key]
        self._open = subtract(self._open, last) if self._open_by_key else Spend()
        self.unbounded -= last.cost_usd is None
        return last


def add(a: Spend, b: Spend) -> Spend:
    """The sum; what is unknown adds nothing."""
    return Spend((a.cost_usd or 0.0) + (b.cost_usd or 0.0), (a.tokens or 0) + (b.tokens or 0))


def subtract(a: Spend, b: Spend) -> Spend:
    """The difference; what is unknown takes nothing away."""
    return add(a, Spend(-(b.cost_usd or 0.0), -(b.tokens or 0)))


def known_cost(value: Any) -> float | None:
    """US dollars as a provider or a stored record states them; None for what is no number from 0 to `DEAREST_USD`."""
    return float(value) if _is_number(value) and 0 <= value <= DEAREST_USD else None


def known_usage(value: Any) -> dict[str, Any] | None:
    """What can be known of a provider's counts: by name, numbers and objects of numbers; None where nothing can.

    A number is finite and at least 0, of tokens (`..._tokens`) an integer of `MAX_TOKENS` at most. Everything else is
    left out, and what is nested deeper or named longer than any provider does, so that a record of it can be written.
    """
    return _known_counts(value, _USAGE_DEPTH) or None


def tokens_of(usage: Any) -> int | None:
    """All tokens of a provider's counts, or None when it sent none. A total that is less than its parts is not used."""
    counts: dict[str, int] = known_usage(usage) or {}
    asked, answered, total = (counts.get(name) for name in ("prompt_tokens", "completion_tokens", "total_tokens"))
    if asked is None or answered is None:
        return total
    return max(asked + answered, total or 0)


def _known_counts(usage: Any, depth: int) -> dict[str, Any]:
    known: dict[str, Any] = {}
    for name, value in usage.items() if isinstance(usage, Mapping) else ():
        if len(known) == _USAGE_NAMES:
            break
        if not isinstance(name, str) or len(name) > _NAME_LENGTH or not name.isprintable():
            continue
        if name.endswith("_tokens"):
            if (number := _known_count(value)) is not None:
                known[name] = number
        elif _is_number(value):
            if 0 <= value <= MAX_TOKENS:
                known[name] = value
        elif depth > 1 and (inner := _known_counts(value, depth - 1)):
            known[name] = inner
    return known


def _known_count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_TOKENS else None


def _is_number(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
