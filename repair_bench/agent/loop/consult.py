"""Evidence that a feedback policy obtains about a failure: the outcome of a program, and a critic's reply.

Both are on disk before they are used, so a resumed run repeats neither.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from repair_bench.agent.experiment.episodes import PlannedEpisode, digest
from repair_bench.agent.loop.state import Context
from repair_bench.agent.loop.steps import feedback_for, policy_after
from repair_bench.agent.models.base import Model, Request, Role
from repair_bench.prompts.feedback import Failure, asks, policy, question
from repair_bench.traces.faults import ContextFull, UsageError
from repair_bench.traces.record.records import Attempt, Completion, ExceptionInfo, Feedback, Outcome, Query
from repair_bench.traces.record.spending import known_cost, known_usage


async def consulted_feedback(episode: PlannedEpisode, attempts: Sequence[Attempt], context: Context) -> Feedback:
    """Return the feedback on the last attempt. Raises the faults of the critic and the program that its policy uses."""
    last, name = attempts[-1], policy_after(episode, attempts[-1])
    assert last.verdict is not None
    failure = Failure(last.verdict, last.code, sources=episode.condition.sources)
    ran = await _run(name, episode, last, failure, context)
    critic = None
    if asks(name):
        messages = question(name, episode.task, dataclasses.replace(failure, ran=ran))
        critic = await query(context.critic or context.model, "critic", messages, episode, last, context)
    return feedback_for(episode, last, context.placebo_sources, critic=critic, ran=ran)


async def query(
    model: Model,
    role: Role,
    messages: list[dict[str, Any]],
    episode: PlannedEpisode,
    last: Attempt,
    context: Context,
) -> Query:
    """Return the reply to a query to a critic or by a probe, from disk if the query was sent before."""
    condition, number = episode.condition, last.attempt + 1
    key = query_key(model.name, role, messages, episode, number)
    stored = context.store.completion(key)
    if stored is not None:
        return Query(model.name, messages, stored_completion(stored))
    request = Request(
        messages=messages,
        temperature=0.0,
        max_tokens=condition.max_tokens,
        seed=episode.seed(context.run_seed, number),
        task=episode.task,
        sample=episode.sample,
        attempt=number,
        id=f"{episode.attempt_id(number)}-{role}",
        condition=condition.name,
        policy=condition.feedback,
        attempts_left=condition.max_attempts + 1 - number,
        last=last,
        role=role,
        key=key,
    )
    try:
        return Query(model.name, messages, await context.asker.ask(model, request))
    except ContextFull:
        return Query(model.name, messages, None)


def query_key(model: str, role: Role, messages: list[dict[str, Any]], episode: PlannedEpisode, attempt: int) -> str:
    """Return the name of the stored reply to these messages. `attempt`: the number of the repair that follows them."""
    return digest(role, episode.attempt_id(attempt), model, messages, episode.condition.max_tokens)


def stored_completion(stored: dict[str, Any]) -> Completion:
    """Return a reply from disk. The record may be a third party's: an impossible usage or cost counts as unknown."""
    usage, cost = known_usage(stored.get("usage")), known_cost(stored.get("cost_usd"))
    return Completion(**{**stored, "usage": usage, "cost_usd": cost})


async def _run(name: str, episode: PlannedEpisode, last: Attempt, failure: Failure, context: Context) -> Outcome | None:
    program = getattr(policy(name), "program", lambda *_: None)(episode.task, failure)
    if program is None:
        return None
    key = digest("feedback", name, last.id, program.source)
    stored = context.store.tool_run(key)
    if stored is None:
        outcome = dataclasses.replace(await context.executor.run(program), value=None)
        await context.store.save_tool_run(key, {"outcome": dataclasses.asdict(outcome), "shown": ""})
    else:
        data = stored["outcome"]
        outcome = Outcome(**{**data, "exception": data["exception"] and ExceptionInfo(**data["exception"])})
    if outcome.exception is not None:
        raise UsageError(f"the program of the feedback policy {name} failed: {outcome.exception.message}")
    return outcome
