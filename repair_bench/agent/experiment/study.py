"""The comparisons of a study, and the lock file that records them before the first request."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence

from repair_bench._version import __version__
from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.experiment.file import Experiment, PlannedComparison
from repair_bench.analysis.comparing.arms import sharing
from repair_bench.analysis.planning import planned_comparisons as every
from repair_bench.prompts.condition import Condition
from repair_bench.suites.task import Suite
from repair_bench.traces.faults import UsageError
from repair_bench.traces.run.study_lock import Comparison, StudyLock


def lock(
    experiment: Experiment,
    suites: Sequence[Suite],
    episodes: Iterable[PlannedEpisode],
    *,
    version: str | None = __version__,
) -> StudyLock:
    """Return the study lock of an experiment, which all shards share. `version`: the version of repair-bench.

    Raises UsageError as `comparisons` does.
    """
    episodes = list(episodes)
    return StudyLock.of(
        _pairs(comparisons(experiment, episodes), episodes),
        conditions={name: condition.settings() for name, condition in _conditions(episodes).items()},
        suites={suite.name: [suite.version, suite.contents(experiment.frameworks)] for suite in suites},
        experiment=experiment.settings(),
        analysis={"repair-bench": version, **every.DECIDED_BY},
    )


def comparisons(experiment: Experiment, episodes: Iterable[PlannedEpisode]) -> list[Comparison]:
    """Return the comparisons that the experiment lists. If the experiment lists no comparisons, return all possible
    ones.

    Raises UsageError.
    """
    episodes = list(episodes)
    conditions, groups = _conditions(episodes), prompts(episodes)
    available = {(e.model, e.task.suite, e.condition.name) for e in episodes}
    suites = list(dict.fromkeys(e.task.suite for e in episodes))
    made = every.comparisons(
        models=experiment.models,
        suites=suites,
        prompts=groups,
        conditions={name: condition.settings() for name, condition in conditions.items()},
        repairs=experiment.max_attempts,
    )
    chosen = [
        comparison
        for one in experiment.comparisons
        for suite in suites
        for comparison in _chosen(one, suite, experiment, conditions, groups)
    ]
    forked = any(e.prefix for e in episodes)  # a fork starts with recorded first answers
    return [one for one in dict.fromkeys(chosen or made) if one.sides <= available and (one.k or not forked)]


def prompts(episodes: Iterable[PlannedEpisode]) -> list[list[str]]:
    """Return the groups of conditions that share their first answers."""
    episodes = list(episodes)
    conditions = {e.condition.name: e.condition for e in episodes if not e.prefix}
    fresh = [(name, json.dumps(condition.prompt_key())) for name, condition in conditions.items()]
    forked = [(e.condition.name, (e.model, e.prefix[0].id)) for e in episodes if e.prefix]
    return list(sharing([*fresh, *forked]).values())


def _conditions(episodes: Iterable[PlannedEpisode]) -> dict[str, Condition]:
    return {e.condition.name: e.condition for e in episodes}


def _pairs(comparisons: Iterable[Comparison], episodes: Iterable[PlannedEpisode]) -> dict[Comparison, int]:
    """Return the number of pairs in each comparison.

    A pair is a task and a sample number for which each side of the comparison (an arm or a model) has an episode that
    adaptive stopping cannot end early.
    """
    units: dict[tuple[str, str, str], set[tuple[str, str, str, int]]] = {}
    for e in episodes:
        if not e.stoppable:
            units.setdefault((e.model, e.task.suite, e.condition.name), set()).add((*e.task.key, e.sample))
    return {one: len(set.intersection(*(units.get(side, set()) for side in one.sides))) for one in comparisons}


def _chosen(
    one: PlannedComparison,
    suite: str,
    experiment: Experiment,
    conditions: Mapping[str, Condition],
    groups: Iterable[Collection[str]],
) -> list[Comparison]:
    k = experiment.max_attempts if one.k is None else one.k
    if k > experiment.max_attempts:
        raise UsageError(f"comparisons: k = {k} exceeds the {experiment.max_attempts} repairs of the study")
    if one.arms is not None:
        names, available, within = one.arms, list(conditions), experiment.models
        if k == 0 and any(set(names) <= set(group) for group in groups):
            raise UsageError(
                f"comparisons: {names[0]} and {names[1]} have the same first answers and cannot differ without "
                "repairs: set k to 1 or more"
            )
    else:
        assert one.models is not None
        names, available, within = one.models, list(experiment.models), tuple(conditions)
    for name in names:
        if name not in available:
            raise UsageError(f"comparisons: the study has no {name!r}: choose from {', '.join(available)}")
    if names[0] == names[1]:
        raise UsageError(f"comparisons: {names[0]} is compared with itself: choose two different names")
    by = "condition" if one.arms is not None else "model"
    return [Comparison(by, suite, inner, *names, k) for inner in within]
