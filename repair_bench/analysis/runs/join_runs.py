"""Combine several runs into a single run, or select a part of a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from repair_bench.analysis.runs.notices import repairs_of
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.labels import DOUBTS
from repair_bench.traces.record.lazy_attempt import Row
from repair_bench.traces.record.records import Attempt
from repair_bench.traces.run.changes import changes
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.manifest_fields import ExperimentFields, OriginFields
from repair_bench.traces.run.run_reader import Run
from repair_bench.traces.run.study_lock import Comparison

_A = TypeVar("_A", Attempt, Row)

FIELDS = ("model", "suite", "framework", "condition", "category", "difficulty", "task_id", "sample")
"""The fields of attempts that `--only` accepts."""
PINNED = ("rule", "versions", "prompts", "suite_contents", "protocol")
"""The fields of an experiment that affect answers or verdicts."""

NO_ATTEMPTS = "no attempts have been recorded yet; `repair-bench watch RUN_DIR` shows the progress of the run"


def join(runs: Sequence[Run], names: Sequence[str]) -> Run:
    """Combine the rows and the manifests of several runs into a single run. `names`: the printed names of the runs.

    If the runs have different numbers of repairs, the combined run is limited to the smallest number. Raises UsageError
    if two runs contain the same episodes, or conditions with the same name but different settings.
    """
    if len(runs) == 1:
        return runs[0]
    experiments = [run.manifest.experiment for run in runs]
    conditions: dict[str, Any] = {}
    seen: dict[str, str] = {}
    for run, name in zip(runs, names, strict=True):
        for condition, stated in run.manifest.conditions.items():
            without = {key: value for key, value in stated.items() if key != "max_attempts"}
            if conditions.setdefault(condition, without) != without:
                raise UsageError(
                    f"Condition {condition} of {name} has different settings in another run. Use `compare`."
                )
        twice = next((e for e in {row.episode for row in run.rows} if seen.setdefault(e, name) != name), None)
        if twice is not None:
            raise UsageError(f"{seen[twice]} and {name} contain the same episodes ({twice}). Use `compare`.")
    makes = [repairs_of(run.rows, run.manifest) for run in runs]
    joined: ExperimentFields = {"max_attempts": min(makes), "conditions": conditions, "origin": _origin(runs)}
    if any(run.manifest.stops_by_value for run in runs):
        joined["repair"] = {"stop": "value"}
    stated = experiments[0]
    if "rule" in stated and all(e.get("rule") == stated["rule"] for e in experiments):
        joined["rule"] = stated["rule"]
    names_of_all = {k: v for run in runs for k, v in (run.manifest.resources.get("names") or {}).items()}
    planned = [run.manifest.episodes for run in runs]
    resumed = [entry for run in runs for entry in run.manifest.resumed]
    manifest = Manifest(
        {
            **({"resumed": resumed} if resumed else {}),
            "experiment": joined,
            **({"resources": {"names": names_of_all}} if names_of_all else {}),
            "simulated": sorted(
                {row.model for run in runs for row in run.rows if run.manifest.is_simulated(row.model)}
            ),
            "labels": {label: _union(run.manifest.labelled(label) for run in runs) for label in DOUBTS},
            "titles": _union(((*task, title) for task, title in run.manifest.titles.items()) for run in runs),
            "excluded": _union(run.manifest.excluded for run in runs),
            "episodes": None if None in planned else sum(filter(None, planned)),
        },
        _planned(runs),
    )
    notes = [note for run in runs for note in run.notes]
    if len(set(makes)) > 1:
        notes.append(f"The runs have {', '.join(map(str, makes))} repair rounds; figures include {min(makes)}.")
    for name, other in zip(names[1:], experiments[1:], strict=True):
        differences = [text for part in PINNED for text in changes(experiments[0].get(part), other.get(part), part)]
        notes += [f"{names[0]} and {name} differ: {text}" for text in differences]
    return Run(manifest, [row for run in runs for row in run.rows], notes)


def _origin(runs: Sequence[Run]) -> OriginFields:
    """Return the fields of the runs' origins that reports use.

    The answers in a file are counted once if several runs repair the same failures.
    """
    origins = [run.manifest.origin for run in runs]
    files = {origin.get("digest"): origin for origin in origins if "graded" in origin}.values()
    joined: OriginFields = {"accepted": [change for origin in origins for change in origin.get("accepted") or ()]}
    if any(run.manifest.is_regrade for run in runs):
        joined["kind"] = "regrade"
    if files:
        joined["graded"] = sum(origin["graded"] for origin in files)
        joined["paths"] = sum(origin.get("paths", 0) for origin in files)
        joined["others"] = sum(origin.get("others", 0) for origin in files)
    return joined


def _union(lists: Iterable[Iterable[tuple[str, ...]]]) -> list[tuple[str, ...]]:
    return list(dict.fromkeys(entry for entries in lists for entry in entries))


def _planned(runs: Sequence[Run]) -> dict[Comparison, int] | None:
    """Return the planned comparisons of all runs, or None if unknown.

    A comparison that was planned for one run is omitted from the result if another run contains episodes of either side
    of the comparison.
    """
    if all(run.manifest.planned is None for run in runs):
        return None
    there = [{(row.model, row.suite, row.condition) for row in run.rows} for run in runs]
    return {
        comparison: pairs
        for n, run in enumerate(runs)
        for comparison, pairs in (run.manifest.planned or {}).items()
        if not any(comparison.sides & sides for m, sides in enumerate(there) if m != n)
    }


def choose(attempts: Sequence[_A], only: Sequence[str]) -> list[_A]:
    """Return the attempts that match every field in `only`. If `only` contains a field several times, an attempt
    matches if the attempt has any of the given values.

    Raises UsageError for an invalid choice, or if no attempt remains.
    """
    if not attempts:
        raise UsageError(NO_ATTEMPTS)
    wanted: dict[str, set[str]] = {}
    for choice in only:
        field, sign, value = choice.partition("=")
        if not sign or field not in FIELDS:
            raise UsageError(f"--only {choice!r} is not FIELD=VALUE. Choose FIELD from {', '.join(FIELDS)}.")
        wanted.setdefault(field, set()).add(value)
    left = list(attempts)
    for field, values in wanted.items():
        there = {str(getattr(a, field)) for a in left}
        left = [a for a in left if str(getattr(a, field)) in values]
        if not left:
            raise UsageError(
                f"No attempt has {field} {' or '.join(sorted(values))}. Choose from {', '.join(sorted(there))}."
            )
    return left
