"""Some of the episodes, where a figure needs the texts of attempts and would take long over all of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

Thing = TypeVar("Thing")

MOST = 2_000
"""Reading and parsing the code of an attempt takes about a millisecond: this many episodes take seconds."""


def sample(things: Sequence[Thing], most: int, seed: int = 0) -> list[Thing]:
    """At most so many, drawn without replacement, in their order. Figures made of them must say so."""
    if len(things) <= most:
        return list(things)
    return [things[i] for i in sorted(random.Random(seed).sample(range(len(things)), most))]  # noqa: S311 - no secret
