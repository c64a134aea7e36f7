"""Estimate the requests and costs of an experiment before it runs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from repair_bench import suites
from repair_bench.agent import models
from repair_bench.agent.experiment import study
from repair_bench.agent.experiment.beginnings import planned
from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.experiment.feasibility import check_models, check_settings, check_tasks
from repair_bench.agent.experiment.file import Budget, Experiment
from repair_bench.agent.experiment.minimum_detectable_effect import Pilot, Rates, detectable
from repair_bench.agent.models.base import Batched, Paid, Role
from repair_bench.coroutines import run_to_end
from repair_bench.prompts import probe
from repair_bench.prompts.compose import compose
from repair_bench.prompts.tools import limits_of
from repair_bench.traces.record.spending import MAX_TOKENS, Spend, subtract

BYTES_A_TOKEN = 3
"""Assumed bytes per token. Code and English text have 3 to 4 bytes per token, so dividing bytes by 3 tends to
overestimate the number of tokens."""
FEEDBACK_TOKENS = 200
"""The assumed length, in tokens, of feedback, a program's output, a critic's reply, and the reply to a probe."""

_Query = tuple[Role, PlannedEpisode, int]
"""The role of a query, the episode that it belongs to, and the number of earlier answers that the query includes."""


def plan(
    experiment: Experiment, data: Path | None, *, pilot: Pilot | None = None, rates: Rates | None = None
) -> dict[str, Any]:
    """Return the plan as JSON data; nothing is executed, requested or written.

    `models`: an entry per model, including critics, with `batch`, `first_answers`, `episodes`, `calls` and, from the
    price table, `tokens` and `cost_usd`. Calls, tokens and costs are ranges {"least", "most"}. "least": all first
    answers pass without tools. "most": no answer passes, and models use all tool calls. `queries`: the maximum number
    of critic requests that the model receives, and the maximum number of probe requests. An answer is assumed to be as
    long as the reference plus the reasoning budget, but no longer than `max_completion_tokens`. `reasoning_tokens`: the
    maximum number of reasoning tokens in one answer. Unknown values are None, as are the tokens and costs of models
    that are not billed. `budget`: the limits, and whether the budget is sufficient for the least and for the most
    possible requests (`suffices`; None if this is unknown or if there is no limit). `study_lock`: the hash of the lock;
    None if the tasks are drawn at random when the run starts. `power`: see `detectable`. Raises UsageError if a run
    would reject the experiment.
    """
    check_settings(experiment)
    made = models.create_all(experiment.queried, experiment.providers, api_base=experiment.api_base)
    check_models(experiment, made)
    loaded = [
        run_to_end(suites.load(name, data=data, rule=experiment.rule, require_sealed=experiment.require_sealed))
        for name in experiment.suites
    ]
    episodes = planned(experiment, loaded)
    check_tasks(experiment, loaded, episodes)
    rows, reserves = {}, {}
    for name, model in made.items():
        own = [e for e in episodes if e.model == name]
        rows[name], reserves[name] = _of_model(model, own, [query for of, query in _queries(episodes) if of == name])
    budget = experiment.budget
    paid = [name for name, model in made.items() if isinstance(model, Paid)]
    draws_tasks = any(suites.recorded_name(suite.name) != suite.name for suite in loaded)
    return {
        "suites": {suite.name: suite.version for suite in loaded},
        "tasks": len({e.task.key for e in episodes}),
        "excluded": sum(task.excluded is not None for task in experiment.tasks(loaded)),
        "conditions": list(dict.fromkeys(episode.condition.name for episode in episodes)),
        "samples": experiment.samples,
        "max_attempts": experiment.max_attempts,
        "models": [{"model": name, "batch": isinstance(made[name], Batched), **row} for name, row in rows.items()],
        "budget": {**budget.model_dump(), "suffices": _suffices(budget, rows, paid, reserves.values())},
        "study_lock": None if draws_tasks else study.lock(experiment, loaded, episodes).hash,
        "power": detectable(experiment, episodes, study.comparisons(experiment, episodes), pilot=pilot, rates=rates),
    }


def _suffices(
    budget: Budget, rows: Mapping[str, dict[str, Any]], paid: Container[str], reserves: Iterable[Spend]
) -> dict[str, bool | None]:
    """Whether a run ends within its budget.

    `paid`: the models whose requests are billed; tokens are counted for all models. `reserves`: for each model, the
    budget needed beyond the estimated spending.
    """
    limits = {"cost_usd": budget.max_cost, "tokens": budget.max_tokens}
    found: dict[str, bool | None] = {}
    for end in ("least", "most"):
        kept: list[bool | None] = []
        for unit, limit in ((unit, limit) for unit, limit in limits.items() if limit is not None):
            amounts = [
                *(row[unit][end] for name, row in rows.items() if unit == "tokens" or name in paid),
                max((getattr(spend, unit) or 0.0 for spend in reserves), default=0.0),
            ]
            needed = _sum(amounts)
            kept.append(None if needed is None else needed <= limit)
        found[end] = False if False in kept else None if None in kept or not kept else True
    return found


def _queries(episodes: Iterable[PlannedEpisode]) -> Iterator[tuple[str, _Query]]:
    for episode in episodes:
        condition, critic = episode.condition, episode.condition.sources.critic
        probed = condition.probe and probe.question(episode.task) is not None
        for shown in _repairs(episode):
            if condition.asks and shown:
                yield episode.model if critic == "self" else critic, ("critic", episode, 1)
            if probed:
                yield episode.model, ("probe", episode, shown)


def _of_model(
    model: models.Model, episodes: Sequence[PlannedEpisode], queries: Sequence[_Query]
) -> tuple[dict[str, Any], Spend]:
    """Return a model's row, and the largest difference between the maximum and the estimated cost of a request."""
    counted: dict[tuple[Any, ...], Spend] = {}  # arms share requests: each length of conversation counts once
    reserve = Spend()

    def spend(episode: PlannedEpisode, repairs_shown: int, step: int = 0, role: Role = "answer") -> Spend:
        nonlocal reserve
        key = episode.root, repairs_shown, step, role, episode.condition.asks
        if key not in counted:
            counted[key], at_most = _request(model, episode, repairs_shown, step, role)
            more = subtract(at_most, counted[key])
            cost = max(reserve.cost_usd or 0.0, more.cost_usd or 0.0)
            reserve = Spend(cost, max(reserve.tokens or 0, more.tokens or 0))
        return counted[key]

    def turn(episode: PlannedEpisode, repairs_shown: int) -> Iterator[Spend]:
        calls = sum(limits_of(episode.condition, episode.task).values())
        yield from (spend(episode, repairs_shown, step) for step in range(calls + 1))

    firsts = list({e.root: e for e in episodes if not e.prefix}.values())
    best = [spend(e, 0) for e in firsts]
    worst = [s for e in firsts for s in turn(e, 0)]
    worst += [s for e in episodes for repairs_shown in _repairs(e) for s in turn(e, repairs_shown)]
    worst += [spend(e, shown, role=role) for role, e, shown in queries]
    row = {
        "first_answers": len(best),
        "episodes": len(episodes),
        "calls": {"least": len(best), "most": len(worst)},
        "tokens": {"least": _sum(s.tokens for s in best), "most": _sum(s.tokens for s in worst)},
        "reasoning_tokens": _reasoning(model, [*episodes, *(e for _, e, _ in queries)]),
        "queries": dict(Counter(role for role, *_ in queries)),
        "cost_usd": {"least": _sum(s.cost_usd for s in best), "most": _sum(s.cost_usd for s in worst)},
    }
    return row, reserve


