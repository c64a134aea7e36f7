"""Compose the messages of an attempt from a task and a condition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from repair_bench.prompts import tools
from repair_bench.prompts.condition import Condition
from repair_bench.prompts.system import system_text
from repair_bench.prompts.templates import render, render_text
from repair_bench.suites.task import Task
from repair_bench.traces.record.reasoning import reasoning_of
from repair_bench.traces.record.records import Attempt

Message = dict[str, Any]


def compose(task: Task, condition: Condition, examples: Sequence[Task] = ()) -> list[Message]:
    """Return the messages of attempt 0, or of a later attempt that is a new sample.

    The order is: the system prompt; each example as a question and its answer; the task; the prefilled start of the
    answer, if any. `examples`: from `repair_bench.prompts.few_shot.examples`.
    """
    return _messages(task, condition, examples, _task_text(task, condition))


def compose_repair(
    task: Task, condition: Condition, attempts: Sequence[Attempt], feedback: str, examples: Sequence[Task] = ()
) -> list[Message]:
    """Return the messages of the attempt that follows `attempts`.

    If that attempt is a new sample, the messages do not include earlier attempts. `feedback`: the feedback on the last
    of `attempts`.
    """
    if condition.is_fresh(len(attempts)):
        return compose(task, condition, examples)
    last = attempts[-1]
    if condition.history == "best":
        shown = closest(attempts, condition)
        if shown is not last:
            following = attempts[shown.attempt + 1].feedback
            last, feedback = shown, following.text if following is not None else feedback
    if last.completion is None:
        msg = f"attempt {last.id} has no completion to repair"
        raise ValueError(msg)
    beginning = prefill(last.messages)
    answer = beginning + last.completion.text
    if condition.history == "whole":
        before = last.messages[:-1] if beginning else last.messages
        keep = condition.reasoning == "keep"
        thought = reasoning_of(last.completion.parts) if keep else {}
        exchange = [
            *tools.exchange(last.steps, reasoning=keep),
            {"role": "assistant", "content": answer, **thought},
            {"role": "user", "content": feedback},
        ]
        return [*before, *exchange, *_prefilled(task, condition)]
    text = render(
        "last_attempt",
        task.language,
        task=_task_text(task, condition),
        code=last.code,
        completion=answer,
        feedback=feedback,
    )
    return _messages(task, condition, examples, text)


def closest(attempts: Sequence[Attempt], condition: Condition) -> Attempt:
    """Return the attempt of this conversation that came closest to passing. If several attempts are equally close,
    return the last of these attempts.

    The attempts are ranked from closest to passing to farthest from passing. Answers that are wrong only in hidden
    cases come first. Wrong answers for which the check measures a distance from the correct answer come next, in order
    of increasing distance. The distance of an answer is the check's first distance measure, averaged over the visible
    cases; correct cases count as 0, and incorrect cases without a distance as 1. Wrong answers without any distance
    come next, then exceptions, and finally answers without code.
    """
    start = max(number for number in range(len(attempts)) if condition.is_fresh(number))

    def remoteness(attempt: Attempt) -> tuple[int, float, int]:
        verdict = attempt.verdict
        assert verdict is not None
        cases = verdict.evidence.get("cases", ())  # only incorrect cases
        visible = [case.get("distance") for case in cases if not case.get("hidden")]
        # the sum ranks like the average, because all attempts have the same visible cases
        far = sum(next(iter(distance.values())) if distance else 1.0 for distance in visible)
        wrong = 0 if cases and not visible else 1 if any(visible) else 2
        return {"wrong_answer": wrong, "no_code": 4}.get(verdict.kind, 3), far, -attempt.attempt

    return min(attempts[start:], key=remoteness)


def prefill(messages: Sequence[Message]) -> str:
    """Return the prefilled start of the answer in these messages, or an empty string if there is none."""
    return messages[-1]["content"] if messages and messages[-1]["role"] == "assistant" else ""


def _messages(task: Task, condition: Condition, examples: Sequence[Task], text: str) -> list[Message]:
    system = system_text(condition.system, condition.system_text, task)
    shown = [message for example in examples for message in _example(example, condition)]
    return [
        *([{"role": "system", "content": system}] if system.strip() else []),
        *shown,
        {"role": "user", "content": text},
        *_prefilled(task, condition),
    ]


def _example(example: Task, condition: Condition) -> list[Message]:
    return [
        {"role": "user", "content": _task_text(example, condition)},
        {"role": "assistant", "content": render("answer", example.language, code=(example.reference or "").strip())},
    ]


def _prefilled(task: Task, condition: Condition) -> list[Message]:
    # providers refuse a last message that ends in white space
    text = render("prefill", task.language, starter=task.starter.rstrip()) if condition.assistant_prefill else ""
    return [{"role": "assistant", "content": text}] if text else []


def _task_text(task: Task, condition: Condition) -> str:
    words = {"prompt": task.prompt.strip(), "starter": task.separate_starter if condition.starter else ""}
    if condition.task_template is None:
        return render("task", task.language, **words)
    return render_text(condition.task_template, **words)
