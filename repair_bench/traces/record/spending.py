"""A run's spending, rebuilt from the events of `completions.jsonl` and updated with each event.

Before a request is sent, its maximum cost (its *bound*) is added to the spending. When the answer arrives, the measured
cost replaces the bound; if the request is refused, the bound is removed. A request with neither an answer nor a refusal
(because the connection broke or the process was killed) is *lost*. A lost request may have been billed, so the bound on
its cost remains part of the spending. A later request may send the prompt of a lost request again. If the answer to the
later request reports the number of tokens in the prompt, the bound of the lost request is recomputed with this number.
The billed amount is therefore at least `settled` and at most `total`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

DEAREST_USD = 10_000.0
"""Maximum plausible cost of an answer; a higher reported cost is treated as unknown."""
MAX_TOKENS = 10**10
"""Maximum plausible number of tokens in an answer; a higher reported count is treated as unknown."""
_USAGE_DEPTH = 3  # counts, their details, and the details of these
_USAGE_NAMES = 64  # in one object
_NAME_LENGTH = 64


@dataclass(frozen=True)
class Spend:
    """An amount in US dollars and in tokens (prompt plus completion). None if unknown."""

    cost_usd: float | None = 0.0
    tokens: int | None = 0


@dataclass(frozen=True)
class Bound(Spend):
    """The maximum cost of a request, and the part of that cost that is due to the prompt. None if unknown."""

    prompt_usd: float | None = None
    prompt_tokens: int | None = None

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Bound:
        """Restore a bound from a dictionary made by `dataclasses.asdict`. Invalid amounts become unknown."""
        dollars: list[Any] = [stored.get(name) for name in ("cost_usd", "prompt_usd")]
        cost, prompt_usd = (float(usd) if _is_number(usd) and usd >= 0 else None for usd in dollars)
        tokens, prompt_tokens = (_known_count(stored.get(name)) for name in ("tokens", "prompt_tokens"))
        return cls(cost, tokens, prompt_usd, prompt_tokens)

    def with_prompt(self, tokens: int) -> Spend:
        """Return the bound on a request's spending, lowered if the prompt has fewer tokens than assumed.

        `tokens`: the actual number of tokens in the prompt.
        """
        if self.tokens is None or not self.prompt_tokens or tokens >= self.prompt_tokens:
            return self
        cost = self.cost_usd
        if cost is not None and self.prompt_usd is not None:
            cost -= self.prompt_usd * (1 - tokens / self.prompt_tokens)
        return Spend(cost, self.tokens - self.prompt_tokens + tokens)


class Spending:
    """The total cost of a run so far, in US dollars and tokens.

    Unknown amounts are not part of the total; `unknown` and `unbounded` count them.
    """

    def __init__(self) -> None:
        self._open_by_key: dict[str, list[Spend]] = {}
        self._open = Spend()
        self._closed = Spend()  # final bounds
        self.settled = Spend()
        """The measured cost and tokens of all answers. For an answer without a recorded request, the tokens are
        included but the cost is not."""
        self.unknown = 0
        """The number of answers with unknown cost."""
        self.unbounded = 0
        """The number of requests, in flight or lost, whose maximum cost is unknown."""
        self.priced = False
        """Whether any cost is known so far."""

    @property
    def open(self) -> Spend:
        """The sum of the bounds that stand in for unmeasured costs and token counts.

        Costs and token counts are unmeasured for requests in flight, for lost requests, and for answers that do not
        report them.
        """
        return add(self._open, self._closed)

    @property
    def total(self) -> Spend:
        """The total spending: the measured amounts, plus the bounds that stand in for unmeasured amounts."""
        return add(self.settled, self.open)

    @property
    def known(self) -> Spend:
        """The total spending. The cost in US dollars is None if no cost is known."""
        return self.total if self.priced else Spend(None, self.total.tokens)

    def requested(self, key: str, at_most: Spend) -> None:
        """Add the bound `at_most` of a request that is about to be sent. `key`: the key of the requested completion."""
        self._open_by_key.setdefault(key, []).append(at_most)
        self._open = add(self._open, at_most)
        self.unbounded += at_most.cost_usd is None
        self.priced |= at_most.cost_usd is not None

    def refused(self, key: str) -> None:
        """Remove the last request for `key`, which was refused or never sent and costs nothing."""
        self._close(key)

    def answered(self, key: str, completion: Mapping[str, Any]) -> None:
        """Replace the bound of the last request for `key` with the measured cost. `completion`: the fields of a
        `Completion`.

        If the cost in `completion` is missing or impossible, the bound on the cost is counted instead. If the number of
        tokens is missing or impossible, the bound on the number of tokens is counted instead. The cost of an answer
        that matches no recorded request is not counted.
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
            self.unbounded += lost.cost_usd is None  # still uncertain

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
    return Spend((a.cost_usd or 0.0) + (b.cost_usd or 0.0), (a.tokens or 0) + (b.tokens or 0))


def subtract(a: Spend, b: Spend) -> Spend:
    return add(a, Spend(-(b.cost_usd or 0.0), -(b.tokens or 0)))


def known_cost(value: Any) -> float | None:
    """Return the cost that a provider or a record states, or None unless it is a number from 0 to `DEAREST_USD`."""
    return float(value) if _is_number(value) and 0 <= value <= DEAREST_USD else None


def known_usage(usage: Any, depth: int = _USAGE_DEPTH) -> dict[str, Any] | None:
    """Return the valid part of the usage that a provider reports, or None if no part is valid.

    The usage is a dictionary. Each value is a number or another dictionary with numbers as values. Numbers are
    finite and at least 0; token counts (`..._tokens`) are integers up to `MAX_TOKENS`. Other values, long names and
    deeply nested dictionaries are omitted, so that the result is safe to record.
    """
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
        elif depth > 1 and (inner := known_usage(value, depth - 1)):
            known[name] = inner
    return known or None


def tokens_of(usage: Any) -> int | None:
    """Return the total number of tokens, or None if the total is unknown.

    If the reported total is less than the sum of prompt and completion tokens, this sum is returned.
    """
    counts: dict[str, int] = known_usage(usage) or {}
    prompt, completion, total = (counts.get(name) for name in ("prompt_tokens", "completion_tokens", "total_tokens"))
    if prompt is None or completion is None:
        return total
    return max(prompt + completion, total or 0)


def _known_count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_TOKENS else None


def _is_number(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
