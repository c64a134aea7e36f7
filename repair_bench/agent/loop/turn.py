"""One turn of the model, from its messages to its answer: the subgraph inside `generate`.

    START -> compose -> ask -> calls -> END
                         ^        |
                         +- try <-+

A model that may run programs of its own before it answers goes round; any other asks once. Each reply and each run is
durable before anything goes on from it, so that a turn that was killed is gone through again without a request.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from repair_bench.agent.experiment.episodes import PlannedEpisode, digest
from repair_bench.agent.loop.state import Context, State, recorded
from repair_bench.agent.loop.steps import begin
from repair_bench.agent.models.base import Request
from repair_bench.executors.program import Script
from repair_bench.prompts import tools
from repair_bench.suites.task import Task, context_full
from repair_bench.traces.faults import ContextFull, Fault, ModelError
from repair_bench.traces.printable import printable
from repair_bench.traces.records import Completion
from repair_bench.traces.spending import known_cost, known_usage


class TurnState(State):
    """`reply`: what the model said last in this turn, with its own cost."""

    reply: Completion | None


async def compose(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Begin the attempt: what the model is shown."""
    context, episode = runtime.context, state["episode"]
    turn = begin(episode, state["attempts"], state["feedback"], run=context.run)
    if episode.condition.tools and not context.model.supports_tools:
        messages = tools.with_note(turn.messages, episode.condition.tools, episode.task.framework)
        turn = dataclasses.replace(turn, messages=messages)
    return {"turn": turn, "reply": None}


async def ask(state: TurnState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Ask the model, or take the reply that arrived before. It is durable before anything reads it."""
    context, episode, turn = runtime.context, state["episode"], state["turn"]
    assert turn is not None
    condition, number = episode.condition, turn.attempt
    request = Request(
        messages=[*turn.messages, *tools.exchange(turn.steps, reasoning=True)],
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
        tools=tools.offer(condition.tools, episode.task.framework) if _is_native(context, episode) else (),
        last=state["attempts"][-1] if number else None,
        on_retry=context.on_retry,
    )
    earlier = [step["completion"] for step in turn.steps]
    try:
        reply = await _complete(context, episode.request_key(context.run_seed, number, request.messages), request)
    except Fault as fault:
        return {"turn": dataclasses.replace(turn, fault=recorded(fault)), "reply": None}
    except ContextFull as full:
        verdict = context_full(episode.task, printable(str(full)))
        spent = in_all(earlier) if earlier else None
        return {"turn": dataclasses.replace(turn, verdict=verdict, completion=spent), "reply": None}
    completion = in_all([*earlier, dataclasses.asdict(reply)])
    return {"turn": dataclasses.replace(turn, completion=completion), "reply": reply}


async def calls(state: TurnState, runtime: Runtime[Context]) -> Literal["try", "__end__"]:
    """A reply that asks to run programs, with runs left, or once more to be told that there are none: try. Else: the
    end.
    """
    episode, turn, reply = state["episode"], state["turn"], state["reply"]
    assert turn is not None
    most = episode.condition.tools
    told = bool(turn.steps) and turn.steps[-1]["runs"][-1]["shown"] == tools.NONE_LEFT
    if reply is None or not most or told:
        return "__end__"
    return "try" if tools.calls_of(reply, native=runtime.context.model.supports_tools) else "__end__"


async def try_out(state: TurnState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Run the programs that the reply asks for, as far as the turn allows."""
    context, episode, turn, reply = runtime.context, state["episode"], state["turn"], state["reply"]
    assert turn is not None
    assert reply is not None
    ran, runs = turn.executions, []
    for call in tools.calls_of(reply, native=context.model.supports_tools):
        left = episode.condition.tools - ran
        run: dict[str, Any] = {"call": call.id, "code": call.code, "outcome": None, "shown": tools.NONE_LEFT}
        if left and call.code is None:
            run["shown"], ran = tools.NO_CODE, ran + 1  # else it could be asked without an end
        elif left and call.code is not None:
            try:
                run |= await _run(context, turn.id, ran, episode.task, call.code, left - 1)
            except Fault as fault:
                return {"turn": dataclasses.replace(turn, fault=recorded(fault), completion=None), "reply": None}
            ran += 1
        runs.append(run)
    step = {"completion": dataclasses.asdict(reply), "runs": runs}
    turn = dataclasses.replace(turn, steps=[*turn.steps, step], executions=ran, completion=None)
    return {"turn": turn, "reply": None}


async def begun(state: TurnState) -> Literal["ask", "__end__"]:
    """A run that broke on our side ends the turn."""
    turn = state["turn"]
    return "__end__" if turn is not None and turn.fault is not None else "ask"


@cache
def build() -> Any:
    """The compiled subgraph."""
    graph = StateGraph(TurnState, context_schema=Context)
    graph.add_node(compose)
    graph.add_node(ask)
    graph.add_node("try", try_out)
    graph.add_edge(START, "compose")
    graph.add_edge("compose", "ask")
    graph.add_conditional_edges("ask", calls, ["try", END])
    graph.add_conditional_edges("try", begun, ["ask", END])
    return graph.compile(name="generate")


def longest(runs: int) -> int:
    """The steps of a turn at most, with so many programs: each is asked for alone, and once more in vain."""
    return 2 * (runs + 2) + 1


def _is_native(context: Context, episode: PlannedEpisode) -> bool:
    return bool(episode.condition.tools) and context.model.supports_tools


async def _run(context: Context, attempt: str, number: int, task: Task, code: str, left: int) -> dict[str, Any]:
    """What a program came to and what is told of it; what was saved, where it was run before."""
    key = digest("run", attempt, number, code)
    stored = context.store.tool_run(key)
    if stored is not None:
        return stored
    program = dataclasses.replace(task.check.program(task, code), call=Script())
    outcome = await context.executor.run(program)
    kept = dataclasses.asdict(dataclasses.replace(outcome, value=None))
    data = {"outcome": kept, "shown": tools.shown(outcome, left)}
    await context.store.save_tool_run(key, data)
    return data


async def _complete(context: Context, key: str, request: Request) -> Completion:
    """The completion of one request: the stored one where it has arrived before, else the model's."""
    stored = context.store.completion(key)
    if stored is not None:
        # one that an earlier version stored may hold what no longer gets in
        usage, cost = known_usage(stored.get("usage")), known_cost(stored.get("cost_usd"))
        return Completion(**{**stored, "usage": usage, "cost_usd": cost})
    try:
        completion = await context.budget.complete(context.model, request, key)
    except ModelError as error:
        context.first.refused(context.model.name, error)
        raise
    except ContextFull:
        context.first.answered()
        raise
    context.first.answered()
    return completion


def in_all(replies: Sequence[Mapping[str, Any]]) -> Completion:
    """The last of a turn's replies, with the counts, cost, time and requests of all of them; unknown where one is."""
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
    """The counts that all of them have, added up."""
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
