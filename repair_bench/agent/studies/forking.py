"""Fork a run: repair stored failures with a different feedback policy, history, temperature or model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from repair_bench import prompts
from repair_bench.agent.experiment import manifest, settings
from repair_bench.agent.experiment.beginnings import Beginnings, digest_of
from repair_bench.analysis.rates import metrics
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.manifest_fields import OriginFields
from repair_bench.traces.run.run_reader import load_rows


@dataclass(frozen=True)
class ChosenFailures:
    """The failures to fork: attempt number `attempt` of `episodes` (ids or their prefixes; None for all)."""

    episodes: tuple[str, ...] | None
    attempt: int = 0


@dataclass(frozen=True)
class ForkedRun:
    """A forked run, and its episodes up to a failure. `repairers`: None for the model that wrote each failure."""

    directory: Path
    manifest: Manifest
    choice: ChosenFailures
    beginnings: Sequence[tuple[Recorded, ...]]
    repairers: tuple[str, ...] | None = None

    @property
    def origin(self) -> OriginFields:
        """The fields about the forked run in the manifest of the new run."""
        accepted: OriginFields = {"accepted": self.manifest.accepted} if self.manifest.accepted else {}
        return {
            "kind": "fork",
            "run": self.directory.name,
            "attempt": self.choice.attempt,
            "repairers": self.repairers,
            "paths": len(self.beginnings),
            "digest": digest_of(self.beginnings),
            "conditions": self.manifest.experiment["conditions"],
            **accepted,
        }

    def source(self) -> Beginnings:
        return Beginnings(self.directory, self.origin, self.beginnings, self.manifest.simulated)


def read(directory: Path, choice: ChosenFailures) -> ForkedRun:
    """Read the chosen failures. Raises UsageError if the run has none."""
    run = load_rows(directory)
    if "conditions" not in run.manifest.experiment:
        raise UsageError(f"{directory}/run.json has no experiment that this version can read")
    if (run.manifest.experiment.get("prompts") or {}).get("version") != prompts.VERSION:
        raise UsageError(f"{directory} has prompts of another version. Run the study again, then fork the new run.")
    chosen: dict[str, tuple[Recorded, ...]] = {}
    for episode in metrics.episodes(run.rows):
        if choice.episodes is not None and not episode.first.episode.startswith(choice.episodes):
            continue
        beginning = episode.attempts[: choice.attempt + 1]
        complete = [a.attempt for a in beginning] == list(range(choice.attempt + 1))
        answered = all(a.completion is not None and a.verdict is not None for a in beginning)
        if complete and answered and not any(a.passed or a.off_policy for a in beginning):
            chosen.setdefault(beginning[-1].id, beginning)  # fork an attempt 0 that arms share once
    if not chosen:
        which = "no episode" if choice.episodes is None else f"no episode {' or '.join(choice.episodes)}"
        raise UsageError(f"{directory} has {which} that failed at attempt {choice.attempt}: nothing to repair")
    return ForkedRun(directory, run.manifest, choice, list(chosen.values()))


def settings_of(source: ForkedRun, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the run's settings without comparisons, overridden by the given ones. Default models: the writers."""
    if given.get("first_answers") is not None:
        raise UsageError("a fork repairs the failures of its run: remove first_answers, or use `repair-bench run`")
    stored = manifest.stored_experiment(source.manifest, source.directory)
    writers = sorted({beginning[-1].writer or beginning[-1].model for beginning in source.beginnings})
    return settings.merged({**stored, "models": writers, "comparisons": (), "first_answers": None}, given)
