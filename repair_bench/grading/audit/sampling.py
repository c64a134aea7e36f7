"""Which mutants of a reference are run."""

from __future__ import annotations

import hashlib
import random
from itertools import chain, zip_longest

from repair_bench.suites.mutations import KINDS, Mutant, mutants
from repair_bench.suites.task import Task

AUDITED = tuple(kind for kind in KINDS if kind != "return_forgotten")
"""The kinds of mutation that say something of a check: any check rejects a program that returns nothing."""


def in_turn(task: Task, seed: int) -> list[Mutant]:
    """The mutants of a task's reference, shuffled, the kinds taking turns; the same for the same seed.

    Empty without a reference, and for one that does not parse.
    """
    if task.reference is None:
        return []
    try:
        made = list(mutants(task.reference, task.framework, AUDITED))
    except SyntaxError:
        return []
    text = f"{seed}/{task.suite}/{task.id}/{task.framework}"
    shuffle = random.Random(hashlib.sha256(text.encode()).digest()).shuffle  # noqa: S311 - no secret
    kinds: dict[str, list[Mutant]] = {}
    for mutant in made:
        kinds.setdefault(mutant.kind, []).append(mutant)
    for group in kinds.values():
        shuffle(group)
    groups = list(kinds.values())
    shuffle(groups)
    return [mutant for mutant in chain.from_iterable(zip_longest(*groups)) if mutant is not None]
