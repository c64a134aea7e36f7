"""A simulated model that tries its program before it answers, with known effects of trying and of being told.

`sim/tinkerer?tries=N&first=P&trial=T&repair=Q`: its program is right with probability P at first and Q at each repair,
independent of everything but the seed. Where it may run programs it runs its own, up to N times, and while that is
wrong each run mends it with probability T. So with n runs allowed the first answer is right with probability
1 - (1 - P) (1 - T)^n.
"""

from __future__ import annotations

import json
import math
from random import Random
from typing import Any

from repair_bench.agent.models.base import Request
from repair_bench.agent.models.sim import mistakes as sim_mistakes
from repair_bench.prompts.tools import TOOL
from repair_bench.traces.record.records import Completion


class Tinkerer:
    """`tries`: programs that it runs before an answer at most; the others are probabilities."""

    simulated = True
    supports_prefill = False
    supports_tools = True

    def __init__(self, name: str, tries: int, first: float, trial: float, repair: float) -> None:
        self.name = name
        self._tries, self._first, self._trial, self._repair = tries, first, trial, repair

    async def complete(self, request: Request) -> Completion:
        """A call of the tool, or the answer. Tokens are counted as four characters each; cost and time are unknown."""
        ran = _ran(request.messages)
        mistakes = self._mistakes(request, ran)
        source = sim_mistakes.planted_source(request.task, mistakes).rstrip()
        read = math.ceil(sum(len(message["content"]) for message in request.messages) / 4)
        written = math.ceil(len(source) / 4)
        usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
        if request.tools and mistakes and ran < self._tries:
            function = {"name": TOOL, "arguments": json.dumps({"code": source})}
            call = {"id": f"call_{ran}", "type": "function", "function": function}
            return Completion("", usage=usage, parts={"tool_calls": [call]}, reply="tool_calls")
        return Completion(f"```python\n{source}\n```\n", usage=usage, reply="text")

    async def close(self) -> None:
        """Nothing was started."""

    def _mistakes(self, request: Request, ran: int) -> list[str]:
        """What is planted in its program after so many runs of this turn."""
        rng = Random(f"{self.name} {request.seed} {request.attempt}")  # noqa: S311 - a simulation, not a secret
        if rng.random() < (self._first if request.attempt == 0 else self._repair):
            return []
        mistake = sim_mistakes.draw_certain(rng)
        mended = any(rng.random() < self._trial for _ in range(ran))
        return [] if mended else [mistake]


def _ran(messages: list[dict[str, Any]]) -> int:
    """The programs that were run since the last words of the user."""
    since = next(number for number, message in enumerate(reversed(messages)) if message["role"] == "user")
    return sum(message["role"] == "tool" for message in messages[len(messages) - since :])
