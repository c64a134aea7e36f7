"""What an experiment would do and spend, before anything is asked."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from repair_bench import suites
from repair_bench.agent import models
from repair_bench.agent.experiment import study
from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.experiment.feasibility import check_models, check_settings, check_tasks
from repair_bench.agent.experiment.file import Budget, Experiment
from repair_bench.agent.experiment.minimum_detectable_effect import Pilot, Rates, detectable
from repair_bench.agent.models.base import Batched, Paid
from repair_bench.coroutines import run_to_end
from repair_bench.prompts.compose import compose
from repair_bench.prompts.feedback import is_independent
from repair_bench.traces.record.spending import MAX_TOKENS, Spend, subtract

BYTES_A_TOKEN = 3
"""Of prompts and answers: code and English have 3 to 4 bytes a token. An estimate on the high side, no bound."""
FEEDBACK_TOKENS = 200
"""What a message of feedback, or of what a program printed, is taken to hold."""


def plan(
    experiment: Experiment, data: Path | None, *, pilot: Pilot | None = None, rates: Rates | None = None
) -> dict[str, Any]:
    """The plan as JSON data; nothing is executed, asked or written.

    `models`: one entry each with `batch`, `first_answers`, `episodes`, `calls` and, from the price table, `tokens` and
    `cost_usd`, each as {"least", "most"}: every first answer passes, or no answer does, and where the model may run
    programs it runs none, or all. Answers are taken to be as long as the task's reference and what the model may think,
    or as `max_completion_tokens` allows. `reasoning_tokens`: of these in one answer. Unknown is None: so are the tokens
    and the cost of a model whose requests are not billed, as in its records. `budget`: the limits, and whether the run
    `suffices` with them in either case; None where that is unknown, or where there is no limit. `study_lock`: the hash
    of the lock that the run would have; None where the run draws tasks, which are not known before. `power`: the
    smallest difference that each comparison would find (see `detectable`), from a pilot run or from rates. Raises
    UsageError as a run of the experiment would.
    """
    check_settings(experiment)
    made = models.create_all(experiment.models, experiment.providers, api_base=experiment.api_base)
    check_models(experiment, made)
    loaded = [
        run_to_end(suites.load(name, data=data, rule=experiment.rule, require_sealed=experiment.require_sealed))
        for name in experiment.suites
    ]
    episodes = experiment.episodes(loaded)
    check_tasks(experiment, loaded, episodes)
    rows, held = {}, {}
    for name, model in made.items():
        rows[name], held[name] = _of_model(model, [e for e in episodes if e.model == name])
    budget = experiment.budget
    paid = [name for name, model in made.items() if isinstance(model, Paid)]
    drawn = any(suites.recorded_name(suite.name) != suite.name for suite in loaded)
    return {
        "suites": {suite.name: suite.version for suite in loaded},
        "tasks": len({e.task.key for e in episodes}),
        "excluded": sum(task.excluded is not None for task in experiment.tasks(loaded)),
        "conditions": [condition.name for condition in experiment.conditions()],
        "samples": experiment.samples,
        "max_attempts": experiment.max_attempts,
        "models": [{"model": name, "batch": isinstance(made[name], Batched), **row} for name, row in rows.items()],
        "budget": {**budget.model_dump(), "suffices": _suffices(budget, rows, paid, held.values())},
        "study_lock": None if drawn else study.lock(experiment, loaded, episodes).hash,
        "power": detectable(experiment, episodes, study.comparisons(experiment, episodes), pilot=pilot, rates=rates),
    }


def _suffices(
    budget: Budget, rows: Mapping[str, dict[str, Any]], paid: Container[str], held: Iterable[Spend]
) -> dict[str, bool | None]:
    """Whether a run comes to its end within its budget. `paid`: the models whose requests may be billed; the tokens of
    all models count. `held`: the room that each model needs in addition to what it spends.
    """
    limits = {"cost_usd": budget.max_cost, "tokens": budget.max_tokens}
    found: dict[str, bool | None] = {}
    for end in ("least", "most"):
        kept: list[bool | None] = []
        for unit, limit in ((unit, limit) for unit, limit in limits.items() if limit is not None):
            amounts = [
                *(row[unit][end] for name, row in rows.items() if unit == "tokens" or name in paid),
                max((getattr(spend, unit) or 0.0 for spend in held), default=0.0),
            ]
            needed = _sum(amounts)
            kept.append(None if needed is None else needed <= limit)
        found[end] = False if False in kept else None if None in kept or not kept else True
    return found


def _of_model(model: models.Model, episodes: Sequence[PlannedEpisode]) -> tuple[dict[str, Any], Spend]:
    """The row of a model, and how much more than it really takes must be left in the budget for its largest request."""
    counted: dict[tuple[str, int, int], Spend] = {}  # arms ask alike: each length of conversation is counted once
    held = Spend()

    def spend(episode: PlannedEpisode, repairs_shown: int, step: int = 0) -> Spend:
        nonlocal held
        key = episode.root, repairs_shown, step
        if key not in counted:
            counted[key], at_most = _request(model, episode, repairs_shown, step)
            more = subtract(at_most, counted[key])
            held = Spend(max(held.cost_usd or 0.0, more.cost_usd or 0.0), max(held.tokens or 0, more.tokens or 0))
        return counted[key]

    def turn(episode: PlannedEpisode, repairs_shown: int) -> Iterator[Spend]:
        yield from (spend(episode, repairs_shown, step) for step in range(episode.condition.tools + 1))

    firsts = list({e.root: e for e in episodes}.values())
    least = [spend(e, 0) for e in firsts]
    most = [s for e in firsts for s in turn(e, 0)]
    most += [s for e in episodes for repairs_shown in _repairs(e) for s in turn(e, repairs_shown)]
    row = {
        "first_answers": len(least),
        "episodes": len(episodes),
        "calls": {"least": len(least), "most": len(most)},
        "tokens": {"least": _sum(s.tokens for s in least), "most": _sum(s.tokens for s in most)},
        "reasoning_tokens": _reasoning(model, episodes),
        "cost_usd": {"least": _sum(s.cost_usd for s in least), "most": _sum(s.cost_usd for s in most)},
    }
    return row, held


def _reasoning(model: models.Model, episodes: Sequence[PlannedEpisode]) -> int | None:
    """Tokens that an answer may spend on reasoning: the largest budget for it, 0 where the model does not reason, None
    where its provider decides.
    """
    budgets = [episode.condition.thinking_budget for episode in episodes]
    asked = any(episode.condition.reasoning_effort for episode in episodes)
    if isinstance(model, Paid) and None in budgets and (model.reasons or asked):
        return None
    return max((budget for budget in budgets if budget is not None), default=0)


def _repairs(episode: PlannedEpisode) -> Iterator[int]:
    """How many answers and their feedback each repair of an episode is shown, when none passes."""
    condition = episode.condition
    for attempt in range(1, condition.max_attempts + 1):
        yield 0 if is_independent(condition.feedback) else attempt if condition.history == "whole" else 1


def _request(model: models.Model, episode: PlannedEpisode, repairs_shown: int, step: int) -> tuple[Spend, Spend]:
    """One request that shows `repairs_shown` answers with their feedback and the first `step` programs of its turn.

    What it is expected to take, and the worst case that a budget must have room for before it is sent.
    """
    if not isinstance(model, Paid):
        return Spend(None, None), Spend(None, None)
    condition = episode.condition
    longest, thought = condition.max_tokens, condition.thinking_budget or 0
    written = min(_tokens(episode.task.reference or episode.task.starter), longest or MAX_TOKENS)
    answer = min(written + thought, longest or MAX_TOKENS)
    read = sum(_tokens(message["content"]) for message in compose(episode.task, condition, episode.examples))
    turn = written + (thought if condition.reasoning == "keep" else 0) + FEEDBACK_TOKENS
    tried = written + thought + FEEDBACK_TOKENS
    read += repairs_shown * (turn + condition.tools * tried) + step * tried
    # a worst case takes a byte for a token: so many bytes stand for the tokens that are expected
    expected = model.worst_case([{"role": "user", "content": "x" * read}], answer)
    at_most = model.worst_case([{"role": "user", "content": "x" * read * BYTES_A_TOKEN}], longest)
    return expected, at_most


def _tokens(text: str) -> int:
    return math.ceil(len(text.encode(errors="surrogatepass")) / BYTES_A_TOKEN)


def _sum(values: Iterable[float | None]) -> float | None:
    listed = list(values)
    return None if None in listed else math.fsum(v for v in listed if v is not None)
