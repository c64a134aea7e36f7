"""A simulated model with a known horizon, for tasks with visible and hidden instances.

The name of the model is `sim/solver?horizon=H&repair=R&spread=S&lapse=L&slope=B`. The model's programs contain the
hidden circuits of the instances that they solve. If S is 0, a program solves an instance of size H with probability (1
- L) / 2. See `analysis.rates.horizon_fit` for the probabilities of other sizes. Each repair multiplies the horizon by R
(at least 1) if its feedback describes the failure. R therefore determines the ratio between the horizons of two arms if
only one of the arms receives feedback that describes failures. H is required.

The random numbers of an instance do not change during an episode. A repaired program therefore solves every instance
that earlier programs solved, and k repairs increase the horizon from H to exactly H R^k.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from random import Random
from typing import ClassVar, Self
from urllib.parse import parse_qsl

from repair_bench.agent.models.base import Request, Role
from repair_bench.analysis.comparing.effects import CONTROLS
from repair_bench.suites.horizon.check import BudgetCheck
from repair_bench.suites.horizon.edition import Edition
from repair_bench.suites.horizon.loader import solver
from repair_bench.traces.faults import UsageError


@dataclass(frozen=True)
class Solver:
    """A model that solves each instance with a probability that depends on the size of the instance."""

    role: ClassVar[Role] = "answer"

    name: str
    horizon: float
    repair: float = 1.0
    spread: float = 0.0
    lapse: float = 0.0
    slope: float = 10.0

    @classmethod
    def of(cls, name: str, options: str) -> Self:
        """Parse the options in a model's name. Raises UsageError for an unknown option or an invalid value."""
        usage = (
            f"'{name}': use sim/solver?horizon=H&repair=R&spread=S&lapse=L&slope=B with H and B above 0, R at least 1, "
            "S at least 0 and L from 0 to 1; only H is required"
        )
        try:
            pairs = parse_qsl(options, strict_parsing=True)
            found = cls(name, **{key: float(value) for key, value in pairs})
        except (ValueError, TypeError):
            raise UsageError(usage) from None
        values = found.horizon, found.repair, found.spread, found.lapse, found.slope
        sound = found.horizon > 0 and found.slope > 0 and found.repair >= 1 and found.spread >= 0
        if not (sound and all(map(math.isfinite, values)) and 0 <= found.lapse <= 1 and len(dict(pairs)) == len(pairs)):
            raise UsageError(usage)
        return found

    def answer(self, request: Request) -> str:
        """Return the program. Raises UsageError if the task has no instances."""
        task, check = request.task, request.task.check
        if not isinstance(check, BudgetCheck):
            raise UsageError(f"'{self.name}' answers only tasks of the suite 'horizon', not tasks of '{task.suite}'")
        chance = self.chance(check.size, request)
        draws = self._random(request, "instances")
        solved = {number: instance.plant for number, instance in enumerate(check.instances) if draws.random() < chance}
        source = solver(Edition.of(task.suite), check.family, check.size, task.framework, solved)
        return f"```python\n{source.rstrip()}\n\n# simulated model\n```\n"

    def chance(self, size: int, request: Request) -> float:
        """Return the probability that the program solves an instance."""
        repairs = 0 if request.policy in CONTROLS else request.attempt
        effect = self._random(request, "program").gauss(0, 1)
        octaves = math.log2(self.horizon / size) + repairs * math.log2(self.repair) + self.spread * effect
        return (1 - self.lapse) * 0.5 * (1 + math.tanh(self.slope * octaves / 2))

    def _random(self, request: Request, purpose: str) -> Random:
        """Return random numbers that are the same for all attempts of an episode and in all arms."""
        task = request.task
        return Random(json.dumps([self.name, task.suite, task.id, task.framework, request.sample, purpose]))  # noqa: S311
