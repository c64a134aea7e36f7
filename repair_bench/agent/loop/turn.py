"""Take one turn of the model: send messages to the model until it answers.

A model may run programs before it answers; the model is then queried again with the results. Each reply of the model
and each program's result is written to disk before it is used. A turn that was interrupted is therefore repeated
without sending its answered requests again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from repair_bench.agent.experiment.episodes import PlannedEpisode, digest
from repair_bench.agent.loop.consult import query, request_for, run_once, stored_completion
from repair_bench.agent.loop.state import Context, recorded
from repair_bench.agent.loop.steps import next_attempt
from repair_bench.prompts import probe, tools
from repair_bench.suites.task import Task, context_full
from repair_bench.traces.faults import ContextFull, Fault, ModelError
from repair_bench.traces.record.printable import printable
from repair_bench.traces.record.records import Attempt, Completion, Feedback, Query

_BEYOND = {tool.beyond for tool in tools.TOOLS.values()}


async def take(
    episode: PlannedEpisode, attempts: Sequence[Attempt], feedback: Feedback | None, context: Context
) -> Attempt:
    """Return the next attempt, which contains the model's answer, a fault, or the verdict that the context is full.

    The condition limits the number of calls to each tool. A model that exceeds a limit receives a single note that no
    calls are left; the model's next reply is the answer.
    """
    native, limits = context.model.supports_tools, tools.limits_of(episode.condition, episode.task)
    turn = next_attempt(episode, attempts, feedback, run=context.run)
    if limits and not native:
        turn = dataclasses.replace(turn, messages=tools.with_note(turn.messages, limits, episode.task))
    while True:
        earlier = [step["completion"] for step in turn.steps]
        try:
            if episode.condition.probe and attempts and turn.probe is None:
                turn = dataclasses.replace(turn, probe=await _probe(episode, turn, attempts[-1], context))
            reply = await _reply(episode, turn, attempts[-1] if attempts else None, context)
            calls = tools.calls_of(reply, limits, native=native) if limits else ()
            was_noted = bool(turn.steps) and turn.steps[-1]["runs"][-1]["shown"] in _BEYOND
            if not calls or was_noted:
                return dataclasses.replace(turn, completion=in_all([*earlier, dataclasses.asdict(reply)]))
            used, runs = {"python": turn.executions, "ask": turn.questions}, []
            for call in calls:
                left = limits[call.tool] - used[call.tool]
                runs.append(await _run(context, turn.id, sum(used.values()), episode.task, call, left))
                used[call.tool] += left > 0  # even without code, otherwise the model could loop forever
        except Fault as fault:
            return dataclasses.replace(turn, fault=recorded(fault))
        except ContextFull as full:
            verdict = context_full(episode.task, printable(str(full)))
            return dataclasses.replace(turn, verdict=verdict, completion=in_all(earlier) if earlier else None)
        step = {"completion": dataclasses.asdict(reply), "runs": runs}
        turn = dataclasses.replace(turn, steps=[*turn.steps, step], executions=used["python"], questions=used["ask"])


async def _reply(episode: PlannedEpisode, turn: Attempt, last: Attempt | None, context: Context) -> Completion:
    condition, number = episode.condition, turn.attempt
    messages = [*turn.messages, *tools.exchange(turn.steps, reasoning=True)]
    key = episode.request_key(context.run_seed, number, messages)
    if (stored := stored_completion(context, key)) is not None:
        return stored
    limits = tools.limits_of(condition, episode.task)
    request = dataclasses.replace(
        request_for(episode, number, messages, context),
        id=turn.id,
        temperature=condition.temperature(number),
        reasoning_effort=condition.reasoning_effort,
        thinking_budget=condition.thinking_budget,
        questions_left=limits.get("ask", 0) - turn.questions,
        step=len(turn.steps),
        tools=tools.offer(limits, episode.task) if context.model.supports_tools else (),
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


async def _probe(episode: PlannedEpisode, turn: Attempt, last: Attempt, context: Context) -> Query | None:
    """Ask the model, in a copy of the conversation, which options apply.

    Return None if the task's prompt leaves no convention open.
    """
    text = probe.question(episode.task)
    if text is None:
        return None
    *before, feedback = turn.messages
    messages = [*before, {**feedback, "content": f"{feedback['content']}\n\n{text}"}]
    return await query(context.model, "probe", messages, episode, last, context)


async def _run(
    context: Context, attempt: str, number: int, task: Task, call: tools.ToolCall, left: int
) -> dict[str, Any]:
    """Answer a tool call.

    Return the call, the outcome if a program ran (otherwise None), and the text shown to the model.
    """
    program, named = tools.program(task, call, left), {"call": call.id, "tool": call.tool, "code": call.code}
    if isinstance(program, str):
        return {**named, "outcome": None, "shown": program}
    key = digest(call.tool, attempt, number, call.code)
    # the answer to a question can be derived again from the value
    outcome = await run_once(key, program, context, keep_value=call.tool == "ask")
    return {**named, "outcome": dataclasses.asdict(outcome), "shown": tools.result(task, call, outcome, left)}


def in_all(replies: Sequence[Mapping[str, Any]]) -> Completion:
    """Return a turn's last reply with the total usage, cost, time and requests; a total is None if any part is None."""
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
