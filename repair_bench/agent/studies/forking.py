"""Fork a run: repair stored failures with a different feedback policy, history, temperature or model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from repair_bench import prompts
from repair_bench.agent.experiment import manifest, settings
from repair_bench.agent.experiment.beginnings import Beginnings
from repair_bench.analysis.rates import metrics
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.manifest_fields import OriginFields
from repair_bench.traces.run.run_reader import load_rows


def read(directory: Path, episodes: tuple[str, ...] | None, attempt: int) -> tuple[Manifest, Beginnings]:
    """Return a run's manifest, and the episodes that failed at a given attempt.

    Raises UsageError if no episode matches. `episodes`: the ids, or prefixes of ids, of the episodes to include; None
    for all episodes. `attempt`: the number of the attempt.
    """
    run = load_rows(directory)
    if "conditions" not in run.manifest.experiment:
        raise UsageError(f"{directory}/run.json has no experiment that this version can read")
    if (run.manifest.experiment.get("prompts") or {}).get("version") != prompts.VERSION:
        raise UsageError(
            f"{directory} was created with another version of the prompts. Run the study again, then fork the new run."
        )
    failed: dict[str, tuple[Recorded, ...]] = {}
    for episode in metrics.episodes(run.rows):
        beginning = episode.attempts[: attempt + 1]
        complete = [a.attempt for a in beginning] == list(range(attempt + 1))
        answered = all(a.completion is not None and a.verdict is not None for a in beginning)
        if complete and answered and not any(a.passed or a.off_policy for a in beginning):
            failed[episode.first.episode] = beginning
    if not failed:
        raise UsageError(f"{directory} has nothing to repair: no episode failed at attempt {attempt}")
    names = list(failed) if episodes is None else [_only(failed, prefix, attempt) for prefix in episodes]
    chosen = {failed[name][-1].id: failed[name] for name in names}  # arms share attempt 0, which is forked once
    stated = stated_in(run.manifest, attempt)
    return run.manifest, Beginnings(directory, list(chosen.values()), stated, run.manifest.simulated)


def _only(failed: Iterable[str], prefix: str, attempt: int) -> str:
    found = [name for name in failed if name.startswith(prefix)]
    if len(found) != 1:
        raise UsageError(
            f"the ids of {len(found)} episodes that failed at attempt {attempt} begin with {prefix!r}: pass an id, or "
            "a prefix, of exactly one of the failed episodes"
        )
    return found[0]


def stated_in(forked: Manifest, attempt: int) -> OriginFields:
    accepted: OriginFields = {"accepted": forked.accepted} if forked.accepted else {}
    conditions = forked.experiment["conditions"]
    return {"attempt": attempt, "repairers": None, "conditions": conditions, **accepted}


def settings_of(forked: Manifest, source: Beginnings, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the run's settings without comparisons, overridden by the given settings.

    By default, the models are those that wrote the failed attempts.
    """
    if given.get("first_answers") is not None:
        raise UsageError(
            "a fork repairs the failures of an existing run: remove first_answers, or use `repair-bench run`"
        )
    stored = manifest.stored_experiment(forked, source.place)
    writers = sorted({beginning[-1].writer or beginning[-1].model for beginning in source.paths})
    return settings.merged({**stored, "models": writers, "comparisons": (), "first_answers": None}, given)
