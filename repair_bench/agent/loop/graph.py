"""The repair loop, a LangGraph state machine: four nodes and one router.

    START -> route -> generate -> execute -> classify -> route -> END
                         ^                                |
                         +----------- feedback <----------+

The router stands at START and after classify, so a fresh episode, a resumed one and a fork enter by the same door.
The trace is the checkpoint: an attempt is durable on disk before the loop moves on, and resuming rebuilds the state
from the recorded attempts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any, Literal, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from repair_bench.agent.experiment.episodes import PlannedEpisode, digest
from repair_bench.agent.experiment.spending_limits import SpendingLimits
from repair_bench.agent.models.base import Model, Request
from repair_bench.executors.program import Executor
from repair_bench.grading.judge import Judge, Judged
from repair_bench.log import bound
from repair_bench.prompts.compose import compose, compose_repair, prefill
from repair_bench.prompts.feedback import Donor, make_feedback, needs_donors
from repair_bench.prompts.feedback.donors import choose
from repair_bench.suites.task import context_full
from repair_bench.traces.faults import ContextFull, Fault
from repair_bench.traces.printable import printable
from repair_bench.traces.records import Attempt, Completion, FaultRecord, Feedback
from repair_bench.traces.spending import known_cost, known_usage
from repair_bench.traces.store import RunStore


class State(TypedDict):
    """`attempts`: those recorded, oldest first. `turn`: the attempt in the making. `judged`: what came of running its
    answer. `feedback`: for the next one.
    """

    episode: PlannedEpisode
    attempts: list[Attempt]
    turn: Attempt | None
    judged: Judged | None
    feedback: Feedback | None


@dataclass(frozen=True)
class Context:
    """What the nodes work with; never part of the state."""

    run: str
    run_seed: int
    model: Model
    executor: Executor
    store: RunStore
    budget: SpendingLimits
    on_attempt: Callable[[Attempt], None]
    """Told of each attempt once it is on disk."""
    donors: Sequence[Donor] = ()
    """Other tasks' failures, for the placebo."""


async def route(state: State) -> Literal["generate", "feedback", "__end__"]:
    """No attempt yet: generate. Failed with repairs left, and room to tell of it: feedback. Else: the end."""
    if not state["attempts"]:
        return "generate"
    last = state["attempts"][-1]
    repairs_left = len(state["attempts"]) <= state["episode"].condition.max_attempts
    full = last.verdict is not None and last.verdict.kind == "context"
    if last.passed or full or last.fault is not None or not repairs_left:
        return "__end__"
    return "feedback"


