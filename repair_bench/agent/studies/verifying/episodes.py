"""Verify one episode: recompute each attempt from the previous attempts, and compare it with the record.

The name, the feedback, the messages, the code and the verdict of each attempt, and the order of the attempts, are
recomputed and compared with the record. Answers and the outcomes of their programs are taken from the record.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

import msgspec

from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.loop.steps import feedback_for, next_attempt, policy_after
from repair_bench.agent.models.base import SEED_BITS
from repair_bench.agent.studies.verifying.findings import VerificationReport
from repair_bench.grading.judge import extracted
from repair_bench.grading.regrader import verdict_again
from repair_bench.grading.tiny_numbers import without_tiny_numbers
from repair_bench.prompts import tools
from repair_bench.prompts.compose import prefill
from repair_bench.prompts.feedback import Failure, PlaceboSource, asks, needs_placebo_source, question
from repair_bench.suites.task import Task
from repair_bench.traces.record.printable import clean
from repair_bench.traces.record.records import Attempt, Completion, Feedback, Outcome, Verdict
from repair_bench.traces.record.spending import known_cost
from repair_bench.traces.record.writable import UNWRITABLE, writable

_NAMES = (
    "id", "parent", "model", "suite", "suite_version", "task_id", "framework", "category", "difficulty", "condition",
    "sample", "attempt", "writer", "stoppable",
)  # fmt: skip
"""The fields of an attempt that follow from the planned episode and from the attempt's number in this episode."""
_SAME = 1e-9
"""Maximum relative difference between results of the same computation on different hardware."""

Report = Callable[[str], None]


def check_episode(
    path: Sequence[Attempt],
    episode: PlannedEpisode | None,
    task: Task | None,
    placebo_sources: Sequence[PlaceboSource],
    seed: int,
    found: VerificationReport,
    *,
    regraded: bool,
) -> None:
    """Check the attempts of one episode. `episode` and `task` are None if they cannot be derived on this machine."""
    for number, attempt in enumerate(path):
        contradict, differ = partial(found.contradict, attempt=attempt), partial(found.differ, attempt=attempt)
        last = path[number - 1] if number else None
        try:
            _order(attempt, last, contradict, regraded=regraded)
            stated = [None if last is None else last.finished_at, attempt.started_at, attempt.finished_at]
            times = [datetime.fromisoformat(one) for one in stated if one is not None]
            if times != sorted(times):
                found.doubt("the times are out of order: a clock was reset, or the times were edited")
            if episode is not None:
                _loop(path, number, episode, placebo_sources, contradict, found.doubt if regraded else differ)
                _steps(attempt, episode, differ)
                if number >= len(episode.prefix):
                    _seed(attempt, episode.seed(seed, number), contradict)
            if task is not None:
                _judgement(attempt, task, contradict, differ)
        except (AttributeError, AssertionError, IndexError, KeyError, TypeError, ValueError) as error:
            contradict(f"the attempt cannot be recomputed from the record: {type(error).__name__}: {error}")
        if attempt.filled_context:
            found.doubt("only the provider knows whether a context window was full")


def _order(attempt: Attempt, last: Attempt | None, contradict: Report, *, regraded: bool) -> None:
    number = attempt.attempt
    if number != (0 if last is None else last.attempt + 1):
        contradict(f"attempt {number} directly follows {'nothing' if last is None else f'attempt {last.attempt}'}")
    if attempt.parent != (None if last is None else last.id):
        contradict("the parent of the attempt is not the previous attempt")
    if (attempt.verdict is None) is (attempt.fault is None):
        neither = "the attempt has neither a verdict nor a fault"
        contradict(neither if attempt.verdict is None else "the attempt has both a verdict and a fault")
    if attempt.off_policy and (last is None or not regraded):
        contradict("the attempt is marked off-policy, but only repairs in a regraded run can be off-policy")
    if last is None:
        return
    if last.fault is not None or (last.passed and not attempt.off_policy):
        contradict(f"the previous attempt {'passed' if last.passed else 'ended with a fault'}, so it must be the last")
    if last.filled_context:
        contradict("the previous attempt filled the context window, so it must be the last")
    if last.off_policy and not attempt.off_policy:
        contradict("the previous attempt is off-policy, but this attempt is not marked off-policy")


