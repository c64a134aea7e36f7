"""The steps of an episode, used by the repair loop and by training rollouts."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.loop.state import now, recorded
from repair_bench.analysis.runs.reply_kinds import CUT, kind_of
from repair_bench.executors.program import Executor
from repair_bench.grading.judge import Judge, Judged
from repair_bench.prompts.compose import compose, compose_repair, prefill
from repair_bench.prompts.feedback import PlaceboSource, make_feedback, needs_placebo_source
from repair_bench.prompts.feedback.donors import choose
from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.record.records import Attempt, Feedback, Outcome, Query


def next_attempt(
    episode: PlannedEpisode, attempts: Sequence[Attempt], feedback: Feedback | None, *, run: str = ""
) -> Attempt:
    """Return the next attempt with the messages for the model. `feedback`: the feedback on the last of `attempts`."""
    task, number = episode.task, len(attempts)
    if feedback is None:
        messages = compose(task, episode.condition, episode.examples)
    else:
        messages = compose_repair(task, episode.condition, attempts, feedback.text, episode.examples)
    parent = attempts[-1].id if number else None
    return episode.begin(number, messages, parent=parent, feedback=feedback, run=run, started_at=now())


async def run_answer(episode: PlannedEpisode, attempt: Attempt, executor: Executor) -> tuple[Attempt, Judged]:
    """Execute the answer of an attempt.

    Return the attempt with its outcome or fault, and the judgement of the answer.
    """
    assert attempt.completion is not None
    judged = await Judge(executor).answer(
        episode.task, attempt.completion.text, prefill=prefill(attempt.messages), draw=attempt.id
    )
    fault = recorded(judged.fault) if judged.fault is not None else None
    ran = dataclasses.replace(
        attempt, extraction=judged.extraction, code=judged.code, outcome=judged.outcome, fault=fault
    )
    return ran, judged


def is_over(episode: PlannedEpisode, last: Recorded) -> bool:
    """Whether a judged attempt is the last of its episode: it passed, the context is full, or no repairs are left."""
    return last.passed or last.filled_context or last.attempt >= episode.condition.max_attempts


def policy_after(episode: PlannedEpisode, last: Recorded) -> str:
    """Return the feedback policy for a failed attempt: the condition's policy, or `none` if the next attempt is a new
    sample.
    """
    return "none" if episode.condition.is_fresh(last.attempt + 1) else episode.condition.feedback


def feedback_for(
    episode: PlannedEpisode,
    last: Attempt,
    placebo_sources: Sequence[PlaceboSource],
    *,
    critic: Query | None = None,
    ran: Outcome | None = None,
) -> Feedback:
    """Return the feedback on an attempt. `critic`, `ran`: evidence that `agent.loop.consult` obtained."""
    policy, task = policy_after(episode, last), episode.task
    assert last.verdict is not None
    source = choose(placebo_sources, task, last.verdict, last.id) if needs_placebo_source(policy) else None
    cut = last.completion is not None and kind_of(last.completion) in CUT
    return make_feedback(
        *(policy, task, last.verdict),
        code=last.code, donor=source, cut=cut, sources=episode.condition.sources, critic=critic, ran=ran,
    )  # fmt: skip
