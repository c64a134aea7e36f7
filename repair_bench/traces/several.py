"""Several runs read as one: a study whose models or conditions were run apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from repair_bench.traces.changes import changes
from repair_bench.traces.faults import UsageError
from repair_bench.traces.notices import repairs_of, simulated
from repair_bench.traces.rows import Run

PINNED = ("rule", "versions", "suite_contents", "protocol")
"""The parts of an experiment that decide a verdict: their differences are said."""


def join(runs: Sequence[Run], names: Sequence[str]) -> Run:
    """The rows of all runs under one manifest; a single run is itself. `names`: what the runs are called.

    Curves go as far as the run with the fewest repair attempts. Raises UsageError when two runs hold the same episodes,
    or a condition of one name and other settings: those are to be compared, not pooled.
    """
    if len(runs) == 1:
        return runs[0]
    experiments = [run.manifest.get("experiment", {}) for run in runs]
    conditions: dict[str, Any] = {}
    seen: dict[str, str] = {}
    for run, name, experiment in zip(runs, names, experiments, strict=True):
        for condition, stated in (experiment.get("conditions") or {}).items():
            without = {key: value for key, value in stated.items() if key != "max_attempts"}
            if conditions.setdefault(condition, without) != without:
                raise UsageError(f"condition {condition} of {name} has other settings elsewhere: use `compare`")
        twice = next((e for e in {row.episode for row in run.rows} if seen.setdefault(e, name) != name), None)
        if twice is not None:
            raise UsageError(f"{seen[twice]} and {name} hold the same episodes ({twice}): use `compare`")
    makes = [repairs_of(run.rows, run.manifest) for run in runs]
    experiment = {"max_attempts": min(makes), "conditions": conditions}
    origins = [one["origin"] for one in experiments if one.get("origin")]
    planned: list[Any] = [run.manifest.get("episodes") for run in runs]
    manifest = {
        "experiment": {**experiment, **({"origin": origins[0]} if origins else {})},
        "simulated": sorted(
            {model for run in runs for model in simulated({row.model for row in run.rows}, run.manifest)}
        ),
        "reference_wrong": _union([run.manifest.get("reference_wrong") or () for run in runs]),
        "excluded": _union([run.manifest.get("excluded") or () for run in runs]),
        "episodes": None if None in planned else sum(planned),
    }
    notes = [note for run in runs for note in run.notes]
    if len(set(makes)) > 1:
        notes.append(f"the runs make {', '.join(map(str, makes))} repair attempts: figures go up to {min(makes)}")
    for name, other in zip(names[1:], experiments[1:], strict=True):
        said = [text for part in PINNED for text in changes(experiments[0].get(part), other.get(part), part)]
        notes += [f"{names[0]} and {name} differ: {text}" for text in said]
    return Run(manifest, [row for run in runs for row in run.rows], notes)


def _union(lists: Sequence[Sequence[Sequence[Any]]]) -> list[list[Any]]:
    return [list(entry) for entry in dict.fromkeys(tuple(entry) for entries in lists for entry in entries)]
