"""How alike the accepted answers of several models are, by their syntax trees (QuantumKatas, 6.4 and appendix D)."""

from __future__ import annotations

import ast
import difflib
import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from repair_bench.analysis.curves import solved_by
from repair_bench.analysis.metrics import Episode, counted, group
from repair_bench.analysis.syntax import tree

NEAR_IDENTICAL = 0.95
HIGHLY_DIVERSE = 0.50


@dataclass(frozen=True)
class Diversity:
    """Pairwise similarity over tasks that all models solved, one pair for each two models and task.

    `near_identical`, `highly_diverse`: shares of pairs above 0.95 and below 0.50. `same_family`, `other_family`: means.
    A figure without pairs is None.
    """

    tasks: int
    pairs: int
    mean: float | None
    near_identical: float | None
    highly_diverse: float | None
    same_family: float | None
    other_family: float | None


def node_types(code: str) -> list[str] | None:
    """The names of the node types of a syntax tree in the order of `ast.walk`; None when the code does not parse."""
    root = tree(code)
    return None if root is None else [type(node).__name__ for node in ast.walk(root)]


def similarity(first: str, second: str) -> float | None:
    """The ratio by difflib.SequenceMatcher of two codes' node types, in 0..1; None when either does not parse.

    It depends a little on which comes first.
    """
    a, b = node_types(first), node_types(second)
    return None if a is None or b is None else difflib.SequenceMatcher(None, a, b).ratio()


def family(model: str) -> str:
    """The letters that a model's name begins with, its providers left out: "openai/gpt-4.1" is of the family "gpt"."""
    name = model.rpartition("/")[2].lower()
    return "".join(itertools.takewhile(str.isalpha, name))


def diversity(episodes: Iterable[Episode], k: int = 0, family_of: Callable[[str], str] = family) -> Diversity:
    """The similarity of answers accepted within k repairs, over the tasks that every model solved.

    Of several samples of a model the first that was accepted is taken. Pairs are in the order of the models' names.
    """
    members = counted(episodes, k)
    models = {e.first.model for e in members}
    same: list[float] = []
    other: list[float] = []
    tasks = 0
    for part in group(members, "suite", "task_id", "framework").values():
        codes = _accepted(part, k)
        if len(models) < 2 or codes.keys() != models:
            continue
        tasks += 1
        for a, b in itertools.combinations(sorted(codes), 2):
            ratio = similarity(codes[a], codes[b])
            if ratio is not None:
                (same if family_of(a) == family_of(b) else other).append(ratio)
    every = same + other
    return Diversity(
        tasks,
        len(every),
        _mean(every),
        _mean([float(ratio > NEAR_IDENTICAL) for ratio in every]),
        _mean([float(ratio < HIGHLY_DIVERSE) for ratio in every]),
        _mean(same),
        _mean(other),
    )


def _accepted(members: Iterable[Episode], k: int) -> dict[str, str]:
    codes: dict[str, str] = {}
    for episode in sorted(members, key=lambda e: e.first.sample):
        if solved_by(episode, k):
            code = next(a.code for a in episode.attempts if a.passed)
            if code is not None:
                codes.setdefault(episode.first.model, code)
    return codes


def _mean(values: list[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
