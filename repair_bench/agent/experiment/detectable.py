"""The smallest differences that an experiment would find, for its plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.experiment.study import prompts
from repair_bench.analysis.comparisons import paired
from repair_bench.analysis.metrics import Episode
from repair_bench.analysis.metrics import episodes as episodes_of
from repair_bench.analysis.notices import repairs_of
from repair_bench.analysis.pilot import PilotMoments, of_pilot
from repair_bench.analysis.power import LEVEL, MORE, ProblemModel, StatedRates, detectable_difference, power
from repair_bench.traces.faults import UsageError
from repair_bench.traces.rows import load_rows
from repair_bench.traces.study_lock import Comparison


class Rates(BaseModel):
    """What is expected of a study before there is a run of it (see `analysis.power.StatedRates`)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    first: float = Field(default=0.5, ge=0, lt=1)
    repaired: float = Field(default=0.4, ge=0, lt=1)
    alike: float = Field(default=0.3, ge=0, lt=1)

    @classmethod
    def parse(cls, text: str) -> Rates:
        """`first=0.5,repaired=0.4,alike=0.3`, the value of `--rates`; what is left out is assumed.

        Raises UsageError.
        """
        try:
            return cls.model_validate(dict(part.split("=", 1) for part in text.replace(" ", "").split(",")))
        except ValueError:
            raise UsageError(
                f"--rates {text!r}: write first=0.5,repaired=0.4,alike=0.3, or some of them, each 0 or more and below 1"
            ) from None


@dataclass(frozen=True)
class Pilot:
    """A run that says how differences vary."""

    directory: Path
    episodes: Sequence[Episode]
    repairs: int

    @classmethod
    def read(cls, directory: Path) -> Pilot:
        run = load_rows(directory)
        return cls(directory, episodes_of(run.rows), repairs_of(run.rows, run.manifest))

    def moments(self, comparison: Comparison) -> PilotMoments | None:
        """None where it says nothing of this comparison."""
        return of_pilot(paired(self.episodes, comparison), comparison.k) if comparison.k <= self.repairs else None


def detectable(
    experiment: Experiment,
    episodes: Sequence[PlannedEpisode],
    comparisons: Sequence[Comparison],
    *,
    pilot: Pilot | None,
    rates: Rates | None,
) -> dict[str, Any]:
    """As JSON data. `supposes`: the `pilot` run, or the `rates` and which of them were `stated`.

    `more`: the samples of each task that a tenth more budget buys on average; None where first answers at temperature 0
    would be copies, and where a run stops by value, whose figures are of drawn first samples. `comparisons`: each with
    its `problems`, `pairs`, how many `tests` of its kind Holm counts, and the smallest difference in 0..1 that is found
    by p (`detectable`), by Holm's p in the worst case (`holm`), and by p with a tenth more (`more`). What cannot be
    found, or is not known, is None; `unknown` says why it is not known. `most`: the largest `difference` that there can
    be and with what `power` it is found by p, where that is less than 80%; else None.
    """
    by_value = experiment.repair.stop == "value"
    more = None if by_value or experiment.temperature.first == 0 else experiment.samples * (1 + MORE)
    stated = rates or Rates()
    supposes: dict[str, Any] = {"rates": stated.model_dump(), "stated": sorted(stated.model_fields_set)}
    if pilot is not None:
        supposes = {"pilot": str(pilot.directory), "episodes": len(pilot.episodes)}
    groups = prompts(episodes)
    tests = {by: sum(c.by == by for c in comparisons) if by == "condition" else 1 for by in ("condition", "model")}
    pairs: dict[str, set[tuple[str, str, int]]] = {}
    for episode in episodes:
        if not episode.stoppable:
            task = episode.task
            pairs.setdefault(task.suite, set()).add((task.id, task.framework, episode.sample))
    found = cache(detectable_difference)  # of stated rates many comparisons are alike
    rows = []
    for one in (one for one in comparisons if one.suite in pairs):
        made = pairs[one.suite]
        problems, tasks = len({task for task, _, _ in made}), len({pair[:2] for pair in made})
        twins, samples = tasks / problems, len(made) / tasks
        model: ProblemModel | None
        bigger: ProblemModel | None
        unknown: str | None = None
        if pilot is not None:
            moments = pilot.moments(one)
            model = None if moments is None else moments.problems(samples, twins)
            bigger = None if moments is None or more is None else moments.problems(more, twins)
            unknown = _unknown(moments, model, samples, more is not None and bigger is None)
        else:
            shared = one.by == "condition" and any({one.baseline, one.other} <= set(group) for group in groups)
            repaired = stated.repaired if one.k else 0.0
            model = bigger = StatedRates(stated.first, repaired, stated.alike, shared=shared)
        pairs_of_each = samples * twins
        alone = None if model is None else found(model, problems, pairs_of_each)
        rows.append(
            {
                **asdict(one),
                "problems": problems,
                "pairs": len(made),
                "tests": tests[one.by],
                "detectable": alone,
                "holm": None if model is None else found(model, problems, pairs_of_each, LEVEL / tests[one.by]),
                "more": None if bigger is None or more is None else found(bigger, problems, more * twins),
                "most": _most(model, problems, pairs_of_each) if alone is None and model is not None else None,
                "unknown": unknown,
            }
        )
    return {"supposes": supposes, "more": more, "comparisons": rows}


def _most(model: ProblemModel, problems: int, pairs: float) -> dict[str, float]:
    return {"difference": model.most, "power": power(model, model.most, problems, pairs)}


def _unknown(moments: PilotMoments | None, model: ProblemModel | None, samples: float, no_more: bool) -> str | None:
    """Why a pilot does not say a figure; None where it says all."""
    if moments is None:
        return "the pilot does not hold both sides of it, with as many repairs and two problems"
    if model is None:
        missing = "two samples of a task" if samples != 1 and moments.samples is None else "two frameworks"
        return f"the pilot does not have {missing}, so it does not say how alike they are"
    if no_more:
        return "what more samples buy: the pilot does not have two of a task, so it does not say how alike they are"
    return None