def _reasoning(model: models.Model, episodes: Sequence[PlannedEpisode]) -> int | None:
    budgets = [episode.condition.thinking_budget for episode in episodes]
    has_effort = any(episode.condition.reasoning_effort for episode in episodes)
    if isinstance(model, Paid) and None in budgets and (model.reasons or has_effort):
        return None
    return max((budget for budget in budgets if budget is not None), default=0)


def _repairs(episode: PlannedEpisode) -> Iterator[int]:
    """For each repair, yield the number of earlier answers in its prompt, assuming that all answers fail."""
    condition = episode.condition
    for attempt in range(1, condition.max_attempts + 1):
        shown = attempt % (condition.restart + 1) if condition.restart else attempt
        yield 0 if condition.is_fresh(attempt) else shown if condition.history == "whole" else 1


def _request(
    model: models.Model, episode: PlannedEpisode, repairs_shown: int, step: int, role: Role
) -> tuple[Spend, Spend]:
    """Return the expected and the maximum cost of a request.

    `repairs_shown`: the number of earlier answers in the prompt. `step`: the number of programs that the model has
    already run in the current turn.
    """
    if not isinstance(model, Paid):
        return Spend(None, None), Spend(None, None)
    condition = episode.condition
    longest, thought = condition.max_tokens, condition.thinking_budget or 0
    written = min(_tokens(episode.task.reference or episode.task.starter), longest or MAX_TOKENS)
    answer = min(written + thought if role == "answer" else FEEDBACK_TOKENS, longest or MAX_TOKENS)
    read = sum(_tokens(message["content"]) for message in compose(episode.task, condition, episode.examples))
    told = FEEDBACK_TOKENS * (2 if condition.asks and role != "critic" else 1)
    turn = written + (thought if condition.reasoning == "keep" else 0) + told
    tried = written + thought + FEEDBACK_TOKENS
    calls = sum(limits_of(condition, episode.task).values()) if role != "critic" else 0
    read += repairs_shown * (turn + calls * tried) + step * tried + (FEEDBACK_TOKENS if role == "probe" else 0)
    # a worst case counts a byte as a token, so `read` bytes represent the expected tokens
    expected = model.worst_case([{"role": "user", "content": "x" * read}], answer)
    at_most = model.worst_case([{"role": "user", "content": "x" * read * BYTES_A_TOKEN}], longest)
    return expected, at_most


def _tokens(text: str) -> int:
    return math.ceil(len(text.encode(errors="surrogatepass")) / BYTES_A_TOKEN)


def _sum(values: Iterable[float | None]) -> float | None:
    listed = list(values)
    return None if None in listed else math.fsum(v for v in listed if v is not None)