def _loop(
    path: Sequence[Attempt],
    number: int,
    episode: PlannedEpisode,
    placebo_sources: Sequence[PlaceboSource],
    contradict: Report,
    differ: Report,
) -> None:
    attempt, last, condition = path[number], path[number - 1] if number else None, episode.condition
    if number > condition.max_attempts:
        contradict(f"this is repair {number}, but the condition allows only {condition.max_attempts} repairs")
    if number < len(episode.prefix):
        original = episode.adopt(episode.prefix[number])
        _same_names(attempt, original, contradict)
        data = [{n: v for n, v in one.to_json().items() if n not in ("messages", "run")} for one in (attempt, original)]
        if not _close(*data) or _messages(attempt.messages) != _messages(original.messages):
            contradict("the attempt differs from the original attempt, which this fork copied from another run")
        return
    feedback = attempt.feedback
    if last is not None and (last.verdict is None or last.passed or last.off_policy):
        return  # the verdict in its feedback is unknown
    if last is None or placebo_sources or not needs_placebo_source(condition.feedback):
        feedback = None if last is None else _feedback(attempt, last, episode, placebo_sources)
        follows = attempt.fault is not None or _clean(attempt.feedback) == _clean(feedback)
        if follows and attempt.off_policy:
            differ("the attempt is marked off-policy, but its feedback matches the verdict on the previous attempt")
        elif not follows and not attempt.off_policy:
            differ("the feedback does not follow from the previous attempt")
    if attempt.off_policy or (attempt.fault is not None and attempt.feedback is None):
        return
    made = next_attempt(episode, path[:number], feedback)
    _same_names(attempt, made, contradict)
    shown = [_messages(made.messages)]
    if limits := tools.limits_of(condition, episode.task):
        shown.append(_messages(tools.with_note(made.messages, limits, episode.task)))
    if _messages(attempt.messages) not in shown:
        differ("the messages differ from the messages that the task, the condition and the previous attempts imply")


def _feedback(
    attempt: Attempt, last: Attempt, episode: PlannedEpisode, placebo_sources: Sequence[PlaceboSource]
) -> Feedback:
    """Recompute the feedback on the last attempt.

    If the record contains a critic's reply or the outcome of a program, the feedback is computed from them.
    """
    critic, ran = (attempt.feedback.critic, attempt.feedback.ran) if attempt.feedback is not None else (None, None)
    name = policy_after(episode, last)
    if critic is not None and last.verdict is not None:
        failure = Failure(last.verdict, last.code, sources=episode.condition.sources, ran=ran)
        critic = replace(critic, messages=question(name, episode.task, failure)) if asks(name) else None
    return feedback_for(episode, last, placebo_sources, critic=critic, ran=ran)


def _seed(attempt: Attempt, seed: int, contradict: Report) -> None:
    """Check the seed of the request. A replayed answer is not checked, because it has the seed of another run."""
    params = {} if attempt.completion is None else attempt.completion.params
    if "replayed" not in params and params.get("seed", seed) not in (seed, seed % 2**SEED_BITS):
        contradict(f"the request used the seed {params['seed']} instead of {seed}")


def _same_names(attempt: Attempt, made: Attempt, contradict: Report) -> None:
    for name in _NAMES:
        if (stated := getattr(attempt, name)) != (expected := getattr(made, name)):
            contradict(f"the {name} of the attempt is {stated!r}, but run.json implies {expected!r}")


def _clean(feedback: Feedback | None) -> Any:
    if feedback is None:
        return None
    critic = feedback.critic and (feedback.critic.model, _messages(feedback.critic.messages))
    return replace(feedback, text=clean(feedback.text), critic=None, ran=None), critic