async def generate(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Ask the model, or take the answer that arrived before. It is durable before anything reads it."""
    context, episode, number = runtime.context, state["episode"], len(state["attempts"])
    task, condition, feedback = episode.task, episode.condition, state["feedback"]
    if feedback is None:
        messages = compose(task, condition, episode.examples)
    else:
        messages = compose_repair(task, condition, state["attempts"][-1], feedback.text, episode.examples)
    turn = Attempt(
        id=episode.attempt_id(number),
        parent=state["attempts"][-1].id if number else None,
        episode=episode.id,
        run=context.run,
        model=episode.model,
        suite=task.suite,
        suite_version=episode.suite_version,
        task_id=task.id,
        framework=task.framework,
        category=task.category,
        difficulty=task.difficulty,
        condition=condition.name,
        sample=episode.sample,
        attempt=number,
        feedback=feedback,
        messages=messages,
        started_at=_now(),
    )
    request = Request(
        messages=messages,
        temperature=condition.temperature(number),
        max_tokens=condition.max_tokens,
        seed=episode.seed(context.run_seed, number),
        task=task,
        sample=episode.sample,
        attempt=number,
        id=turn.id,
        condition=condition.name,
        policy=condition.feedback,
        attempts_left=condition.max_attempts + 1 - number,
        last=state["attempts"][-1] if number else None,
    )
    try:
        completion = await _complete(context, turn.id, request)
    except Fault as fault:
        return {"turn": dataclasses.replace(turn, fault=_record(fault))}
    except ContextFull as full:
        return {"turn": dataclasses.replace(turn, verdict=context_full(task, printable(str(full))))}
    return {"turn": dataclasses.replace(turn, completion=completion)}


async def execute(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Take the code from the answer and run it where it can do no harm."""
    turn, task = state["turn"], state["episode"].task
    assert turn is not None
    if turn.completion is None:
        return {}
    judge = Judge(runtime.context.executor)
    with bound(attempt=turn.id):
        judged = await judge.answer(task, turn.completion.text, prefill=prefill(turn.messages), draw=turn.id)
    fault = _record(judged.fault) if judged.fault is not None else None
    return {
        "turn": dataclasses.replace(
            turn, extraction=judged.extraction, code=judged.code, outcome=judged.outcome, fault=fault
        ),
        "judged": judged,
    }


async def classify(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Judge the outcome and record the attempt. The loop goes on when the record is on disk."""
    turn, judged = state["turn"], state["judged"]
    assert turn is not None
    if turn.fault is None and turn.verdict is None:
        assert judged is not None
        turn = dataclasses.replace(turn, verdict=judged.verdict)
    turn = await runtime.context.store.append_attempt(dataclasses.replace(turn, finished_at=_now()))
    runtime.context.on_attempt(turn)
    return {"attempts": [*state["attempts"], turn], "turn": None, "judged": None, "feedback": None}


async def feedback(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Tell the model what its last attempt did, as the condition's policy has it."""
    episode, last = state["episode"], state["attempts"][-1]
    policy, task = episode.condition.feedback, episode.task
    assert last.verdict is not None
    donor = choose(runtime.context.donors, task, last.verdict, last.id) if needs_donors(policy) else None
    return {"feedback": make_feedback(policy, task, last.verdict, code=last.code, donor=donor)}


@cache
def build() -> Any:
    """The compiled graph. It holds nothing of a run and serves all of them."""
    graph = StateGraph(State, context_schema=Context)
    graph.add_node(generate)
    graph.add_node(execute)
    graph.add_node(classify)
    graph.add_node(feedback)
    graph.add_conditional_edges(START, route, ["generate", "feedback", END])
    graph.add_edge("generate", "execute")
    graph.add_edge("execute", "classify")
    graph.add_conditional_edges("classify", route, ["generate", "feedback", END])
    graph.add_edge("feedback", "generate")
    return graph.compile(name="repair loop")


async def run_episode(episode: PlannedEpisode, context: Context, attempts: list[Attempt]) -> list[Attempt]:
    """Take one episode to its end, from the attempts that are recorded already. Returns all of them."""
    state = State(episode=episode, attempts=attempts, turn=None, judged=None, feedback=None)
    # The loop is bounded by the number of attempts; the recursion limit only asserts it.
    steps = 4 * (episode.condition.max_attempts + 1) + 1
    end: State = await build().ainvoke(state, {"recursion_limit": steps}, context=context)
    return end["attempts"]


async def _complete(context: Context, attempt_id: str, request: Request) -> Completion:
    """The completion of one request: the stored one where it has arrived before, else the model's."""
    key = digest(
        attempt_id, context.model.name, request.messages, request.temperature, request.max_tokens, request.seed
    )
    stored = context.store.completion(key)
    if stored is not None:
        # one that an earlier version stored may hold what no longer gets in
        usage, cost = known_usage(stored.get("usage")), known_cost(stored.get("cost_usd"))
        return Completion(**{**stored, "usage": usage, "cost_usd": cost})
    return await context.budget.complete(context.model, request, key)


def _record(fault: Fault) -> FaultRecord:
    return FaultRecord(fault.boundary, printable(str(fault), keep="\n\t"), fault.retries)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
