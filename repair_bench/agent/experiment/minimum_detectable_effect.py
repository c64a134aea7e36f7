"""The minimum detectable effects of a planned experiment."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.experiment.study import prompts
from repair_bench.analysis.planning.pilot import FittedProblems, PilotSums, of_pilot
from repair_bench.analysis.planning.planned_comparisons import paired
from repair_bench.analysis.planning.power import CORRELATION, LEVEL, MORE, StatedRates, detectable_difference, power
from repair_bench.analysis.rates.clusters import problem_of
from repair_bench.analysis.rates.curves import problem
from repair_bench.analysis.rates.metrics import Episode
from repair_bench.analysis.rates.metrics import episodes as episodes_of
from repair_bench.analysis.runs.notices import repairs_of
from repair_bench.suites import recorded_name
from repair_bench.text import count
from repair_bench.traces.faults import DamagedRecordError, UsageError
from repair_bench.traces.run.run_reader import load_rows
from repair_bench.traces.run.study_lock import Comparison

MAX_BY_PILOT = 30
"""Maximum number of comparisons planned from a pilot; each one takes one to two seconds to compute."""

_NOT_IN_PILOT = "the pilot lacks an arm or a model, has fewer repairs than the study, or has fewer than two problems"
_TOO_MANY = f"only the first {MAX_BY_PILOT} comparisons are planned: list the relevant ones in [[comparisons]]"
_NO_CORRELATION = "so the intraclass correlation is unknown"
_Model = StatedRates | FittedProblems
_found = lru_cache(detectable_difference)  # many comparisons of stated rates are equal


class Rates(BaseModel):
    """Assumptions for a plan without a pilot (see `analysis.planning.power.StatedRates`)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    first: float = Field(default=0.5, ge=0, lt=1)
    repaired: float = Field(default=0.4, ge=0, lt=1)
    icc: float = Field(default=0.3, ge=0, lt=1)
    correlation: float = Field(default=CORRELATION, ge=0, le=1)

    @classmethod
    def parse(cls, text: str) -> Rates:
        """Parse the value of `--rates`, as in `first=0.5,repaired=0.4,icc=0.3,correlation=0.9`. Raises UsageError."""
        pairs = [part.split("=") for part in text.replace(" ", "").split(",")]
        try:
            given = dict(pairs)
            if len(given) == len(pairs):
                return cls.model_validate(given)
        except ValueError:
            pass
        raise UsageError(
            f"--rates {text!r}: expected one or more of first=0.5,repaired=0.4,icc=0.3,correlation=0.9. Values must be "
            "at least 0 and below 1 (correlation: at most 1)"
        )


@dataclass(frozen=True)
class Pilot:
    """A pilot run, from which the variance of differences is estimated."""

    directory: Path
    episodes: Sequence[Episode]
    repairs: int

    @classmethod
    def read(cls, directory: Path) -> Pilot:
        """Read a pilot run. Raises UsageError if the run is unreadable or empty."""
        try:
            run = load_rows(directory)
        except DamagedRecordError as error:
            raise UsageError(f"--pilot: {error}") from None
        if not (episodes := episodes_of(run.rows)):
            raise UsageError(f"--pilot: {directory} has no attempts")
        return cls(directory, episodes, repairs_of(run.rows, run.manifest))

    def sums(self, comparison: Comparison, frameworks: Collection[str]) -> PilotSums | None:
        """Return the pilot run's statistics for a planned comparison. Raises UsageError.

        The result is None if the pilot run lacks one of the two compared sides, or has too few repairs.
        """
        if comparison.k > self.repairs:
            return None
        episodes = [episode for episode in self.episodes if episode.first.framework in frameworks]
        try:
            suites = list(dict.fromkeys(episode.first.suite for episode in episodes))
            recorded = replace(comparison, suite=recorded_name(comparison.suite, suites))
            return of_pilot(paired(episodes, recorded), comparison.k)
        except (ValueError, UsageError) as error:
            raise UsageError(f"--pilot {self.directory}: {error}") from None

    def basis(self, frameworks: Collection[str]) -> dict[str, Any]:
        """Return the assumptions behind a plan for these frameworks, as JSON data."""
        available = {episode.first.framework for episode in self.episodes}
        return {
            "pilot": str(self.directory),
            "episodes": len(self.episodes),
            "problems": len({problem(episode) for episode in self.episodes if episode.first.framework in frameworks}),
            "without": sorted(set(frameworks) - available),
        }

    @property
    def contents(self) -> str:
        first = [episode.first for episode in self.episodes]
        names = ("model", "suite", "framework", "condition")
        values = (", ".join(dict.fromkeys(getattr(one, name) for one in first)) for name in names)
        problems = len({problem(episode) for episode in self.episodes})
        return f"{'; '.join(values)}; {count(problems, 'problem')}, up to {count(self.repairs, 'repair')}"