def _messages(messages: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    return [(message["role"], clean(message["content"])) for message in messages]


def _steps(attempt: Attempt, episode: PlannedEpisode, differ: Report) -> None:
    """Compare recorded tool calls with the model's replies, and displayed results with the outcomes of the calls."""
    task, limits = episode.task, tools.limits_of(episode.condition, episode.task)
    used = dict.fromkeys(tools.TOOLS, 0)
    for step in attempt.steps:
        native = any(run["call"] is not None for run in step["runs"])
        calls = tools.calls_of(Completion(**step["completion"]), limits, native=native)
        if [(call.id, call.tool, call.code) for call in calls] != [
            (run["call"], run["tool"], run["code"]) for run in step["runs"]
        ]:
            differ("the reply does not contain the recorded tool call")
            return
        for call, run in zip(calls, step["runs"], strict=True):
            left = limits[call.tool] - used[call.tool]
            reply = tools.program(task, call, left)
            if not isinstance(reply, str):
                stored = run["outcome"]
                reply = "" if stored is None else tools.result(task, call, msgspec.convert(stored, Outcome), left)
            used[call.tool] += left > 0
            if run["shown"] != reply:
                differ("the result that the model received is not the result of the tool call")
    if (attempt.executions, attempt.questions) != (used["python"], used["ask"]):
        differ(f"the messages do not match the stated {attempt.executions} programs and {attempt.questions} questions")


def _judgement(attempt: Attempt, task: Task, contradict: Report, differ: Report) -> None:
    completion, verdict, outcome = attempt.completion, attempt.verdict, attempt.outcome
    if completion is not None and completion.cost_usd != known_cost(completion.cost_usd):
        contradict(f"{completion.cost_usd} USD is not a valid cost for an answer")
    if completion is None or attempt.filled_context:
        if any(part is not None for part in (attempt.code, attempt.extraction, outcome)):
            contradict("the attempt has code or an outcome, but no answer")
        if verdict is not None and not attempt.filled_context:
            contradict(f"the attempt has the verdict {verdict.kind}, but no answer")
        if completion is not None and not attempt.steps:
            contradict("the attempt has an answer, but its verdict states that the context window was full")
        return
    extraction = extracted(task, completion.text, prefill(attempt.messages))
    codes = [None if code is None else clean(code) for code in (attempt.code, extraction.code)]
    if codes[0] != codes[1] or extraction.record() != attempt.extraction:
        differ("the recorded code differs from the code in the answer")
    if verdict is None:
        return
    if (outcome is None) is not (attempt.code is None):
        has = "a program, but no outcome" if outcome is None else "an outcome, but no program"
        contradict(f"the attempt has {has}")
    elif task.oracle is None:
        expected = writable(replace(attempt, verdict=verdict_again(task, attempt))).verdict
        assert expected is not None
        if any(getattr(verdict, name) != getattr(expected, name) for name in ("kind", "rule", "sealed", "published")):
            differ(f"the verdict is {verdict.kind}, but the outcome implies {expected.kind}")
        elif not _same_evidence(verdict, expected, outcome):
            differ("the evidence recorded with the verdict differs from the evidence that the outcome implies")
    elif outcome is not None and (kind := task.check.judge(task, outcome).kind) != verdict.published:
        differ(f"the published verdict is {verdict.published}, but the outcome implies {kind}")


def _same_evidence(verdict: Verdict, expected: Verdict, outcome: Outcome | None) -> bool:
    if outcome is not None and outcome.status == "malformed" and verdict.evidence.get("problem") == UNWRITABLE:
        return True
    return _close(verdict.evidence, json.loads(json.dumps(expected.evidence)))


def _close(a: Any, b: Any) -> bool:
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_close(a[name], b[name]) for name in a)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(_close, a, b))
    if isinstance(a, str) and isinstance(b, str):
        return without_tiny_numbers(clean(a)) == without_tiny_numbers(clean(b))
    if isinstance(a, float) and isinstance(b, float) and math.isfinite(a) and math.isfinite(b):
        return math.isclose(a, b, rel_tol=_SAME, abs_tol=_SAME)
    return a == b or str(a) == str(b)
