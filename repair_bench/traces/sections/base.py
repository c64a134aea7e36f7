"""What every section is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from repair_bench.traces import arms
from repair_bench.traces.intervals import Interval
from repair_bench.traces.metrics import Episode, group

Row = dict[str, str]


@dataclass(frozen=True)
class Studied:
    """A run as sections take it. `repairs`: N, its number of repair attempts."""

    paths: Sequence[Episode]
    manifest: Mapping[str, Any]
    repairs: int
    certificate: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Section:
    """`rows`: JSON data. `shown`: a row as texts by column name."""

    title: str
    note: str
    rows: list[dict[str, Any]]
    shown: Callable[[dict[str, Any]], Row]


@dataclass(frozen=True)
class Family:
    """The arms of one model, suite and prompt: episodes by condition, frameworks and samples together."""

    model: str
    suite: str
    prompt: str
    arms: dict[str, list[Episode]]


def families(run: Studied) -> list[Family]:
    """Every model, suite and prompt with its arms."""
    prompts = arms.prompts(run.paths)
    home = {name: prompt for prompt, members in prompts.items() for name in members}
    found: dict[tuple[str, str, str], dict[str, list[Episode]]] = {}
    for (model, suite, condition), members in group(run.paths, "model", "suite", "condition").items():
        found.setdefault((model, suite, home[condition]), {})[condition] = members
    return [Family(*key, parts) for key, parts in found.items()]


def firsts(run: Studied) -> list[Episode]:
    """The episodes of one arm of each prompt: the others start from the same first answers."""
    prompts = arms.prompts(run.paths)
    return [e for e in run.paths if e.first.condition in prompts]


def interval(found: Interval, name: str = "rate") -> dict[str, Any]:
    """An interval as JSON data; `name`: what the estimate is called."""
    return {name: found.estimate, "low": found.low, "high": found.high, "n": found.n, "problems": found.problems}


def percent(cell: Mapping[str, Any], name: str = "rate") -> str:
    """A rate with its interval, in %."""
    return _shown(cell, name, ".1f")


def points(cell: Mapping[str, Any], name: str = "difference") -> str:
    """A difference with its interval, in points."""
    return _shown(cell, name, "+.1f")


def p_value(p: float) -> str:
    """A p-value as it is printed."""
    return "<0.0001" if p < 0.0001 else f"{p:.2g}"


def _shown(cell: Mapping[str, Any], name: str, form: str) -> str:
    if cell[name] is None or cell["low"] is None or cell["high"] is None:
        return "-"
    middle, low, high = (format(100 * cell[key], form) for key in (name, "low", "high"))
    return f"{middle} ({low}..{high})" if "+" in form else f"{middle} ({low}-{high})"
