"""The repair loop, a LangGraph state machine: four nodes and one router.

    START -> route -> generate -> execute -> classify -> route -> END
                         ^                                |
                         +----------- feedback <----------+

In `generate`, a model may run programs before it answers (see `turn`). The router runs at START and after `classify`,
so new, resumed and forked episodes enter in the same way. The trace is the checkpoint: each attempt is written to disk
before the loop continues. On resumption, the state is rebuilt from the recorded attempts.
"""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.loop import turn
from repair_bench.agent.loop.consult import consulted_feedback
from repair_bench.agent.loop.state import Context, State, now, recorded
from repair_bench.agent.loop.steps import is_over, next_attempt, run_answer
from repair_bench.log import log_context
from repair_bench.traces.faults import Fault
from repair_bench.traces.record.records import Attempt


async def route(state: State) -> Literal["generate", "feedback", "__end__"]:
    """Return the next node of the graph: `generate` before the first attempt, `feedback` after a failure that may be
    repaired, and END in all other cases.
    """
    if not state["attempts"]:
        return "generate"
    last = state["attempts"][-1]
    paused = state["episode"].until is not None and last.attempt >= state["episode"].until
    return "__end__" if last.fault is not None or paused or is_over(state["episode"], last) else "feedback"


async def generate(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Let the model take its turn. Skip the turn if the feedback could not be obtained."""
    if state["turn"] is not None:
        return {}
    return {"turn": await turn.take(state["episode"], state["attempts"], state["feedback"], runtime.context)}


async def execute(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Extract the code from the answer and run it in the sandbox."""
    attempt = state["turn"]
    assert attempt is not None
    if attempt.completion is None or attempt.verdict is not None:
        return {}
    with log_context(attempt=attempt.id):
        ran, judged = await run_answer(state["episode"], attempt, runtime.context.executor)
    return {"turn": ran, "judged": judged}


async def classify(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Judge the outcome and record the attempt. The loop continues once the record is on disk."""
    attempt, judged = state["turn"], state["judged"]
    assert attempt is not None
    if attempt.fault is None and attempt.verdict is None:
        assert judged is not None
        attempt = dataclasses.replace(attempt, verdict=judged.verdict)
    attempt = await runtime.context.record(dataclasses.replace(attempt, finished_at=now()))
    return {"attempts": [*state["attempts"], attempt], "turn": None, "judged": None, "feedback": None}


async def feedback(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Write feedback on the last attempt; some feedback policies query a critic or run a program first."""
    episode, attempts, context = state["episode"], state["attempts"], runtime.context
    try:
        return {"feedback": await consulted_feedback(episode, attempts, context)}
    except Fault as fault:
        started = dataclasses.replace(next_attempt(episode, attempts, None, run=context.run), messages=[])
        return {"turn": dataclasses.replace(started, fault=recorded(fault))}


@cache
def build() -> Any:
    """Return the compiled graph, which is stateless and shared by all runs."""
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
    """Run one episode to its end, continuing after its recorded attempts. Return all attempts."""
    state = State(episode=episode, attempts=attempts, turn=None, judged=None, feedback=None)
    # the number of attempts bounds the loop; the recursion limit only asserts it
    steps = 4 * (episode.condition.max_attempts + 1) + 1
    end: State = await build().ainvoke(state, {"recursion_limit": steps}, context=context)
    return end["attempts"]
