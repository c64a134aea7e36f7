"""The result of a verification: contradictions, doubts, and the answers that were executed again."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from repair_bench.traces.record.records import Attempt

Result = Literal["consistent", "contradicted", "not verifiable"]
RESULTS: tuple[Result, ...] = ("contradicted", "not verifiable", "consistent")
"""The worst first."""


@dataclass(frozen=True)
class Discrepancy:
    """A contradiction: in which attempt, and why. Both names are empty where it concerns the run as a whole."""

    episode: str
    attempt: str
    text: str

    def __str__(self) -> str:
        return f"attempt {self.attempt} of episode {self.episode}: {self.text}" if self.episode else self.text


@dataclass
class VerificationReport:
    """The findings on one run.

    `answers`: those with a verdict, one that arms share once; `executed`: of them, those that were executed again;
    `agree`: of these, those with the recorded verdict. `unverifiable`: why something could not be verified here, and
    how often. `planned`: episodes that the settings make, None where they cannot be derived here; `pending`: of them,
    those that are missing or unfinished. `lock`: the hash of `study.lock`.
    """

    run: str
    attempts: int = 0
    planned: int | None = None
    pending: int = 0
    contradictions: list[Discrepancy] = field(default_factory=list)
    unverifiable: Counter[str] = field(default_factory=Counter)
    answers: int = 0
    executed: int = 0
    agree: int = 0
    lock: str | None = None
    versions: str = ""
    """The versions that may decide a verdict and differ here, in words."""

    def contradict(self, text: str, attempt: Attempt | None = None) -> None:
        """Note a contradiction."""
        self.contradictions.append(
            Discrepancy("", "", text) if attempt is None else Discrepancy(attempt.episode, attempt.id, text)
        )

    def doubt(self, why: str) -> None:
        """Note something that cannot be verified here."""
        self.unverifiable[why] += 1

    def differ(self, text: str, attempt: Attempt | None = None) -> None:
        """Note a difference to what this version computes: a contradiction only where the versions are the same."""
        if self.versions:
            self.doubt("it differs from the record, and so do the versions")
        else:
            self.contradict(text, attempt)

    @property
    def result(self) -> Result:
        """Return the result: "consistent" requires a complete record and the recomputation of everything recorded."""
        if self.contradictions:
            return "contradicted"
        unexecuted = self.answers > 0 and self.executed == 0
        return "not verifiable" if self.unverifiable or self.pending or self.versions or unexecuted else "consistent"

    def detection(self, falsified: int) -> float:
        """The probability that the sample holds one of so many falsified outcomes."""
        if falsified > self.answers - self.executed:
            return 1.0
        missed = math.comb(self.answers - falsified, self.executed) / math.comb(self.answers, self.executed)
        return 1 - missed

    def to_json(self) -> dict[str, Any]:
        """All of it as JSON data."""
        return {**asdict(self), "result": self.result}