def detectable(
    experiment: Experiment,
    episodes: Sequence[PlannedEpisode],
    comparisons: Sequence[Comparison],
    *,
    pilot: Pilot | None,
    rates: Rates | None,
) -> dict[str, Any]:
    """Return the minimum detectable effects as JSON data.

    `supposes`: the pilot data or the assumptions on which the computation is based. With a pilot run, `supposes`
    contains the directory of the pilot run (`pilot`), how many `episodes` and `problems` the pilot run contains, and
    the planned frameworks that the pilot run lacks (`without`). Without a pilot run, `supposes` contains the assumed
    rates and correlations (`rates`) and the names of those that the user set (`stated`). `more`: the total number of
    samples per task if the budget is 10% larger. `more` is None at temperature 0, because all samples of a task would
    be identical. `more` is also None with adaptive stopping: the analysis then uses one sample of each task that was
    chosen at random, so a larger budget adds no samples to the analysis. `comparisons`: a row per comparison, which
    states how many `problems` and `pairs` the comparison has. `tests`: the number of tests in the comparison's Holm
    family. Each row contains three minimum detectable effects between 0 and 1. `detectable`: the effect that is
    detectable with the unadjusted p-value. `holm`: the effect that is detectable with the worst-case Holm-adjusted
    p-value. `more`: the effect that would be detectable, with the unadjusted p-value, if the budget were 10% larger. An
    effect is None if no effect is detectable, or if the effect cannot be computed; `unknown` then states the reason. If
    even the largest possible difference cannot be detected with a power of 80%, `most` contains this difference
    (`difference`) and the power to detect it (`power`). Otherwise, `most` is None.

    If a pilot run is given, effects are fitted only for the first `MAX_BY_PILOT` comparisons. A fitted effect is
    multiplied by `PilotSums.correction` and capped at the largest possible effect. Raises UsageError if the pilot
    contains none of the comparisons.
    """
    by_value = experiment.repair.stop == "value"
    more = None if by_value or experiment.temperature.first == 0 else experiment.samples * (1 + MORE)
    stated = rates or Rates()
    groups = prompts(episodes)
    tests = {by: sum(c.by == by for c in comparisons) if by == "condition" else 1 for by in ("condition", "model")}
    pairs: dict[str, set[tuple[str, str, int]]] = {}
    for episode in episodes:
        if not episode.stoppable:
            task = episode.task
            pairs.setdefault(task.suite, set()).add((task.id, task.framework, episode.sample))
    rows: list[dict[str, Any]] = []
    by_pilot = 0
    for one in (one for one in comparisons if one.suite in pairs):
        made = pairs[one.suite]
        problems, tasks = len({problem_of(one.suite, task) for task, _, _ in made}), len({pair[:2] for pair in made})
        twins, samples = tasks / problems, len(made) / tasks
        if pilot is not None and by_pilot >= MAX_BY_PILOT:
            by = _Assumed(unknown=_TOO_MANY)
        elif pilot is not None:
            by = _by_pilot(pilot.sums(one, {framework for _, framework, _ in made}), problems, samples, twins, more)
            by_pilot += by.model is not None
        else:
            shared = one.by == "condition" and any({one.baseline, one.other} <= set(group) for group in groups)
            repaired = stated.repaired if one.k else 0.0
            rates_of_one = StatedRates(stated.first, repaired, stated.icc, stated.correlation, shared=shared)
            by = _Assumed(rates_of_one, rates_of_one)
        size = problems, samples * twins
        effect, maximum = by.smallest(by.model, *size), None
        if effect is None and by.model is not None:
            reach = by.model.max_difference
            maximum = {"difference": reach, "power": power(by.model, reach, *size)}
        rows.append(
            {
                **asdict(one),
                "problems": problems,
                "pairs": len(made),
                "tests": tests[one.by],
                "detectable": effect,
                "holm": by.smallest(by.model, *size, LEVEL / tests[one.by]),
                "more": None if more is None else by.smallest(by.bigger, problems, more * twins),
                "most": maximum,
                "unknown": by.unknown,
            }
        )
    basis: dict[str, Any] = {"rates": stated.model_dump(), "stated": sorted(stated.model_fields_set)}
    if pilot is not None:
        if rows and all(row["unknown"] == _NOT_IN_PILOT for row in rows):
            raise UsageError(
                f"--pilot: {pilot.directory} has too little data for any comparison of this study: each side needs at "
                "least two problems, and at least as many repairs as the study. Contents of the pilot: "
                f"{pilot.contents}"
            )
        basis = pilot.basis({framework for made in pairs.values() for _, framework, _ in made})
    return {"supposes": basis, "more": more, "comparisons": rows}


@dataclass(frozen=True)
class _Assumed:
    """The statistical model assumed for a comparison.

    `bigger`: the statistical model with a 10% larger budget. `unknown`: the reason why `model` or `bigger` is None.
    """

    model: _Model | None = None
    bigger: _Model | None = None
    correction: float = 1.0
    unknown: str | None = None

    def smallest(self, model: _Model | None, problems: int, pairs: float, level: float = LEVEL) -> float | None:
        found = None if model is None else _found(model, problems, pairs, level)
        return None if model is None or found is None else min(model.max_difference, self.correction * found)


def _by_pilot(sums: PilotSums | None, problems: int, samples: float, twins: float, more: float | None) -> _Assumed:
    moments = None if sums is None else sums.moments()
    if sums is None or moments is None:
        return _Assumed(unknown=_NOT_IN_PILOT)
    model = moments.problems(samples, twins)
    if model is None:
        no_samples = samples != 1 and moments.samples is None
        twin_tasks = "a problem with two tasks (for example, one per framework)"
        missing = "a task with two samples" if no_samples else twin_tasks
        return _Assumed(unknown=f"the pilot lacks {missing}, {_NO_CORRELATION}")
    bigger = None if more is None else moments.problems(more, twins)
    unknown = None
    if more is not None and bigger is None:
        unknown = f"the pilot has only one sample per task, {_NO_CORRELATION}; the effect of more samples is unknown"
    return _Assumed(model, bigger, sums.correction(samples, twins, problems), unknown)
