"""The result of a verification: contradictions, unverifiable parts, and the number of repeated executions."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from repair_bench.traces.record.records import Attempt

Result = Literal["consistent", "contradicted", "not verifiable"]
RESULTS: tuple[Result, ...] = ("contradicted", "not verifiable", "consistent")
"""All possible results, from worst to best."""


@dataclass(frozen=True)
class Discrepancy:
    """A contradiction between parts of a record.

    `episode` and `attempt` identify the attempt in which the contradiction occurs. Both fields are empty if the
    contradiction concerns the whole run.
    """

    episode: str
    attempt: str
    text: str

    def __str__(self) -> str:
        return f"attempt {self.attempt} of episode {self.episode}: {self.text}" if self.episode else self.text


@dataclass
class VerificationReport:
    """The findings on one run.

    `answers`: the number of answers with a verdict, counting each shared answer once. `executed`: the number of answers
    that were executed again. `agree`: the number of executed answers with the same verdict as in the record. For tasks
    with hidden instances, it is sufficient that both executions pass or both fail. `costs_differ`: the number of
    agreeing answers whose circuits do not have the recorded costs.
    `unverifiable`: the reasons why parts of the record could not be verified, and how often each reason occurred.
    `planned`: the number of planned episodes, or None if unknown. `pending`: the number of planned episodes that are
    missing or unfinished. `lock`: the hash of `study.lock`. `versions`: descriptions of the version differences that
    can affect verdicts.
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
    costs_differ: int = 0
    lock: str | None = None
    versions: str = ""

    def contradict(self, text: str, attempt: Attempt | None = None) -> None:
        self.contradictions.append(
            Discrepancy("", "", text) if attempt is None else Discrepancy(attempt.episode, attempt.id, text)
        )

    def doubt(self, why: str) -> None:
        """Record that something cannot be verified on this machine."""
        self.unverifiable[why] += 1

    def differ(self, text: str, attempt: Attempt | None = None) -> None:
        """Record that a recomputed result differs from the recorded result.

        The difference counts as a contradiction only if changed package versions cannot explain the difference.
        """
        if self.versions:
            self.doubt("a result differs from the record, and so do the package versions")
        else:
            self.contradict(text, attempt)

    @property
    def result(self) -> Result:
        """The overall result of the verification.

        A run is `consistent` only if its record is complete, all checks were possible, and no check found a difference.
        Other package versions do not matter if all results are the same.
        """
        if self.contradictions:
            return "contradicted"
        unexecuted = self.answers > 0 and self.executed == 0
        return "not verifiable" if self.unverifiable or self.pending or unexecuted else "consistent"

    def detection(self, falsified: int) -> float:
        """Return the probability that the sample contains at least one of the `falsified` outcomes."""
        if falsified > self.answers - self.executed:
            return 1.0
        missed = math.comb(self.answers - falsified, self.executed) / math.comb(self.answers, self.executed)
        return 1 - missed

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "result": self.result}
