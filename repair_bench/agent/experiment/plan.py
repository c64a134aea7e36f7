"""What an experiment would do and spend, before anything is asked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from repair_bench import suites
from repair_bench.agent import models
from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.experiment.repetition import check_repetition
from repair_bench.agent.experiment.spending_limits import Paid
from repair_bench.coroutines import run_to_end
from repair_bench.prompts.compose import compose
from repair_bench.prompts.feedback import is_independent
from repair_bench.suites.task import Task
from repair_bench.traces.spending import Spend

BYTES_A_TOKEN = 3
"""Of prompts and answers: code and English have 3 to 4 bytes a token. An estimate on the high side, no bound."""
FEEDBACK_TOKENS = 200
"""What a message of feedback is taken to hold."""


def plan(experiment: Experiment, data: Path | None) -> dict[str, Any]:
    """The plan as JSON data; nothing is executed, asked or written.

    `models`: one entry each with `first_answers`, `episodes`, `calls` and, from the price table, `tokens` and
    `cost_usd`, each as {"least", "most"}: every first answer passes, or no answer does. Answers are taken to be as long
    as the task's reference. Unknown is None. A model that nobody bills has a cost of 0.
    Raises UsageError as a run of the experiment would.
    """
    made = models.create_all(experiment.models, experiment.providers, api_base=experiment.api_base)
    loaded = [
        run_to_end(suites.load(name, data=data, rule=experiment.rule, require_sealed=experiment.require_sealed))
        for name in experiment.suites
    ]
    episodes = experiment.episodes(loaded)
    check_repetition(episodes)
    return {
        "suites": {suite.name: suite.version for suite in loaded},
        "tasks": len({(e.task.suite, e.task.id, e.task.framework) for e in episodes}),
        "excluded": sum(task.excluded is not None for task in experiment.tasks(loaded)),
        "conditions": [condition.name for condition in experiment.conditions()],
        "samples": experiment.samples,
        "max_attempts": experiment.max_attempts,
        "models": [
            {"model": name, **_of_model(model, [e for e in episodes if e.model == name])}
            for name, model in made.items()
        ],
        "budget": experiment.budget.model_dump(),
    }


def _of_model(model: models.Model, episodes: Sequence[PlannedEpisode]) -> dict[str, Any]:
    counted: dict[tuple[str, int], Spend] = {}  # arms ask alike: each length of conversation is counted once

    def spend(episode: PlannedEpisode, repairs_shown: int) -> Spend:
        key = episode.root, repairs_shown
        if key not in counted:
            counted[key] = _request(model, episode, repairs_shown)
        return counted[key]

    least = [spend(e, 0) for e in {e.root: e for e in episodes}.values()]
    most = [*least, *(spend(e, repairs_shown) for e in episodes for repairs_shown in _repairs(e))]
    return {
        "first_answers": len(least),
        "episodes": len(episodes),
        "calls": {"least": len(least), "most": len(most)},
        "tokens": {"least": _sum(s.tokens for s in least), "most": _sum(s.tokens for s in most)},
        "cost_usd": {"least": _sum(s.cost_usd for s in least), "most": _sum(s.cost_usd for s in most)},
    }


def _repairs(episode: PlannedEpisode) -> Iterator[int]:
    """How many answers and their feedback each repair of an episode is shown, when none passes."""
    condition = episode.condition
    for attempt in range(1, condition.max_attempts + 1):
        if is_independent(condition.feedback):
            yield 0
        else:
            yield attempt if condition.history == "whole" else 1


def _request(model: models.Model, episode: PlannedEpisode, repairs_shown: int) -> Spend:
    """One request that shows `repairs_shown` answers with their feedback, and its answer."""
    if not isinstance(model, Paid):
        return Spend(0.0, None)
    read = sum(_tokens(message["content"]) for message in compose(episode.task, episode.condition, episode.examples))
    read += repairs_shown * (_answer(episode.task) + FEEDBACK_TOKENS)
    # a worst case takes a byte for a token: so many bytes stand for the tokens that are expected
    return model.worst_case([{"role": "user", "content": "x" * read}], _answer(episode.task))


def _answer(task: Task) -> int:
    return _tokens(task.reference or task.starter)


def _tokens(text: str) -> int:
    return math.ceil(len(text.encode(errors="surrogatepass")) / BYTES_A_TOKEN)


def _sum(values: Iterable[float | None]) -> float | None:
    listed = list(values)
    return None if None in listed else math.fsum(v for v in listed if v is not None)
