"""Reject impossible or ineffective settings of an experiment before anything is written."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import combinations
from typing import Any

from repair_bench.agent.experiment.beginnings import first_condition
from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.experiment.file import Critic, Experiment
from repair_bench.agent.experiment.spending_limits import check
from repair_bench.agent.models.base import Model
from repair_bench.agent.models.network.providers import asked_as
from repair_bench.frameworks import FRAMEWORKS, PYTHON
from repair_bench.prompts import probe
from repair_bench.prompts.compose import compose
from repair_bench.prompts.condition import Condition
from repair_bench.prompts.feedback import POLICIES, asks, is_independent
from repair_bench.prompts.templates import template_names
from repair_bench.suites.checks.questions import can_ask
from repair_bench.suites.task import Suite
from repair_bench.traces.faults import UsageError


def check_settings(experiment: Experiment) -> None:
    """Raise UsageError for settings that are not allowed in a new run; an existing run may be resumed with them."""
    check_providers(experiment.providers, experiment.queried)
    check_names(experiment.names, experiment)
    for prompt in experiment.prompt:
        if prompt.task_template is not None and "prompt" not in template_names(prompt.task_template):
            raise UsageError("task_template does not include the task: add {{ prompt }} where the task belongs")
    repair, policies, stored = experiment.repair, experiment.repair.feedback, experiment.first_answers is not None
    no_critic = experiment.critic != Critic() and not any(map(asks, policies))
    no_tool = repair.command is not None and all(name in POLICIES and name != "tool" for name in policies)
    refused = {
        "first_answers can be used with only one suite: list one suite": stored and len(experiment.suites) > 1,
        "first_answers sets the number of samples: remove the setting `samples`": stored and experiment.samples > 1,
        "first_answers requires at least one repair: set max_attempts above 0": stored and experiment.max_attempts == 0,
        'first_answers does not allow new samples: remove repair.stop = "value"': stored and repair.stop == "value",
        "the table `critic` has no effect without the feedback policy critic: add critic to repair.feedback": no_critic,
        "repair.command has no effect without the feedback policy tool: add tool to repair.feedback": no_tool,
    }
    if stored:
        first_condition(experiment)
    if why := next((why for why, is_so in refused.items() if is_so), None):
        raise UsageError(why)
    for condition in experiment.conditions():
        longest = min(condition.max_attempts, condition.restart or condition.max_attempts)
        if condition.restart >= max(condition.max_attempts, 1):
            raise UsageError(
                f"repair.restart = {condition.restart} has no effect with {condition.max_attempts} repairs: set "
                "repair.restart below max_attempts"
            )
        if condition.history == "best" and longest < 2:
            raise UsageError(
                "repair.history = best is the same as last if a conversation has only one repair: use last"
            )
    for name, values in {"history": set(repair.history) - {"whole"}, "restart": set(repair.restart) - {0}}.items():
        if values and experiment.protocol is None and all(map(is_independent, policies)):
            raise UsageError(f"repair.{name} has no effect if feedback is {', '.join(policies)}: remove repair.{name}")


def check_tasks(experiment: Experiment, suites: Sequence[Suite], episodes: Iterable[PlannedEpisode]) -> None:
    """Raise UsageError if a suite of a new run has no tasks, or if requests would be duplicated."""
    for suite in suites:
        if all(task.framework not in experiment.frameworks for task in suite.tasks):
            available = ", ".join(dict.fromkeys(task.framework for task in suite.tasks)) or "none"
            raise UsageError(
                f"{suite.name} has no tasks in {', '.join(experiment.frameworks)}, only in {available}: remove the "
                "suite, or add a framework"
            )
    for name in experiment.frameworks if any(experiment.tools.python) else ():
        if FRAMEWORKS[name].language is not PYTHON:
            raise UsageError(
                f"tools.python cannot be combined with {name}, whose answers are not Python: remove one of them"
            )
    tasks = [task for task in experiment.tasks(suites) if task.excluded is None]
    if any(experiment.tools.ask) and not any(map(can_ask, tasks)):
        raise UsageError("tools.ask has no effect, because no task has a reference to run: remove tools.ask")
    if experiment.repair.probe and all(probe.question(task) is None for task in tasks):
        raise UsageError(
            "repair.probe has no effect, because no task leaves a convention unspecified: remove repair.probe"
        )
    check_repetition(episodes)


def check_providers(named: Iterable[str], models: Sequence[str]) -> None:
    """Raise UsageError if the settings name a provider or model, but the experiment does not use it."""
    known = dict.fromkeys(name for model in models for name in (model.partition("/")[0], asked_as(model), model))
    for name in named:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean providers.{near[0]}?" if near else f"the models are {', '.join(models)}"
            raise UsageError(f"no model in the experiment uses providers.{name}; {hint}")


def check_names(names: Mapping[str, str], experiment: Experiment) -> None:
    """Raise UsageError if a short name for a model, suite or condition is ambiguous or unused."""
    conditions = [condition.name for condition in experiment.conditions()]
    known = dict.fromkeys([*experiment.queried, *experiment.suites, *conditions])
    taken: dict[str, str] = {}
    for full, short in names.items():
        if full not in known:
            raise UsageError(f"names: {full!r} is not a model, suite or condition: choose from {', '.join(known)}")
        if not short.isprintable() or short != short.strip():
            raise UsageError(f"names: remove leading and trailing spaces and unprintable characters from {short!r}")
        if (other := taken.setdefault(short, full)) != full or (short in known and short != full):
            other = other if other != full else short
            raise UsageError(f"names: {short!r} stands for both {full} and {other}: choose another name")


def check_models(experiment: Experiment, made: Mapping[str, Model]) -> None:
    """Raise UsageError for a model that lacks a required capability, and for a budget that cannot be enforced."""
    conditions = experiment.conditions()
    for model in (made[name] for name in experiment.models):
        if any(c.assistant_prefill for c in conditions) and not model.supports_prefill:
            raise UsageError(f"{model.name} does not support assistant_prefill: remove the setting")
    limits = [c.max_tokens for c in conditions if c.max_tokens is not None]
    longest = max(limits) if len(limits) == len(conditions) else None
    check(made.values(), longest, max_cost=experiment.budget.max_cost, max_tokens=experiment.budget.max_tokens)


def check_repetition(episodes: Iterable[PlannedEpisode]) -> None:
    """Raise UsageError if an experiment sends duplicate requests, whose answers would look like independent samples.

    Duplicates arise, for example, from several samples at temperature 0, or from a setting that changes no message. For
    each setting of `history`, one condition may use independent resampling, as the control for the arms with that
    setting.
    """
    suites: dict[str, dict[str, dict[int, PlannedEpisode]]] = {}  # one episode per condition and task
    for episode in episodes:
        if episode.sample and not episode.prefix and episode.condition.first_temperature == 0:
            raise UsageError(
                "several samples at temperature 0 would be identical: use --samples 1, a temperature above 0 (such as "
                "--temperature 0.8), or -c temperature.first=provider for the provider's default"
            )
        by_task = suites.setdefault(episode.task.suite, {}).setdefault(episode.condition.name, {})
        by_task.setdefault(id(episode.task), episode)
    for suite, conditions in suites.items():
        of_suite = [list(by_task.values()) for by_task in conditions.values()]
        for one in of_suite:
            with_starter = [replace(e, condition=replace(e.condition, starter=True)) for e in one]
            if not one[0].condition.starter and _send_same(one, with_starter):
                raise UsageError(
                    f"starter = false has no effect on {suite}, whose prompts contain the starter code: "
                    "remove the setting"
                )
        with_feedback = [a[0].condition for a in of_suite if not is_independent(a[0].condition.feedback)]
        histories = set(map(_seen, with_feedback))
        for one, other in combinations(of_suite, 2):
            a, b = one[0].condition, other[0].condition
            if _send_same(one, other) and not _are_controls(a, b, histories):
                old, new = a.settings(), b.settings()
                differing = ", ".join(name for name in old if old[name] != new[name]) or "name"
                raise UsageError(
                    f"the conditions {a.name} and {b.name} differ only in {differing}, which does not change "
                    f"any message in {suite}: remove one of the conditions"
                )


def _are_controls(a: Condition, b: Condition, histories: AbstractSet[tuple[Any, ...]]) -> bool:
    """Whether two conditions with independent resampling are controls for different arms.

    A resampling condition is the control for an arm with feedback if both have the same `history`, `reasoning` and
    `restart`. `histories`: the combinations of `history`, `reasoning` and `restart` that occur in arms with feedback.
    """
    resampling = is_independent(a.feedback) and is_independent(b.feedback) and a.max_attempts > 0
    return resampling and _seen(a) != _seen(b) and {_seen(a), _seen(b)} <= histories


def _seen(condition: Condition) -> tuple[Any, ...]:
    return condition.history, condition.reasoning, condition.restart


def _send_same(one: Sequence[PlannedEpisode], other: Sequence[PlannedEpisode]) -> bool:
    """Whether episodes under two conditions send the same requests if the model gives the same answers."""
    a, b = one[0].condition, other[0].condition
    sent = ("max_tokens", "reasoning_effort", "thinking_budget", "tools", "ask")
    if any(getattr(a, name) != getattr(b, name) for name in sent):
        return False
    repairs_see_nothing = is_independent(a.feedback) and is_independent(b.feedback)
    if a.max_attempts > 0 and not repairs_see_nothing and (a.feedback, _seen(a)) != (b.feedback, _seen(b)):
        return False
    return len(one) == len(other) and all(_start_equal(x, y) for x, y in zip(one, other, strict=True))


def _start_equal(one: PlannedEpisode, other: PlannedEpisode) -> bool:
    if one.prefix or other.prefix:
        return one.prefix == other.prefix
    first, second = (compose(e.task, e.condition, e.examples) for e in (one, other))
    return one.task is other.task and first == second
