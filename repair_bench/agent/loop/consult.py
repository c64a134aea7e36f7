"""Query models and run programs to obtain the information that feedback contains.

Each result is written to disk before it is used.

A resumed run reads the results of queries and program runs from disk, so nothing is repeated or paid for again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import msgspec

from repair_bench.agent.experiment.episodes import PlannedEpisode, digest
from repair_bench.agent.loop.state import Context
from repair_bench.agent.loop.steps import feedback_for, policy_after
from repair_bench.agent.models.base import Model, Request, Role
from repair_bench.executors.program import Program
from repair_bench.prompts.feedback import Failure, asks, policy, question
from repair_bench.traces.faults import ContextFull, UsageError
from repair_bench.traces.record.records import Attempt, Completion, Feedback, Outcome, Query
from repair_bench.traces.record.spending import known_cost, known_usage


async def consulted_feedback(episode: PlannedEpisode, attempts: Sequence[Attempt], context: Context) -> Feedback:
    """Return the feedback on the last attempt.

    Some feedback policies run a program or query a critic first. Exceptions from the executor and from the critic are
    propagated. Raises UsageError if the program raises an exception.
    """
    last, name = attempts[-1], policy_after(episode, attempts[-1])
    assert last.verdict is not None
    failure = Failure(last.verdict, last.code, sources=episode.condition.sources)
    program = getattr(policy(name), "program", lambda *_: None)(episode.task, failure)
    ran = critic = None
    if program is not None:
        ran = await run_once(digest("feedback", name, last.id, program.source), program, context)
        if ran.exception is not None:
            raise UsageError(f"running the feedback policy {name} failed: {ran.exception.message}")
    if asks(name):
        messages = question(name, episode.task, dataclasses.replace(failure, ran=ran))
        critic = await query(context.critic or context.model, "critic", messages, episode, last, context)
    return feedback_for(episode, last, context.placebo_sources, critic=critic, ran=ran)


async def query(
    model: Model, role: Role, messages: list[dict[str, Any]], episode: PlannedEpisode, last: Attempt, context: Context
) -> Query:
    """Query a model after attempt `last`. The completion is None if the messages leave no room for a reply."""
    number = last.attempt + 1
    key = query_key(model.name, role, messages, episode, number)
    completion = stored_completion(context, key)
    if completion is None:
        request = request_for(episode, number, messages, context)
        name = f"{episode.attempt_id(number)}-{role}"
        request = dataclasses.replace(request, id=name, last=last, role=role, key=key)
        try:
            completion = await context.asker.ask(model, request)
        except ContextFull:
            completion = None
    return Query(model.name, messages, completion)


def query_key(model: str, role: Role, messages: list[dict[str, Any]], episode: PlannedEpisode, attempt: int) -> str:
    """Return the key under which the reply to a query is stored.

    `attempt`: the number of the attempt that follows the query.
    """
    return digest(role, episode.attempt_id(attempt), model, messages, episode.condition.max_tokens)


def request_for(episode: PlannedEpisode, number: int, messages: list[dict[str, Any]], context: Context) -> Request:
    """Return a request with these messages for attempt `number`, with temperature 0 and without a key."""
    condition = episode.condition
    return Request(
        messages=messages,
        temperature=0.0,
        max_tokens=condition.max_tokens,
        seed=episode.seed(context.run_seed, number),
        task=episode.task,
        sample=episode.sample,
        attempt=number,
        condition=condition.name,
        policy=condition.feedback,
        attempts_left=condition.max_attempts + 1 - number,
    )


def stored_completion(context: Context, key: str) -> Completion | None:
    """Return the stored reply with this key, or None.

    The record may come from a third party, so an impossible usage or cost counts as unknown.
    """
    stored = context.store.completion(key)
    if stored is None:
        return None
    usage, cost = known_usage(stored.get("usage")), known_cost(stored.get("cost_usd"))
    return Completion(**{**stored, "usage": usage, "cost_usd": cost})


async def run_once(key: str, program: Program, context: Context, *, keep_value: bool = False) -> Outcome:
    """Run a program unless its outcome is stored under `key`, and return the outcome.

    The program's return value is removed from the outcome unless `keep_value` is set.
    """
    stored = context.store.tool_run(key)
    if stored is not None:
        return msgspec.convert(stored["outcome"], Outcome)
    outcome = await context.executor.run(program)
    outcome = outcome if keep_value else dataclasses.replace(outcome, value=None)
    await context.store.save_tool_run(key, {"outcome": dataclasses.asdict(outcome), "shown": ""})
    return outcome
