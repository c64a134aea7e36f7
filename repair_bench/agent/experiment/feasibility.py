"""What of an experiment cannot be done, or would be dropped without a word: refused before anything is written."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence

from repair_bench.agent.experiment.duplicate_requests import check_repetition
from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.experiment.spending_limits import check
from repair_bench.agent.models.base import Model
from repair_bench.agent.models.network.providers import asked_as
from repair_bench.frameworks import FRAMEWORKS, PYTHON
from repair_bench.prompts.templates import template_names
from repair_bench.suites.task import Suite
from repair_bench.traces.faults import UsageError


def check_settings(experiment: Experiment) -> None:
    """Raises UsageError for settings that a new run is refused; one that was begun with them may go on."""
    check_providers(experiment.providers, experiment.models)
    check_names(experiment.names, experiment)
    for prompt in experiment.prompt:
        if prompt.task_template is not None and "prompt" not in template_names(prompt.task_template):
            raise UsageError("task_template does not show the task: write {{ prompt }} where it shall stand")


def check_tasks(experiment: Experiment, suites: Sequence[Suite], episodes: Iterable[PlannedEpisode]) -> None:
    """Raises UsageError for a choice of tasks that a new run is refused: a suite that has none, or one asked twice."""
    for suite in suites:
        if all(task.framework not in experiment.frameworks for task in suite.tasks):
            there = ", ".join(dict.fromkeys(task.framework for task in suite.tasks)) or "none"
            raise UsageError(
                f"{suite.name} has no task in {', '.join(experiment.frameworks)}, only in {there}: leave the suite "
                "out, or add a framework"
            )
    for name in experiment.frameworks if any(experiment.tools.python) else ():
        if FRAMEWORKS[name].language is not PYTHON:
            raise UsageError(f"tools run Python, and answers in {name} are none: leave one of them out")
    check_repetition(episodes)


def check_providers(named: Iterable[str], models: Sequence[str]) -> None:
    """Raises UsageError for the settings of a provider, or of a model, that no model of the experiment has."""
    known = dict.fromkeys(name for model in models for name in (model.partition("/")[0], asked_as(model), model))
    for name in named:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean providers.{near[0]}?" if near else f"the models are {', '.join(models)}"
            raise UsageError(f"providers.{name}: no model of the experiment is asked of it; {hint}")


def check_names(names: Mapping[str, str], experiment: Experiment) -> None:
    """Raises UsageError for a short name that is not unique, or of something that the experiment does not have."""
    conditions = [condition.name for condition in experiment.conditions()]
    known = dict.fromkeys([*experiment.models, *experiment.suites, *conditions])
    taken: dict[str, str] = {}
    for full, short in names.items():
        if full not in known:
            raise UsageError(f"names: {full!r} is not a model, suite or condition: choose from {', '.join(known)}")
        if not short.isprintable() or short != short.strip():
            raise UsageError(f"names: {short!r} has spaces around it or characters that cannot be printed: remove them")
        if (other := taken.setdefault(short, full)) != full or (short in known and short != full):
            raise UsageError(f"names: {short!r} names {full} and {other if other != full else short}: choose another")


def check_models(experiment: Experiment, made: Mapping[str, Model]) -> None:
    """Raises UsageError for a model that cannot do what the experiment asks, and for a budget that cannot be kept."""
    conditions = experiment.conditions()
    for model in made.values():
        if any(c.assistant_prefill for c in conditions) and not model.supports_prefill:
            raise UsageError(f"{model.name} cannot go on from the beginning of an answer: leave assistant_prefill out")
    limits = [c.max_tokens for c in conditions if c.max_tokens is not None]
    longest = max(limits) if len(limits) == len(conditions) else None
    check(made.values(), longest, max_cost=experiment.budget.max_cost, max_tokens=experiment.budget.max_tokens)
