"""The rows of the published tables. Rates are in percent and differences in percentage points, as they were printed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PrefillDifference:
    """Pass@1 with prefill minus without, and the mean of the three frameworks."""

    model: str
    qiskit: float
    cirq: float
    pennylane: float
    average: float


@dataclass(frozen=True)
class FeedbackRates:
    """Pass@1, and Pass@1 with feedback."""

    model: str
    framework: str
    pass_at_1: float
    fb: float


@dataclass(frozen=True)
class PassAt5:
    model: str
    framework: str
    pass_at_5: float


@dataclass(frozen=True)
class ErrorShare:
    """A class's share of the failures, before and after feedback."""

    error_class: str
    before: float
    after: float | None


@dataclass(frozen=True)
class CategoryRate:
    category: str
    rate: float
    attempts: int


@dataclass(frozen=True)
class ErrorCount:
    """An exception class, or "remaining" for the rarer ones together."""

    error_type: str
    count: int
    percent: float
    group: str


@dataclass(frozen=True)
class BestConfiguration:
    """A model's best prompting configuration, its 95% Wilson interval, and the mean of all configurations."""

    model: str
    tier: str
    best: float | None
    low: float | None
    high: float | None
    mean: float | None
    best_minus_mean: float | None
    configuration: str | None


@dataclass(frozen=True)
class Tier:
    """A tier of difficulty."""

    tier: str
    tasks: int
    rate: float


@dataclass(frozen=True)
class GreedyPassAt1:
    """Pass@1 on HumanEval and on Qiskit HumanEval."""

    model: str
    humaneval: float
    qiskit_humaneval: float


@dataclass(frozen=True)
class PassedByDifficulty:
    """Tasks passed, by difficulty."""

    model: str
    basic: int
    intermediate: int
    difficult: int
