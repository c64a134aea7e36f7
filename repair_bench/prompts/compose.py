"""From a task and a condition to the messages of an attempt."""

from __future__ import annotations

from repair_bench.prompts.condition import Condition
from repair_bench.prompts.templates import render
from repair_bench.suites.task import Task
from repair_bench.traces.records import Attempt

Message = dict[str, str]


def compose(task: Task, condition: Condition) -> list[Message]:
    """The messages of attempt 0."""
    return [
        {"role": "system", "content": render(f"system_{condition.system}")},
        {"role": "user", "content": _task_text(task, condition)},
    ]


def compose_repair(task: Task, condition: Condition, last: Attempt, feedback: str) -> list[Message]:
    """The messages of the attempt after `last`, which is told `feedback`."""
    if last.completion is None:
        msg = f"attempt {last.id} has no completion to repair"
        raise ValueError(msg)
    if condition.history == "whole":
        return [
            *last.messages,
            {"role": "assistant", "content": last.completion.text},
            {"role": "user", "content": feedback},
        ]
    text = render(
        "last_attempt",
        task=_task_text(task, condition),
        code=last.code,
        completion=last.completion.text,
        feedback=feedback,
    )
    return [*compose(task, condition)[:-1], {"role": "user", "content": text}]


def _task_text(task: Task, condition: Condition) -> str:
    # a published prompt may hold its starter code already
    shown = condition.starter and task.starter.strip() not in task.prompt
    return render("task", prompt=task.prompt.strip(), starter=task.starter.strip() if shown else "")
