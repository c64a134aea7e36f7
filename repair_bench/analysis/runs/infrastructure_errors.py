"""The faults of a run, those that say the same together."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from repair_bench.traces.record.lazy_attempt import Recorded

_VARYING = re.compile(r"\w*\d[\w-]*")
"""Numbers and names of requests: what differs from one message of a provider to the next."""


@dataclass(frozen=True)
class FaultGroup:
    """Faults of one model at one boundary whose messages differ in numbers alone. `message`: the first of them."""

    model: str
    boundary: str
    message: str
    faults: int


def grouped(attempts: Iterable[Recorded]) -> list[FaultGroup]:
    """The faults among some attempts in groups, the largest first."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for attempt in attempts:
        if (fault := attempt.fault) is not None:
            alike = attempt.model, fault.boundary, _VARYING.sub("#", fault.message)
            groups.setdefault(alike, []).append(fault.message)
    made = [FaultGroup(model, where, said[0], len(said)) for (model, where, _), said in groups.items()]
    return sorted(made, key=lambda group: -group.faults)
