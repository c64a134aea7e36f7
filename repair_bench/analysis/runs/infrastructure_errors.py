"""Infrastructure errors in a run, grouped by message."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from repair_bench.traces.record.lazy_attempt import Recorded

_VARYING = re.compile(r"\w*\d[\w-]*")
"""A pattern for numbers and request ids, which vary between a provider's messages."""


@dataclass(frozen=True)
class FaultGroup:
    """Infrastructure errors for one model and component (`boundary`), with messages that differ only in numbers."""

    model: str
    boundary: str
    message: str
    faults: int


def grouped(attempts: Iterable[Recorded]) -> list[FaultGroup]:
    groups: dict[tuple[str, str, str], list[str]] = {}
    for attempt in attempts:
        if (fault := attempt.fault) is not None:
            key = attempt.model, fault.boundary, _VARYING.sub("#", fault.message)
            groups.setdefault(key, []).append(fault.message)
    made = [FaultGroup(model, boundary, texts[0], len(texts)) for (model, boundary, _), texts in groups.items()]
    return sorted(made, key=lambda group: -group.faults)
