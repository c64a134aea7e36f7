"""Some of the episodes, where a figure needs the texts of attempts and would take long over all of them."""

from __future__ import annotations

import random
from collections.abc import Sequence

from repair_bench.traces.metrics import Episode

MOST = 2_000
"""Reading and parsing the code of an attempt takes about a millisecond: this many episodes take seconds."""


def sample(paths: Sequence[Episode], most: int = MOST, seed: int = 0) -> list[Episode]:
    """At most so many episodes, drawn without replacement, in their order. Figures made of them must say so."""
    if len(paths) <= most:
        return list(paths)
    return [paths[i] for i in sorted(random.Random(seed).sample(range(len(paths)), most))]  # noqa: S311 - no secret
