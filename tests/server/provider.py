"""A provider with a quota, errors and a bill: the script of a `ScriptedServer` for complete runs.

The result of the n-th request of a conversation depends only on the seed, the conversation and n, not on the order of
arrival. Answers contain no code, because these runs test the network; each names its conversation.
"""

import hashlib
import json
import math
import random
import threading
from collections import deque
from collections.abc import Mapping

from server.scripted import ReceivedRequest, Reply, answer, hang, rate_limited, reset, server_error

PRICE = (2e-6, 8e-6)
"""US dollars per token of prompt and of completion: gpt-4.1's price."""
FAULTS = {
    "500": lambda _: server_error(),
    "429": lambda _: rate_limited(0.5),
    "hang": lambda _: hang(),
    "reset": lambda _: reset(),
    "cut": lambda body: Reply(body, cut=len(body) // 2),
}
LOST = {"hang", "cut"}
"""The answer is generated and billed, but does not arrive."""


class Provider:
    """Answers requests within a quota, with errors, and bills them.

    `faults`: the share of requests with each error (see `FAULTS`). `quota`: the maximum number of requests in a number
    of seconds; others are refused with a Retry-After. `delay`: the maximum duration of an answer in seconds.
    `outcomes`: the results of each conversation in order: "ok", "quota" or the name of an error. `bill`: US dollars for
    all answers, including lost ones; `bills`: the same by conversation.
    """

    def __init__(
        self,
        faults: Mapping[str, float] | None = None,
        *,
        quota: tuple[int, float] | None = None,
        delay: float = 0.0,
        seed: int = 0,
    ) -> None:
        self.faults = dict(faults or {})
        self.outcomes: dict[str, list[str]] = {}
        self.bills: dict[str, list[float]] = {}
        self._delay = delay
        self._quota = quota
        self._taken: deque[float] = deque()
        self._seed = seed
        self._lock = threading.Lock()

    @property
    def bill(self) -> float:
        return math.fsum(cost for costs in self.bills.values() for cost in costs)

    def __call__(self, asked: ReceivedRequest) -> Reply:
        conversation = conversation_of(asked.body)
        with self._lock:
            outcomes = self.outcomes.setdefault(conversation, [])
            if wait := self._over_quota(asked.time):
                outcomes.append("quota")
                return rate_limited(round(wait, 3))
            chance = random.Random(f"{self._seed} {conversation} {len(outcomes)}")
            outcome = next(
                iter(chance.choices([*self.faults, "ok"], [*self.faults.values(), 1 - sum(self.faults.values())]))
            )
            outcomes.append(outcome)
            usage = _usage(asked, chance)
            if outcome == "ok" or outcome in LOST:
                cost = usage["prompt_tokens"] * PRICE[0] + usage["completion_tokens"] * PRICE[1]
                self.bills.setdefault(conversation, []).append(cost)
        reply = answer(f"I would rather not. {conversation}", usage=usage, delay=chance.uniform(0, self._delay))
        return reply if outcome == "ok" else FAULTS[outcome](reply.body)

    def _over_quota(self, now: float) -> float:
        """Return the seconds until the next request is accepted; 0 if this one is."""
        if self._quota is None:
            return 0.0
        most, seconds = self._quota
        while self._taken and self._taken[0] <= now - seconds:
            self._taken.popleft()
        if len(self._taken) >= most:
            return self._taken[0] + seconds - now
        self._taken.append(now)
        return 0.0


def conversation_of(body: Mapping[str, object]) -> str:
    """Return 16 hexadecimal digits for a conversation, including the seed."""
    text = json.dumps([body["messages"], body.get("seed"), body.get("temperature")], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _usage(asked: ReceivedRequest, chance: random.Random) -> dict[str, int]:
    """Return plausible prompt tokens, and a random number of completion tokens within the limit."""
    prompt = sum(8 + len(m["content"].encode()) // 3 for m in asked.messages)
    completion = chance.randint(1, int(asked.body["max_tokens"]))
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
