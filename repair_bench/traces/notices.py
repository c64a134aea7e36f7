"""What must be said on the face of every table and plot, and the parts of a manifest that say it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from repair_bench.traces.metrics import Episode
from repair_bench.traces.records import Attempt

SMALL = 10
"""Below this number of episodes a rate is marked as too small to compare."""


def repairs_of(attempts: Iterable[Attempt], manifest: dict[str, Any]) -> int:
    """N, the number of repair attempts of a run; for a manifest without it, the highest attempt number recorded."""
    stated = manifest.get("experiment", {}).get("max_attempts")
    return int(stated) if stated is not None else max((a.attempt for a in attempts), default=0)


def reference_wrong(manifest: dict[str, Any]) -> set[tuple[str, str]]:
    """The (suite, task id) whose reference is itself wrong."""
    return {(suite, task_id) for suite, task_id in manifest.get("reference_wrong") or ()}


def excluded(manifest: dict[str, Any]) -> dict[str, int]:
    """How many tasks could not be judged here, by reason, from entries [suite, task id, framework, reason]."""
    reasons: dict[str, int] = {}
    for *_, reason in manifest.get("excluded") or ():
        reasons[str(reason)] = reasons.get(str(reason), 0) + 1
    return reasons


def simulated(models: Iterable[str], manifest: dict[str, Any]) -> list[str]:
    """Those of `models` that are simulated. `manifest["simulated"]`: true for all of them, or a list of names."""
    stated = manifest.get("simulated") or []
    return sorted(set(models) if stated is True else set(models) & set(stated))


def notices(paths: Sequence[Episode], manifest: dict[str, Any]) -> list[str]:
    """One sentence each: simulated models, an unfinished run, faults."""
    repairs = repairs_of((a for e in paths for a in e.attempts), manifest)
    states = [e.state(repairs) for e in paths]
    models = {e.first.model for e in paths}
    made_up = simulated(models, manifest)
    planned = manifest.get("episodes")
    open_ = states.count("incomplete") + max(0, (planned or 0) - len(paths))
    said = []
    if made_up:
        which = "" if len(made_up) == len(models) == 1 else f": {', '.join(made_up)}"
        said.append(
            f"SIMULATED MODEL{'S' if len(made_up) > 1 else ''}{which}. These figures say nothing about a real model."
        )
    if open_:
        said.append(
            f"PARTIAL: {open_:,} of {count(max(planned or 0, len(paths)), 'episode')} not finished and left out. "
            "Passes finish early, so rates tend to be too high until the run is complete."
        )
    if faults := states.count("fault"):
        said.append(f"FAULTS: {count(faults, 'episode')} left out because of an infrastructure fault.")
    return said


def count(n: int, noun: str) -> str:
    """A number and its noun, in the plural unless it is 1."""
    return f"{n:,} {noun}" + ("" if n == 1 else "s")
