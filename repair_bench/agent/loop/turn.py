"""One turn of the model, from its messages to its answer.

A model may run programs before it answers; it is then queried again with their results. Each reply and program run is
written to disk before it is used, so a killed turn is replayed without new requests.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from repair_bench.agent.experiment.episodes import PlannedEpisode, digest
from repair_bench.agent.loop.state import Context, recorded
from repair_bench.agent.loop.steps import next_attempt
from repair_bench.agent.models.base import Request
from repair_bench.executors.program import Script
from repair_bench.prompts import tools
from repair_bench.suites.task import Task, context_full
from repair_bench.traces.faults import ContextFull, Fault, ModelError
from repair_bench.traces.record.printable import printable
from repair_bench.traces.record.records import Attempt, Completion, Feedback
from repair_bench.traces.record.spending import known_cost, known_usage


async def take(
    episode: PlannedEpisode, attempts: Sequence[Attempt], feedback: Feedback | None, context: Context
) -> Attempt:
    """Return the next attempt with the model's answer, a fault, or the verdict that the context is full.

    The condition limits the number of program runs. A model that requests more receives one note that no runs are left.
    """
    native, max_runs = context.model.supports_tools, episode.condition.tools
    turn = next_attempt(episode, attempts, feedback, run=context.run)
    if max_runs and not native:
        turn = dataclasses.replace(turn, messages=tools.with_note(turn.messages, max_runs, episode.task.framework))
    while True:
        earlier = [step["completion"] for step in turn.steps]
        try:
            reply = await _reply(episode, turn, attempts[-1] if attempts else None, context)
            calls = tools.calls_of(reply, native=native) if max_runs else ()
            was_noted = bool(turn.steps) and turn.steps[-1]["runs"][-1]["shown"] == tools.NONE_LEFT
            if not calls or was_noted:
                return dataclasses.replace(turn, completion=in_all([*earlier, dataclasses.asdict(reply)]))
            ran, runs = turn.executions, []
            for call in calls:
                left = max_runs - ran
                run: dict[str, Any] = {"call": call.id, "code": call.code, "outcome": None, "shown": tools.NONE_LEFT}
                if left and call.code is None:
                    run["shown"] = tools.NO_CODE
                elif left and call.code is not None:
                    run |= await _run(context, turn.id, ran, episode.task, call.code, left - 1)
                ran += bool(left)  # even without code, otherwise the model could loop forever
                runs.append(run)
        except Fault as fault:
            return dataclasses.replace(turn, fault=recorded(fault))
        except ContextFull as full:
            verdict = context_full(episode.task, printable(str(full)))
            return dataclasses.replace(turn, verdict=verdict, completion=in_all(earlier) if earlier else None)
        step = {"completion": dataclasses.asdict(reply), "runs": runs}
        turn = dataclasses.replace(turn, steps=[*turn.steps, step], executions=ran)


async def _reply(episode: PlannedEpisode, turn: Attempt, last: Attempt | None, context: Context) -> Completion:
    condition, number = episode.condition, turn.attempt
    messages = [*turn.messages, *tools.exchange(turn.steps, reasoning=True)]
    key = episode.request_key(context.run_seed, number, messages)
    if (stored := context.store.completion(key)) is not None:
        # a record may come from others: an impossible usage or cost is unknown
        usage, cost = known_usage(stored.get("usage")), known_cost(stored.get("cost_usd"))
        return Completion(**{**stored, "usage": usage, "cost_usd": cost})
    offered = condition.tools and context.model.supports_tools
    request = Request(
        messages=messages,
        temperature=condition.temperature(number),
        max_tokens=condition.max_tokens,
        reasoning_effort=condition.reasoning_effort,
        thinking_budget=condition.thinking_budget,
        seed=episode.seed(context.run_seed, number),
        task=episode.task,
        sample=episode.sample,
        attempt=number,
        id=turn.id,
        condition=condition.name,
        policy=condition.feedback,
        attempts_left=condition.max_attempts + 1 - number,
        step=len(turn.steps),
        tools=tools.offer(condition.tools, episode.task.framework) if offered else (),
        last=last,
        key=key,
    )
    try:
        completion = await context.asker.ask(context.model, request)
    except ModelError as error:
        context.first.refused(context.model.name, error)
        raise
    except ContextFull:
        context.first.answered()
        raise
    context.first.answered()
    return completion


async def _run(context: Context, attempt: str, number: int, task: Task, code: str, left: int) -> dict[str, Any]:
    """Run a program, or reuse its stored run. Return the outcome and the text shown to the model."""
    key = digest("run", attempt, number, code)
    stored = context.store.tool_run(key)
    if stored is not None:
        return stored
    program = dataclasses.replace(task.check.program(task, code), call=Script())
    outcome = await context.executor.run(program)
    recorded_outcome = dataclasses.asdict(dataclasses.replace(outcome, value=None))
    data = {"outcome": recorded_outcome, "shown": tools.shown(outcome, left)}
    await context.store.save_tool_run(key, data)
    return data


def in_all(replies: Sequence[Mapping[str, Any]]) -> Completion:
    """Return a turn's last reply with usage, cost, time and requests summed over all; a sum with a None is None."""
    last = Completion(**replies[-1])
    if len(replies) == 1:
        return last
    costs, times = ([reply[name] for reply in replies] for name in ("cost_usd", "latency_seconds"))
    return dataclasses.replace(
        last,
        usage=_sum([reply["usage"] for reply in replies]),
        cost_usd=None if None in costs else sum(costs),
        latency_seconds=None if None in times else sum(times),
        requests=sum(reply["requests"] for reply in replies),
    )


def _sum(usages: Sequence[Mapping[str, Any] | None]) -> dict[str, Any] | None:
    known = [usage for usage in usages if usage is not None]
    if len(known) < len(usages):
        return None
    names = [name for name in known[0] if all(name in usage for usage in known)]
    return {
        name: _sum([usage[name] for usage in known])
        if isinstance(known[0][name], dict)
        else sum(usage[name] for usage in known)
        for name in names
    }
