"""How good the simulated models are.

The figures are made up. They are chosen so that the three profiles lie where weak, middling and strong models lie in
published tables, and so that feedback matters in the way it is meant to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from repair_bench.agent.models.sim.feedback import FeedbackContent


@dataclass(frozen=True)
class RepairRates:
    """The probability that a repair mends a mistake, by what the feedback told of it. All in [0, 1]."""

    nothing: float
    """That it failed, how far from right it is, or something about another program."""
    mismatch: float
    """The type of what it returned, or its number of bits or qubits, is wrong; a gate that is not allowed."""
    output: float
    """What the program returned, or the message of its exception."""
    expected: float
    """What it should have returned, or the assertion that it failed."""
    traceback: float
    """The program's own traceback."""
    missing: float
    """No code or no entry point was found."""


@dataclass(frozen=True)
class Profile:
    """One simulated model. Probabilities are in [0, 1]."""

    right: Mapping[str | None, float]
    """That the first answer is right, by the task's difficulty; None for tasks that have none."""
    raising: float
    """That a wrong first answer fails before it returns anything."""
    another: float
    """That a wrong program has one more mistake, up to three."""
    mending: RepairRates
    slip: float
    """That a repair brings in a new mistake."""

    def first(self, difficulty: str | None) -> float:
        """The probability of a right first answer; suites have words of their own for how hard a task is."""
        return self.right.get(_SAME_AS.get(difficulty, difficulty), self.right[None])

    def mends(self, cues: FeedbackContent, *, hidden: bool) -> float:
        """The probability that one mistake is mended. `hidden`: another one failed before it came to light."""
        chances = self.mending
        if hidden:
            return chances.nothing
        by_cue = (
            (cues.traceback, chances.traceback),
            (cues.message or cues.output, chances.output),
            (cues.expected, chances.expected),
            (cues.mismatch, chances.mismatch),
            (cues.missing, chances.missing),
        )
        return max((chance for seen, chance in by_cue if seen), default=chances.nothing)


_SAME_AS: dict[str | None, str] = {"basic": "introductory", "difficult": "advanced"}

PROFILES = {
    "novice": Profile(
        right={"introductory": 0.28, "intermediate": 0.14, "advanced": 0.05, None: 0.15},
        raising=0.6,
        another=0.5,
        mending=RepairRates(nothing=0.06, mismatch=0.15, output=0.18, expected=0.35, traceback=0.55, missing=0.8),
        slip=0.15,
    ),
    "journeyman": Profile(
        right={"introductory": 0.6, "intermediate": 0.4, "advanced": 0.2, None: 0.4},
        raising=0.5,
        another=0.35,
        mending=RepairRates(nothing=0.1, mismatch=0.3, output=0.3, expected=0.6, traceback=0.75, missing=0.9),
        slip=0.08,
    ),
    "expert": Profile(
        right={"introductory": 0.85, "intermediate": 0.7, "advanced": 0.5, None: 0.7},
        raising=0.35,
        another=0.2,
        mending=RepairRates(nothing=0.18, mismatch=0.5, output=0.45, expected=0.8, traceback=0.9, missing=0.95),
        slip=0.04,
    ),
}
