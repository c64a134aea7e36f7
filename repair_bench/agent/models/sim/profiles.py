"""The abilities of the simulated models.

The probabilities are invented, but resemble those of weak, medium and strong models in published tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from repair_bench.agent.models.sim.feedback import Cue


@dataclass(frozen=True)
class Profile:
    """The probabilities (from 0 to 1) with which one simulated model makes and fixes mistakes."""

    right: Mapping[str | None, float]
    """Probability that the first answer is correct, by the difficulty of the task (None: tasks without a stated
    difficulty)."""
    raising: float
    """Probability that an incorrect first answer raises an exception."""
    another: float
    """Probability of each further mistake in an incorrect program. A program contains at most three mistakes."""
    unaided: float
    """Probability that a repair fixes a mistake if the feedback contains no evidence about it."""
    repair: Mapping[Cue, float]
    """Probability that a repair fixes a mistake, by the kind of evidence in the feedback."""
    slip: float
    """Probability that a repair introduces a new mistake."""

    def first(self, difficulty: str | None) -> float:
        """Return the probability of a correct first answer. Suites use different names for difficulty levels."""
        return self.right.get(_SAME_AS.get(difficulty, difficulty), self.right[None])

    def fixes(self, cues: set[Cue], *, hidden: bool) -> float:
        """Return the probability that a repair fixes a mistake.

        `hidden`: whether an exception hid the effect of the mistake.
        """
        return self.unaided if hidden else max((self.repair[cue] for cue in cues), default=self.unaided)


_SAME_AS: dict[str | None, str] = {"basic": "introductory", "difficult": "advanced"}

PROFILES = {
    "novice": Profile(
        right={"introductory": 0.28, "intermediate": 0.14, "advanced": 0.05, None: 0.15},
        raising=0.6,
        another=0.5,
        unaided=0.06,
        repair={"mismatch": 0.15, "message": 0.18, "output": 0.18, "expected": 0.35, "traceback": 0.55, "missing": 0.8},
        slip=0.15,
    ),
    "journeyman": Profile(
        right={"introductory": 0.6, "intermediate": 0.4, "advanced": 0.2, None: 0.4},
        raising=0.5,
        another=0.35,
        unaided=0.1,
        repair={"mismatch": 0.3, "message": 0.3, "output": 0.3, "expected": 0.6, "traceback": 0.75, "missing": 0.9},
        slip=0.08,
    ),
    "expert": Profile(
        right={"introductory": 0.85, "intermediate": 0.7, "advanced": 0.5, None: 0.7},
        raising=0.35,
        another=0.2,
        unaided=0.18,
        repair={"mismatch": 0.5, "message": 0.45, "output": 0.45, "expected": 0.8, "traceback": 0.9, "missing": 0.95},
        slip=0.04,
    ),
}
